//! What was asked of a language model, what did it cost, and what did it answer? One
//! consultation is one question. It is written before the question is asked, with the most that
//! it may cost, and again when the answer is there; without an answer that most counts as spent.
//!
//! [`money`] says what a question costs, [`cap`] whether it may be asked.

pub mod cap;
pub mod money;

use serde::{Deserialize, Serialize};

use crate::digest::{hex, sha256};
use crate::time::Timestamp;
use crate::vocabulary::vocabulary;

pub use money::Spend;

vocabulary! {
    /// What a model is asked for.
    Purpose {
        /// To look back on a run.
        Reflect = "reflect",
        /// Whether two lessons say the same.
        Merge = "merge",
        /// For shorter or more general words of a lesson: asked by earlier versions only.
        Words = "words",
        /// To answer a question from memory.
        Ask = "ask",
    }
}

/// What a model proposed about lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposed {
    /// For a question that has one: yes or no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_yes: Option<bool>,
    /// The words that it proposed to an earlier version, if any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why, in its own words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Why a person did not want these words, and who that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
}

/// One question to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consultation {
    /// `c-` and a digest; see [`id`].
    pub id: String,
    pub purpose: Purpose,
    /// The run, or the lessons, that the question is about.
    pub about: Vec<String>,
    /// Digest of what was asked: the same is not asked twice.
    pub evidence: String,
    pub backend: String,
    pub model: String,
    pub at: Timestamp,
    /// The most that it may cost.
    pub reserved: Spend,
    /// What it cost; `None` if nobody knows, and then what was reserved counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spend>,
    /// Whether a usable answer came.
    #[serde(default)]
    pub is_answered: bool,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Proposed>,
}

impl Consultation {
    /// Why it is not asked a second time at once.
    pub fn is_asked_now(&self) -> String {
        format!("it is being asked: {}; if that process died, try again in two minutes", self.id)
    }

    /// What counts against the caps.
    pub fn counted(&self) -> Spend {
        self.spent.unwrap_or(self.reserved)
    }
}

/// The id of the `n`th question on this evidence, from 0: who asks again after a failure pays
/// again, and both are in the ledger.
pub fn id(purpose: Purpose, evidence: &str, n: usize) -> String {
    let digest = sha256(&[purpose.word(), evidence, &n.to_string()]);
    format!("c-{}", hex(&digest[..8]))
}
