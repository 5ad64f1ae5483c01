//! How did a session end, by what its record shows? Who cut it short, and what the last check said.
//! What that makes of the run is [`crate::run::Outcome::of`].

use serde::{Deserialize, Serialize};

use crate::vocabulary::vocabulary;

vocabulary! {
    /// Who cut a run short.
    CutBy {
        User = "user",
        /// The program that runs the agent, or the service behind it.
        Host = "host",
    }
}

vocabulary! {
    /// What the last check said.
    CheckResult {
        Green = "green",
        Red = "red",
    }
}

/// How a session ended, as its record shows it; nobody stated it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ended {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<CutBy>,
    /// Nothing if nothing was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult>,
    /// The command that said so, if it can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
    /// Tests that were red when they were last run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub red_tests: Vec<String>,
}

impl Ended {
    pub fn is_unknown(&self) -> bool {
        *self == Ended::default()
    }
}
