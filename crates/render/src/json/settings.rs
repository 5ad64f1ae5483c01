//! Settings and policies: `config list`, `policy show`, `policy diff`.

use crate::answer::{Answer, Setting};
use hardwon_core::policy::Policy;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::answer;
use crate::policy::{Difference, differences, rounded};

#[derive(Serialize, JsonSchema)]
pub(super) struct ConfigWire {
    settings: Vec<SettingWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Setting")]
struct SettingWire {
    name: String,
    value: String,
    /// Where the value comes from: default, a file, the environment or a flag.
    set_by: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PolicyWire {
    /// The numbers of each decision, as in the policy file.
    policy: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PolicyDiffWire {
    left: String,
    right: String,
    differences: Vec<DifferenceWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Difference")]
struct DifferenceWire {
    /// `promotion.provisional_at`.
    name: String,
    left: Value,
    right: Value,
}

/// `config list`.
pub fn config(settings: &Answer<Vec<Setting>>) -> Value {
    let wire = settings.body.iter().map(|setting| SettingWire {
        name: setting.name.clone(),
        value: setting.value.clone(),
        set_by: setting.set_by.clone(),
    });
    answer(settings, ConfigWire { settings: wire.collect() })
}

/// `policy show`.
pub fn policy(policy: &Answer<Policy>) -> Value {
    answer(policy, PolicyWire { policy: rounded(&policy.body) })
}

/// `policy diff`, of the first against the second.
pub fn policy_diff(pair: &Answer<(Policy, Policy)>) -> Value {
    let (left, right) = &pair.body;
    let wire = differences(left, right).into_iter().map(|difference| {
        let Difference { name, left, right } = difference;
        DifferenceWire { name, left, right }
    });
    let body = PolicyDiffWire {
        left: left.name.clone(),
        right: right.name.clone(),
        differences: wire.collect(),
    };
    answer(pair, body)
}
