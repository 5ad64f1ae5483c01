//! The tools, one row each: what a model reads to choose it, what a host may know about it, and
//! the function that runs it.

mod archivist;
mod lessons_for;
mod mark_effect;
mod record_outcome;
mod remember;
mod report_finding;
mod review;
mod submit_reflection;

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::schema::{self, words};
use super::session::Session;
use super::trouble::{Reply, Trouble};
use super::wire::{line, wire};
use archivist::Texts;

/// One tool.
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub does: Does,
    pub input: fn() -> Arc<JsonObject>,
    pub call: fn(&Session, JsonObject) -> Result<Reply, Trouble>,
}

/// What a call does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Reads. It is recorded that a lesson was shown, which changes no lesson.
    Read,
    /// Adds; the same call again changes nothing.
    Add,
    /// May take a lesson out of every block; `hardwon undo` reverses that.
    Change,
}

/// The row of a tool. Its module has what it takes, what it answers, and what it does; its
/// description is a text file.
macro_rules! tool {
    ($name:ident, $title:literal, $does:ident) => {
        tool!($name, $title, $does, $name::Args, $name::call)
    };
    ($name:ident, $title:literal, $does:ident, $args:ty, $call:path) => {
        Tool {
            name: stringify!($name),
            title: $title,
            description: include_str!(concat!("../../data/mcp/", stringify!($name), ".txt"))
                .trim_ascii_end(),
            does: Does::$does,
            input: schema::input::<$args>,
            call: |session, given| $call(session, arguments(given)?),
        }
    };
}

/// In the order in which a run needs them.
pub const TOOLS: &[Tool] = &[
    tool!(lessons_for, "Lessons for a task", Read),
    tool!(report_finding, "Report a finding", Add),
    tool!(record_outcome, "Record how a run ended", Add),
    tool!(mark_effect, "Say what a lesson did", Change),
    tool!(remember, "Remember one thing", Add),
    tool!(submit_reflection, "Submit what a run taught", Add),
    tool!(review, "Review lessons", Change),
];

/// For an agent that plays the Archivist. The document's names have a point where the protocol
/// wants an underscore.
pub const ARCHIVIST: &[Tool] = &[
    tool!(lessons_for, "Lessons for a task", Read),
    tool!(
        memory_create_candidate_lessons,
        "Create candidate lessons",
        Add,
        submit_reflection::Args,
        submit_reflection::call
    ),
    tool!(memory_score_importance, "Score importance", Read, Texts, archivist::score_importance),
    tool!(memory_detect_duplicates, "Detect duplicates", Read, Texts, archivist::detect_duplicates),
    tool!(memory_merge, "Propose a merge", Add, archivist::Pair, archivist::merge),
    tool!(submit_reflection, "Submit what a run taught", Add),
];

impl Tool {
    /// The tool as it is listed.
    pub fn definition(&self) -> rmcp::model::Tool {
        // Newer versions of Claude Code name tools to their model only when it searches for them.
        let loaded = [("anthropic/alwaysLoad".to_owned(), Value::Bool(true))];
        rmcp::model::Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_annotations(self.does.annotations(self.title))
            .with_meta(MetaObject(loaded.into_iter().collect()))
    }
}

impl Does {
    fn annotations(self, title: &str) -> ToolAnnotations {
        let hints = ToolAnnotations::with_title(title).open_world(false);
        match self {
            Does::Read => hints.read_only(true).idempotent(true),
            Does::Add => hints.read_only(false).destructive(false).idempotent(true),
            Does::Change => hints.read_only(false).destructive(true).idempotent(false),
        }
    }
}

/// The most bytes of one text: a lesson has two sentences, and nothing here is a document.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The arguments of a call, or what is wrong with them.
fn arguments<T: DeserializeOwned>(given: JsonObject) -> Result<T, Trouble> {
    if given.values().any(is_too_long) {
        let hint = "shorten it: say in a few sentences what matters";
        return Err(Trouble::wrong("a text has more than 64 KiB", hint));
    }
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        Trouble::wrong(
            format!("wrong arguments: {error}"),
            "the tool's input schema lists what it takes; leave out what you do not know",
        )
    })
}

fn is_too_long(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() > MAX_TEXT_BYTES,
        Value::Array(items) => items.iter().any(is_too_long),
        Value::Object(fields) => fields.values().any(is_too_long),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The first of a list that may be of any length.
fn first(list: Option<Vec<String>>, n: usize) -> Vec<String> {
    list.unwrap_or_default().into_iter().take(n).collect()
}
