//! What `doctor` says: one line for each thing that was looked at, and what it did.

use super::Status;
use hardwon_core::vocabulary;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheck {
    pub name: &'static str,
    pub status: HealthStatus,
    pub detail: String,
    /// What mends it: a command, or, where none can, what to do.
    pub fix: Option<String>,
}

impl HealthCheck {
    /// Whether it could not be made, because another one failed.
    pub fn is_skipped(&self) -> bool {
        self.detail.starts_with(SKIPPED)
    }
}

/// A text in memory that today's gate would not let in as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSecret {
    /// The row that has it.
    pub row: String,
    /// What sort of secret; never the secret.
    pub family: String,
    pub fix: String,
}

/// Everything that was looked at, and done.
#[derive(Clone, Debug, Default)]
pub struct Health {
    pub checks: Vec<HealthCheck>,
    /// What was mended, one sentence each.
    pub mended: Vec<String>,
    /// The copy of the store from before it was mended.
    pub backup: Option<String>,
    /// What a scan found; `None` if nobody asked for one.
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
