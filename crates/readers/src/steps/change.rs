//! What does an edit do to its file? Hosts state it as old and new text, as a list of those, as
//! the whole new file, or as a patch.

use hardwon_core::event::TextChange;
use serde_json::Value;

use crate::report::cut;

/// Most of a change that is looked at, in bytes each way.
const MAX_BYTES: usize = 8 << 10;

const REMOVED: &[&str] = &["old_string", "old_str", "old_text", "search"];
const ADDED: &[&str] = &["new_string", "new_str", "new_text", "replace", "content", "file_text"];

/// The changes of a call, one for each file.
pub fn changes(arguments: &Value) -> Vec<TextChange> {
    if let Some(edits) = arguments["edits"].as_array() {
        let all = edits.iter().map(one).reduce(|a, b| TextChange {
            removed: a.removed + "\n" + &b.removed,
            added: a.added + "\n" + &b.added,
        });
        return all.map(bounded).into_iter().collect();
    }
    let patch = ["input", "patch", "diff"].iter().find_map(|name| arguments[*name].as_str());
    let all = match patch.or(arguments.as_str()) {
        Some(patch) => patched(patch),
        None => vec![bounded(one(arguments))],
    };
    let is_told = all.iter().any(|change| *change != TextChange::default());
    if is_told { all } else { Vec::new() }
}

fn one(fields: &Value) -> TextChange {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| fields[*name].as_str());
        found.unwrap_or_default().to_owned()
    };
    TextChange { removed: text(REMOVED), added: text(ADDED) }
}

/// The lines that a patch takes away and puts there, file by file.
fn patched(patch: &str) -> Vec<TextChange> {
    let mut files: Vec<TextChange> = Vec::new();
    for line in patch.lines() {
        let is_file =
            line.starts_with("*** ") && line.contains(" File: ") || line.starts_with("+++ ");
        if is_file {
            files.push(TextChange::default());
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        let (side, text) = match line.split_at_checked(1) {
            Some(("-", text)) if !line.starts_with("---") => (&mut file.removed, text),
            Some(("+", text)) => (&mut file.added, text),
            _ => continue,
        };
        side.push_str(text);
        side.push('\n');
    }
    files.into_iter().map(bounded).collect()
}

fn bounded(change: TextChange) -> TextChange {
    let part = |text: &str| cut(text, MAX_BYTES).to_owned();
    TextChange { removed: part(&change.removed), added: part(&change.added) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn changes_are_read_in_every_form() {
        let change = |removed: &str, added: &str| TextChange {
            removed: removed.to_owned(),
            added: added.to_owned(),
        };
        let edit = json!({"file_path": "a.go", "old_string": "a", "new_string": "b"});
        assert_eq!(changes(&edit), [change("a", "b")]);
        let many = json!({"edits": [{"old_string": "a", "new_string": "b"},
            {"old_string": "c", "new_string": "d"}]});
        assert_eq!(changes(&many), [change("a\nc", "b\nd")]);
        let write = json!({"file_path": "a.go", "content": "all"});
        assert_eq!(changes(&write), [change("", "all")]);
        let patch =
            "*** Begin Patch\n*** Update File: a.go\n@@\n-a\n+b\n c\n*** Add File: b.go\n+d\n";
        assert_eq!(changes(&json!({"input": patch})), [change("a\n", "b\n"), change("", "d\n")]);
        assert_eq!(changes(&json!(patch)).len(), 2);
    }
}
