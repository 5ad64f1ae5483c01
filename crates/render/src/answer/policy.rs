//! A policy as a flat list of names and numbers, and what is different between two.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::policy::Policy;
use serde_json::{Map, Value, json};

use crate::answer::Difference;
use crate::answer::value::round;

/// The policy as in its file, with readable numbers.
pub(crate) fn rounded(policy: &Policy) -> Map<String, Value> {
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
pub(crate) fn differences(left: &Policy, right: &Policy) -> Vec<Difference> {
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
