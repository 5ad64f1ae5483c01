//! Settings and policies: `config list`, `policy show`, `policy diff`.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::policy;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::value::round;

/// All settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Settings {
    pub settings: Vec<Setting>,
}

/// One setting as it is in force, and where that value was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Setting {
    pub name: String,
    pub value: String,
    /// Where the value comes from: default, a file, the environment or a flag.
    pub set_by: String,
}

/// The numbers of one policy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Policy {
    /// The numbers of each decision, as in the policy file.
    #[serde(rename = "policy")]
    pub numbers: Map<String, Value>,
    #[serde(skip)]
    pub name: String,
    #[serde(skip)]
    pub note: String,
}

/// What is different between two policies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PolicyDiff {
    pub left: String,
    pub right: String,
    pub differences: Vec<Difference>,
}

/// One number that two policies do not share; null where one has none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Difference {
    /// `promotion.provisional_at`.
    pub name: String,
    pub left: Value,
    pub right: Value,
}

impl From<&policy::Policy> for Policy {
    fn from(policy: &policy::Policy) -> Self {
        let (name, note) = (policy.name.clone(), policy.note.clone());
        Policy { numbers: rounded(policy), name, note }
    }
}

impl PolicyDiff {
    /// The first against the second.
    pub fn of(left: &policy::Policy, right: &policy::Policy) -> Self {
        let differences = differences(left, right);
        PolicyDiff { left: left.name.clone(), right: right.name.clone(), differences }
    }
}

/// The policy as in its file, with readable numbers.
fn rounded(policy: &policy::Policy) -> Map<String, Value> {
    let value = serde_json::to_value(policy).expect("a policy is names and numbers");
    match readable(value) {
        Value::Object(sections) => sections,
        _ => Map::new(),
    }
}

/// Every number under its full name (`promotion.provisional_at`).
pub(crate) fn flat(numbers: Map<String, Value>) -> BTreeMap<String, Value> {
    let mut names = BTreeMap::new();
    flatten("", Value::Object(numbers), &mut names);
    names
}

/// What is different, by name. A policy's own name and note are not.
fn differences(left: &policy::Policy, right: &policy::Policy) -> Vec<Difference> {
    let (left, right) = (flat(rounded(left)), flat(rounded(right)));
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let value = |values: &BTreeMap<String, Value>, name: &String| {
        values.get(name).cloned().unwrap_or(Value::Null)
    };
    let differences = names.into_iter().map(|name| Difference {
        name: name.clone(),
        left: value(&left, name),
        right: value(&right, name),
    });
    let is_number = |difference: &Difference| !["name", "note"].contains(&&*difference.name);
    differences.filter(is_number).filter(|one| one.left != one.right).collect()
}

fn flatten(prefix: &str, value: Value, names: &mut BTreeMap<String, Value>) {
    let Value::Object(pairs) = value else {
        names.insert(prefix.to_owned(), value);
        return;
    };
    for (name, value) in pairs {
        let name = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        flatten(&name, value, names);
    }
}

fn readable(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => json!(number.as_f64().map(round)),
        Value::Array(items) => items.into_iter().map(readable).collect(),
        Value::Object(pairs) => {
            let pairs = pairs.into_iter().map(|(name, value)| (name, readable(value)));
            Value::Object(pairs.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
