//! What is known of a session while it is read, and who spoke in it.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::work::Work;
use crate::json::text_parts;
use crate::report::cut;
use crate::review_text::Review;

/// Longest line of a prompt or an error that is kept.
const MAX_LINE_KEPT: usize = 400;

/// What is known of the session so far.
#[derive(Default)]
pub struct Session {
    pub id: Option<String>,
    pub folder: Option<String>,
    pub role: Option<String>,
    pub task: Option<String>,
    pub started: Option<Timestamp>,
    /// How it ended, where its record says more than that it did.
    pub outcome: Option<Outcome>,
    pub error_class: Option<String>,
    pub summary: Option<String>,
    /// Sub-agents by the call that started them.
    pub agents: BTreeMap<String, String>,
    /// Calls that stand in several lines, and were read.
    pub seen: BTreeSet<String>,
}

/// Where what a line says is kept.
pub struct Kept<'a> {
    pub session: &'a mut Session,
    pub work: &'a mut Work,
}

/// A message, and who spoke.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    /// The sub-agent's id, if it is known.
    pub agent: Option<String>,
    pub role: Option<String>,
    pub message: String,
}

/// What an agent found, and where it stands.
pub struct Statement {
    pub line: u64,
    pub agent: Option<String>,
    pub role: Option<String>,
    pub review: Review,
}

/// The first line of a text that says something, not too long.
pub fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(cut(line, MAX_LINE_KEPT).to_owned())
}

/// The text of a message's content: a string, or parts.
pub fn text_of(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => text_parts(parts),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}
