//! What `review list`, `merge` without names and `guard` answer.

use hardwon_core::lesson::Decision;
use hardwon_core::lifecycle::Waiting;
use schemars::JsonSchema;
use serde::Serialize;

use super::lesson::Lesson;
use super::story::Review;
use super::value::{Decimal, Id, Time, Word};

/// Lessons that wait for somebody.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Queue {
    /// The most urgent first.
    pub items: Vec<Queued>,
    /// Settings that an agent would change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub settings: Vec<ProposedSetting>,
    /// Whether reviews are asked for.
    #[serde(rename = "team")]
    pub is_team: bool,
}

/// A setting that an agent would change; `hardwon config set` decides about it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProposedSetting {
    pub name: String,
    pub value: String,
}

/// One lesson that waits, and for whom.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Queued {
    pub lesson: Lesson,
    /// Why it waits.
    pub waits: Id<Waiting>,
    pub authority: String,
    /// The reason of its last step, or how it came to be.
    pub because: Option<String>,
    /// Approvals that are given and wait for another authority's.
    pub approvals: Vec<Review>,
    /// Who may decide: those bound to that authority, or who can give the last approval.
    pub people: Vec<String>,
    /// When time decides if nobody does.
    pub deadline: Option<Time>,
    /// What may be decided.
    pub decisions: Vec<Word<Decision>>,
    /// What was decided before.
    #[serde(skip)]
    pub reviews: Vec<Review>,
}

/// Lessons that may say the same.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NearPairs {
    /// The likest first.
    pub pairs: Vec<Near>,
    /// How many lessons were compared with their nearest: those that matter most.
    #[serde(rename = "compared")]
    pub n_compared: u64,
}

/// Two lessons that may say the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Pair")]
pub struct Near {
    /// Would stay.
    pub base: Lesson,
    /// Would be superseded.
    pub other: Lesson,
    pub likeness: Decimal,
    /// What they have in common.
    pub because: Vec<String>,
}

/// The answer to a guard.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Guarded {
    #[serde(rename = "guard")]
    pub what: String,
    #[serde(rename = "met")]
    pub is_met: bool,
    /// What is missing, each with the command that gives it.
    pub missing: Vec<String>,
}
