//! What was done, by whom and why: `history`, `undo`.

use super::columns::hanging;
use crate::answer::{Entry, History, LessonVersion, LessonVersions, Undone};
use crate::record::counted;

/// Entries under the head of their operation, in the order they come.
pub fn history(history: &History, width: usize) -> String {
    if history.entries.is_empty() {
        "no history\n".to_owned()
    } else {
        grouped("", &history.entries, width)
    }
}

/// `history --versions`.
pub fn versions(versions: &LessonVersions, width: usize) -> String {
    let line = |version: &LessonVersion| {
        let head =
            format!("version {}, {}, {}", version.version, version.at.date(), version.because);
        let text = version.text.as_deref().unwrap_or("(forgotten for good)");
        hanging("", &head, width) + &hanging("  ", text, width)
    };
    versions.versions.iter().map(line).collect()
}

pub fn undo(undone: &Undone, width: usize) -> String {
    let ids: Vec<String> = undone.lessons.iter().map(ToString::to_string).collect();
    let lessons = match ids.len() {
        0 => String::new(),
        n => format!("; it had touched {}: {}", counted(n as u64, "lesson"), ids.join(", ")),
    };
    let text = format!("operation {} ({}) undone{lessons}", undone.operation, undone.command);
    hanging("", &text, width)
}

pub(super) fn grouped(margin: &str, entries: &[Entry], width: usize) -> String {
    let mut out = String::new();
    let mut operation = None;
    for entry in entries {
        if operation != Some((&entry.project, entry.operation)) {
            operation = Some((&entry.project, entry.operation));
            out += &hanging(margin, &operation_head(entry), width);
        }
        out += &hanging(&format!("{margin}  "), &entry.line, width);
    }
    out
}

fn operation_head(entry: &Entry) -> String {
    let undoes = entry.undoes.map_or(String::new(), |id| format!(", undoes operation {id}"));
    let whose = if entry.elsewhere { " of another project" } else { "" };
    format!(
        "operation {}{whose}, {}: {} by {}{undoes}",
        entry.operation, *entry.at, entry.command, entry.actor
    )
}
