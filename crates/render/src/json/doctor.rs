//! How memory is: `doctor`.

use crate::answer::{Answer, Health, HealthCheck, HealthStatus, KeptSecret};
use hardwon_core::gate::without_control;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::value::Word;

#[derive(Serialize, JsonSchema)]
pub(super) struct DoctorWire {
    /// Everything that was looked at. `status` is `failed` if one of these failed or a
    /// secret was found, `degraded` if there is a warning.
    checks: Vec<CheckWire>,
    /// What `--fix` did, one sentence each.
    mended: Vec<String>,
    /// The copy of the store that `--fix` made before it wrote.
    backup: Option<String>,
    /// What `--scan` found; null if nobody asked for it.
    secrets: Option<Vec<SecretWire>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Check")]
struct CheckWire {
    name: String,
    status: Word<HealthStatus>,
    /// Begins with `skipped: ` if another failed check did not allow this one.
    detail: String,
    /// The command that mends it, or what to do where none can.
    fix: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Secret")]
struct SecretWire {
    /// The row that holds it, e.g. `lesson l-…`.
    row: String,
    /// What sort of secret; never the secret itself.
    kind: String,
    /// The command that removes it.
    fix: String,
}

/// `doctor`.
pub fn doctor(health: &Answer<Health>) -> Value {
    let Health { checks, mended, backup, secrets } = &health.body;
    let body = DoctorWire {
        checks: checks.iter().map(check).collect(),
        mended: mended.iter().map(|done| without_control(done)).collect(),
        backup: backup.as_deref().map(without_control),
        secrets: secrets.as_ref().map(|secrets| secrets.iter().map(secret).collect()),
    };
    answer(health, body)
}

fn check(check: &HealthCheck) -> CheckWire {
    CheckWire {
        name: check.name.to_owned(),
        status: Word(check.status),
        detail: without_control(&check.detail),
        fix: check.fix.as_deref().map(without_control),
    }
}

fn secret(secret: &KeptSecret) -> SecretWire {
    SecretWire {
        row: without_control(&secret.row),
        kind: without_control(&secret.family),
        fix: without_control(&secret.fix),
    }
}
