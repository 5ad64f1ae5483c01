//! Settings and policies: `config list`, `policy show`, `policy diff`.

use hardwon_core::policy;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::policy::{differences, rounded};

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
