//! What was done, by whom and why: `history`, `undo`.

use hardwon_core::answer::{History, Undone};
use hardwon_core::change::{Change, Entry};

use super::columns::hanging;
use crate::fields::{FieldChange, changed};
use crate::record::counted;
use crate::story::because;

/// Entries under the head of their operation, in the order they come.
pub fn history(history: &History, width: usize) -> String {
    match history.entries.is_empty() {
        true => "no history\n".to_owned(),
        false => grouped("", &history.entries, width),
    }
}

/// `undo`.
pub fn undo(undone: &Undone, width: usize) -> String {
    let ids: Vec<String> = undone.lessons.iter().map(ToString::to_string).collect();
    let lessons = match ids.len() {
        0 => String::new(),
        n => format!("; it had touched {}: {}", counted(n as u64, "lesson"), ids.join(", ")),
    };
    let text = format!("operation {} ({}) taken back{lessons}", undone.operation, undone.command);
    hanging("", &text, width)
}

pub(super) fn grouped(margin: &str, entries: &[Entry], width: usize) -> String {
    let mut out = String::new();
    let mut operation = None;
    for entry in entries {
        if operation != Some(entry.operation) {
            operation = Some(entry.operation);
            out += &hanging(margin, &operation_head(entry), width);
        }
        out += &hanging(&format!("{margin}  "), &change_line(&entry.change), width);
    }
    out
}

fn operation_head(entry: &Entry) -> String {
    let head = &entry.head;
    let undoes = head.undoes.map_or(String::new(), |id| format!(", undoes operation {id}"));
    format!(
        "operation {}, {}: {} by {}{undoes}",
        entry.operation, head.at, head.command, head.actor
    )
}

fn change_line(change: &Change) -> String {
    let because = because(change);
    match change {
        Change::AddLesson { lesson, .. } => {
            format!("{} new {} {}: {because}", lesson.id, lesson.state, lesson.kind)
        }
        Change::RemoveLesson { lesson, .. } => format!("{} taken back: {because}", lesson.id),
        Change::EditLesson { lesson, .. } => format!("{lesson} {}: {because}", fields(change)),
        Change::AddRun { .. } | Change::AddFinding { .. } | Change::AddInjection { .. } => {
            format!("{because} added")
        }
        Change::EditRun { .. } | Change::EditFinding { .. } => format!("{because} changed"),
        Change::RemoveRun { .. }
        | Change::RemoveFinding { .. }
        | Change::RemoveInjection { .. } => format!("{because} taken back"),
        Change::AddEffect { effect } => format!("{} {because}", effect.lesson),
        Change::RemoveEffect { effect } => format!("{} no longer {because}", effect.lesson),
        Change::AddTombstone { tombstone } | Change::RemoveTombstone { tombstone } => {
            format!("{} {because}", tombstone.lesson)
        }
        Change::EditProject { .. } => because,
        Change::Erase { erasure } => format!("{} {because}", erasure.lesson),
    }
}

fn fields(change: &Change) -> String {
    let fields = changed(change);
    fields.iter().map(FieldChange::told).collect::<Vec<_>>().join("; ")
}
