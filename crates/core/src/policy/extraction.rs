//! How lessons are made of what a pipeline suggests, and of what repeats in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::lesson::Kind;

/// What sort of lesson a text is, by the words in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoryPolicy {
    /// Kind and category where no row fits.
    pub default_kind: Kind,
    pub default_category: String,
    /// Words and phrases that tell of something that was tried and failed.
    pub failed_attempt: Vec<String>,
    /// By category. The row with most of its words in the text fits.
    pub rows: BTreeMap<String, CategoryRow>,
}

/// One sort of lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoryRow {
    /// Of equals the lowest.
    pub order: u32,
    pub kind: Kind,
    /// Whole words and phrases, in lower case.
    pub words: Vec<String>,
}

/// How far a suggestion reaches, by the words in it. The first that is said counts, in this
/// order; where none is, the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopePolicy {
    /// Words and phrases for the task of its run, in lower case.
    pub task: Vec<String>,
    /// For the session of its run.
    pub session: Vec<String>,
    /// For every project.
    pub global: Vec<String>,
    /// Names of roles: it is for the first that is named.
    pub roles: Vec<String>,
}

/// How sure we are of a lesson that was made because something happened again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerPolicy {
    /// Root runs from which the confidences below hold.
    pub repeats: u32,
    pub failure_class: f64,
    /// Concerns of the same category, by reviewers.
    pub review_category: f64,
    pub recovery_class: f64,
    /// Low confidence of a worker in its own work on one kind of task.
    pub low_confidence: f64,
    /// Conflicts of merges on the same path.
    pub conflict: f64,
    /// A recipe for a test or a demo that served in this many root runs, …
    pub recipe_repeats: u32,
    /// … and how sure we are of it then.
    pub recipe: f64,
    /// A suggestion, made once.
    pub suggestion: f64,
}
