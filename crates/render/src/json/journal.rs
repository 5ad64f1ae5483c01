//! What was done, by whom and why: `history` and `undo`.

use crate::answer::{Answer, History, Undone};
use hardwon_core::change::Entry;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::value::Time;
use crate::fields;
use crate::story::{because, change_word};

#[derive(Serialize, JsonSchema)]
pub(super) struct HistoryWire {
    /// Newest first.
    entries: Vec<EntryWire>,
}

/// One change of state.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Entry")]
pub(super) struct EntryWire {
    /// Counts up within the store.
    sequence: u64,
    operation: u64,
    command: String,
    actor: String,
    at: Time,
    /// For an undo: the operation that it takes back.
    undoes: Option<u64>,
    /// `add_lesson`, `edit_lesson`, `add_finding`, …
    change: String,
    /// The lesson it touches, if it touches one.
    lesson: Option<String>,
    because: String,
    fields: Vec<FieldWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Field")]
struct FieldWire {
    name: String,
    from: Value,
    to: Value,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct UndoWire {
    operation: u64,
    command: String,
    /// Lessons that are now as they were before.
    lessons: Vec<String>,
}

impl EntryWire {
    pub(super) fn of(entry: &Entry) -> Self {
        let fields = fields::changed(&entry.change).into_iter().map(|field| FieldWire {
            name: field.name.to_owned(),
            from: field.from,
            to: field.to,
        });
        EntryWire {
            sequence: entry.sequence,
            operation: entry.operation.0,
            command: entry.head.command.clone(),
            actor: entry.head.actor.clone(),
            at: Time(entry.head.at),
            undoes: entry.head.undoes.map(|operation| operation.0),
            change: change_word(&entry.change).to_owned(),
            lesson: entry.change.lesson().map(ToString::to_string),
            because: because(&entry.change),
            fields: fields.collect(),
        }
    }
}

/// `history`.
pub fn history(history: &Answer<History>) -> Value {
    let entries = history.body.entries.iter().map(EntryWire::of).collect();
    answer(history, HistoryWire { entries })
}

/// `undo`.
pub fn undo(undone: &Answer<Undone>) -> Value {
    let body = &undone.body;
    let wire = UndoWire {
        operation: body.operation.0,
        command: body.command.clone(),
        lessons: body.lessons.iter().map(ToString::to_string).collect(),
    };
    answer(undone, wire)
}
