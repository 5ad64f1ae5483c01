//! What was done, by whom and why: `history` and `undo`.

use hardwon_core::change::{self, Change};
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Guidance, Kind};
use hardwon_core::versions::Version;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::value::{Id, Time, Word};
use crate::answer::fields;
use crate::answer::steps::{because, change_word};

/// What was done.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct History {
    /// Newest first.
    pub entries: Vec<Entry>,
}

/// One change of state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Counts up within the project.
    pub sequence: u64,
    pub operation: u64,
    /// Another project did it, to a global lesson: it has these numbers there, and is undone there.
    pub elsewhere: bool,
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
    /// Whose numbers these are. Not told: whoever asks may not know of that project.
    #[serde(skip)]
    pub project: ProjectId,
}

/// One field of a lesson, before and after.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Field {
    pub name: String,
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

/// What a lesson said, and says.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LessonVersions {
    pub lesson: Id<LessonId>,
    /// Newest first, as many as are kept.
    pub versions: Vec<LessonVersion>,
}

/// What a lesson said from a moment on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LessonVersion {
    /// Counts up from 1.
    pub version: u32,
    pub at: Time,
    pub actor: String,
    pub because: String,
    /// The version that it repeats.
    pub restored_from: Option<u32>,
    pub kind: Word<Kind>,
    pub category: Option<String>,
    /// Null if its words were forgotten for good.
    pub text: Option<String>,
    pub rule: Option<String>,
    pub detail: Option<String>,
    pub applies_when: Option<String>,
    pub repair: Option<String>,
}

impl From<&Version> for LessonVersion {
    fn from(version: &Version) -> Self {
        let Guidance { rule, detail, applies_when, repair, .. } = version.lesson.guidance.clone();
        LessonVersion {
            version: version.number,
            at: Time(version.at),
            actor: version.actor.clone(),
            because: version.because.clone(),
            restored_from: version.restored_from,
            kind: Word(version.lesson.kind),
            category: version.lesson.category.clone(),
            text: version.lesson.text.body().map(str::to_owned),
            rule,
            detail,
            applies_when,
            repair,
        }
    }
}

impl Entry {
    /// An entry as this project sees it.
    pub fn of(entry: &change::Entry, project: &ProjectId) -> Self {
        let fields = fields::changed(&entry.change);
        Entry {
            sequence: entry.sequence,
            operation: entry.operation.0,
            elsewhere: entry.project != *project,
            command: entry.head.command.clone(),
            actor: entry.head.actor.clone(),
            at: Time(entry.head.at),
            undoes: entry.head.undoes.map(|operation| operation.0),
            change: change_word(&entry.change),
            lesson: entry.change.lesson().cloned().map(Id),
            because: because(&entry.change),
            line: line(&entry.change, &fields),
            fields,
            project: entry.project.clone(),
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
        Change::AddConsultation { .. } => format!("{because} begun"),
        Change::EditConsultation { .. } => format!("{because} ended"),
        Change::AddEffect { effect } => format!("{} {because}", effect.lesson),
        Change::RemoveEffect { effect } => format!("{} no longer {because}", effect.lesson),
        Change::AddTombstone { tombstone } | Change::RemoveTombstone { tombstone } => {
            format!("{} {because}", tombstone.lesson)
        }
        Change::EditProject { .. } | Change::EditFile { .. } => because,
        Change::Erase { erasure } => {
            format!("{} {because}", erasure.lesson).trim_start().to_owned()
        }
        change => match change_word(change).split_once('_') {
            Some(("add", _)) => format!("{because} added"),
            Some(("remove", _)) => format!("{because} removed"),
            _ => format!("{because} changed"),
        },
    }
}
