//! What was done, by whom and why: `history` and `undo`.

use hardwon_core::change::{self, Change};
use hardwon_core::ids::LessonId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::value::{Id, Time};
use crate::fields;
use crate::story::{because, change_word};

/// What was done.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct History {
    /// Newest first.
    pub entries: Vec<Entry>,
}

/// One change of state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Counts up within the store.
    pub sequence: u64,
    pub operation: u64,
    pub command: String,
    pub actor: String,
    pub at: Time,
    /// For an undo: the operation that it takes back.
    pub undoes: Option<u64>,
    /// `add_lesson`, `edit_lesson`, `add_finding`, …
    pub change: String,
    /// The lesson it touches, if it touches one.
    pub lesson: Option<Id<LessonId>>,
    pub because: String,
    pub fields: Vec<Field>,
    /// What it did, in one line.
    #[serde(skip)]
    pub line: String,
}

/// One field of a lesson, before and after.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Field {
    pub name: &'static str,
    pub from: Value,
    pub to: Value,
}

/// What an undo took back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Undone {
    pub operation: u64,
    pub command: String,
    /// Lessons that are now as they were before.
    pub lessons: Vec<Id<LessonId>>,
}

impl From<&change::Entry> for Entry {
    fn from(entry: &change::Entry) -> Self {
        let fields = fields::changed(&entry.change);
        Entry {
            sequence: entry.sequence,
            operation: entry.operation.0,
            command: entry.head.command.clone(),
            actor: entry.head.actor.clone(),
            at: Time(entry.head.at),
            undoes: entry.head.undoes.map(|operation| operation.0),
            change: change_word(&entry.change).to_owned(),
            lesson: entry.change.lesson().cloned().map(Id),
            because: because(&entry.change),
            line: line(&entry.change, &fields),
            fields,
        }
    }
}

fn line(change: &Change, fields: &[Field]) -> String {
    let because = because(change);
    match change {
        Change::AddLesson { lesson, .. } => {
            format!("{} new {} {}: {because}", lesson.id, lesson.state, lesson.kind)
        }
        Change::RemoveLesson { lesson, .. } => format!("{} removed: {because}", lesson.id),
        Change::EditLesson { lesson, .. } => {
            let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
            format!("{lesson} {}: {because}", fields.join("; "))
        }
        Change::AddRun { .. } | Change::AddFinding { .. } | Change::AddInjection { .. } => {
            format!("{because} added")
        }
        Change::AddDeliberation { .. } | Change::AddAttempt { .. } => format!("{because} added"),
        Change::RemoveDeliberation { .. } | Change::RemoveAttempt { .. } => {
            format!("{because} removed")
        }
        Change::EditRun { .. } | Change::EditFinding { .. } => format!("{because} changed"),
        Change::RemoveRun { .. }
        | Change::RemoveFinding { .. }
        | Change::RemoveInjection { .. } => format!("{because} removed"),
        Change::AddEffect { effect } => format!("{} {because}", effect.lesson),
        Change::RemoveEffect { effect } => format!("{} no longer {because}", effect.lesson),
        Change::AddTombstone { tombstone } | Change::RemoveTombstone { tombstone } => {
            format!("{} {because}", tombstone.lesson)
        }
        Change::EditProject { .. } => because,
        Change::Erase { erasure } => {
            format!("{} {because}", erasure.lesson).trim_start().to_owned()
        }
    }
}
