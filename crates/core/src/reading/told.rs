//! What a model answers about a session, and what is looked up for it.

use serde::Deserialize;

use crate::danger::danger;
use crate::ids::LessonId;
use crate::lesson::{Kind, Lesson};
use crate::session::Entry;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What sort of lesson a model proposes.
    Told {
        Trap = "trap",
        Wish = "wish",
        How = "how",
        Fact = "fact",
    }
}

impl Told {
    pub fn kind(self) -> Kind {
        match self {
            Told::Trap => Kind::AntiPattern,
            Told::Wish => Kind::Preference,
            Told::How => Kind::Pattern,
            Told::Fact => Kind::Fact,
        }
    }

    /// The Archivist's word for it.
    pub fn category(self) -> &'static str {
        match self {
            Told::Trap => "anti_pattern",
            Told::Wish | Told::How => "heuristic",
            Told::Fact => "infra",
        }
    }
}

/// What a model answers about a session. Whatever is missing is empty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Reading {
    pub outcome: String,
    pub summary: String,
    pub lessons: Vec<Read>,
    pub verdicts: Vec<Judgement>,
}

/// One lesson as the model said it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Read {
    pub same_as: Option<String>,
    pub contradicts: Option<String>,
    pub kind: String,
    pub text: String,
    pub steps: Vec<String>,
    /// Of a wish: `always` or `now`.
    pub holds: Option<String>,
    pub when: When,
    pub failed: Option<Failed>,
    pub works: Option<Works>,
    pub quotes: Vec<Quoted>,
    pub importance: f64,
}

/// When to remind of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct When {
    pub paths: Vec<String>,
    pub commands: Vec<String>,
    pub words: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Failed {
    pub entry: u64,
    pub line: String,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Works {
    pub entry: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Quoted {
    pub entry: u64,
    pub text: String,
}

/// What a model says of a lesson that was known.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Judgement {
    pub lesson: String,
    pub verdict: String,
    pub entry: u64,
    pub quote: String,
}

/// What a model is shown beside the session.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// Lessons that it may name.
    pub known: &'a [Lesson],
    /// Rules files of the project: name and text.
    pub rules: &'a [(String, String)],
}

/// What was looked up for a lesson, in the digest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    pub told: Option<Told>,
    pub text: String,
    pub steps: Vec<String>,
    pub same_as: Option<LessonId>,
    pub contradicts: Option<LessonId>,
    /// By what the same failure is recognized: what the call was for, and its masked line.
    pub detectors: Vec<String>,
    /// By what rules know the same failure.
    pub observed: Option<String>,
    /// The command that failed, and the one that worked.
    pub failed: Option<String>,
    pub works: Option<String>,
    /// The first quotation with its entry: what is printed as evidence.
    pub quote: String,
    pub entry: u64,
    pub paths: Vec<String>,
    pub importance: f64,
    /// Why this one session is not enough to show it; empty if it is.
    pub waits: Vec<String>,
}

/// What was found out about one proposal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    pub taken: Taken,
    /// Why it is not taken; empty if it is.
    pub refused: Vec<String>,
    /// What was changed about it.
    pub notes: Vec<String>,
}

/// The command of a call, or its file.
pub(super) fn command(entry: &Entry) -> String {
    entry.action.strip_prefix("$ ").unwrap_or(&entry.action).to_owned()
}

/// Whether a text may be shown without a person's yes.
pub fn needs_yes(taken: &Taken) -> Option<String> {
    let texts = std::iter::once(&taken.text).chain(&taken.steps);
    texts.map(String::as_str).find_map(danger).map(|danger| danger.to_string())
}
