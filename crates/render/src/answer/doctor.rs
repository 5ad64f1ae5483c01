//! `doctor`: one entry for each check, and what was repaired.

use hardwon_core::vocabulary;
use schemars::JsonSchema;
use serde::Serialize;

use super::Status;
use super::value::{Word, clean};

/// How the details of checks begin that could not be made.
pub const SKIPPED: &str = "skipped: ";

vocabulary! {
    /// How a check came out.
    HealthStatus {
        Ok = "ok",
        /// Memory works, but somebody should know.
        Warning = "warning",
        /// Memory does not work, or not as it was set up.
        Failed = "failed",
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Check")]
pub struct HealthCheck {
    pub name: &'static str,
    pub status: Word<HealthStatus>,
    /// Begins with `skipped: ` if another failed check did not allow this one.
    #[serde(serialize_with = "clean")]
    pub detail: String,
    /// The command that mends it, or what to do where none can.
    #[serde(serialize_with = "clean")]
    pub fix: Option<String>,
}

impl HealthCheck {
    /// Whether it could not be made, because another one failed.
    pub fn is_skipped(&self) -> bool {
        self.detail.starts_with(SKIPPED)
    }
}

/// A text in memory that today's gate would not let in as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Secret")]
pub struct KeptSecret {
    /// The row that holds it, e.g. `lesson l-…`.
    #[serde(serialize_with = "clean")]
    pub row: String,
    /// What sort of secret; never the secret itself.
    #[serde(rename = "kind", serialize_with = "clean")]
    pub family: String,
    /// The command that removes it.
    #[serde(serialize_with = "clean")]
    pub fix: String,
}

/// Everything that was looked at, and done.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Health {
    /// Everything that was looked at. `status` is `failed` if one of these failed or a
    /// secret was found, `degraded` if there is a warning.
    pub checks: Vec<HealthCheck>,
    /// What `--fix` did, one sentence each.
    #[serde(serialize_with = "clean")]
    pub mended: Vec<String>,
    /// The copy of the store that `--fix` made before it wrote.
    #[serde(serialize_with = "clean")]
    pub backup: Option<String>,
    /// What `--scan` found; null if nobody asked for it.
    pub secrets: Option<Vec<KeptSecret>>,
}

impl Health {
    /// How many checks came out so, those that could not be made left out.
    pub fn count(&self, status: HealthStatus) -> usize {
        let is_so = |check: &&HealthCheck| check.status == status && !check.is_skipped();
        self.checks.iter().filter(is_so).count()
    }

    /// How many checks could not be made.
    pub fn n_skipped(&self) -> usize {
        self.checks.iter().filter(|check| check.is_skipped()).count()
    }

    /// `failed` if any check failed or a secret was found, `degraded` if anything else is
    /// not as it should be.
    pub fn status(&self) -> Status {
        let has_secret = self.secrets.as_ref().is_some_and(|found| !found.is_empty());
        match (
            self.count(HealthStatus::Failed),
            self.count(HealthStatus::Warning) + self.n_skipped(),
        ) {
            (0, 0) if !has_secret => Status::Ok,
            (0, _) if !has_secret => Status::Degraded,
            _ => Status::Failed,
        }
    }
}
