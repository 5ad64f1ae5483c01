//! What was tried at an issue, and what came of it? One attempt is one try at a repair: approach,
//! result, why. Kept so that nobody tries the same again, and printed as quotations only.

pub mod keep;
pub mod tell;

use serde::{Deserialize, Serialize};

use crate::event::AttemptResult;
use crate::ids::RunId;
use crate::text::Text;
use crate::time::Timestamp;

/// One try at repairing an issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// `a-` and the digest of run, issue, author, iteration and approach.
    pub id: String,
    pub run: RunId,
    /// As [`issue_name`](crate::event::issue_name) spells it.
    pub issue: String,
    /// Which try it was, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// Who tried.
    pub author: String,
    /// What was done.
    pub approach: Text,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// `None` if it is not known what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<AttemptResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to try next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Nothing but an agent's word stands behind it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_claim: bool,
    pub at: Timestamp,
}
