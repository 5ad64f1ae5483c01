//! Better words for lessons, as they are proposed.

use hardwon_core::reword::Form;
use schemars::JsonSchema;
use serde::Serialize;

use super::asked::Asked;
use super::lesson::Lesson;
use super::value::{Time, Word};

/// Better words that wait for a person.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Rewordings {
    /// The newest first.
    pub proposals: Vec<Rewording>,
    /// The questions that were asked now.
    pub asked: Vec<Asked>,
}

/// One proposal.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rewording {
    pub id: String,
    /// `line` takes the place of a text, `summary` stands beside it, `rule` replaces several
    /// lessons.
    pub form: Word<Form>,
    /// Of several lessons the first one stays.
    pub lessons: Vec<Lesson>,
    /// The words that are proposed.
    pub text: String,
    /// Why, in the model's words.
    pub reason: String,
    pub model: String,
    pub at: Time,
    /// What would change, as a unified diff.
    pub diff: String,
    /// Plain words that stand in no lesson and no evidence.
    pub new_words: Vec<String>,
    /// Why a person did not want it; null while it waits.
    pub rejected: Option<String>,
}
