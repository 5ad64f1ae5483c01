//! The index of a folder of notes, made of the lessons that have a file: our lines follow them,
//! and lines of others stay, except that of a note which leaves.

use hardwon_core::change::Change;
use hardwon_core::notes::IndexLine;
use hardwon_core::notes::policy::IndexLimits;
use hardwon_core::notes::set::NoteSet;
use hardwon_readers::{MemoryIndex, TopicFile};

use super::notes::INDEX;
use super::{JkzLayout, TOPICS};
use crate::store::layout::{Layout, Shelf};
use crate::store::{FileWrite, Write, Writing};

const SHELF: &Shelf = &JkzLayout::SHELVES[TOPICS];

/// The index after these writes; nothing if it stays as it is.
pub(super) fn writes(writing: &Writing<'_, JkzLayout>, planned: &[FileWrite]) -> Vec<FileWrite> {
    let Some(before) = &writing.rows.side else { return Vec::new() };
    let is_edited = |change: &Change| matches!(change, Change::EditFile { .. });
    if writing.changes.iter().any(is_edited) {
        // Whoever edits the files edits the index with them.
        return Vec::new();
    }
    let mut text = before.clone();
    let limits = &writing.context.policy.notes.limits;
    let own = planned.iter().filter(|write| SHELF.has_file(&write.name));
    for FileWrite { name, write, .. } in own {
        let index = MemoryIndex::parse(&text);
        let is_listed = index.entries.iter().any(|line| line.file == *name);
        text = match write {
            Write::Remove | Write::SetAside => without(&index, name),
            Write::Replace(bytes) if !is_listed => match with(&index, name, bytes, limits) {
                Some(text) => text,
                None => continue,
            },
            Write::Replace(_) | Write::Append(_) | Write::Log(_) => continue,
        };
    }
    if text == *before {
        return Vec::new();
    }
    vec![FileWrite::of_project(INDEX, Write::Replace(text.into_bytes()))]
}

/// A line that leads nowhere is of no use to anybody.
fn without(index: &MemoryIndex<'_>, file: &str) -> String {
    let lines = index.entries.iter().filter(|line| line.file == file).map(|line| line.line);
    index.without_lines(&lines.collect::<Vec<_>>())
}

/// A note that finds no room in the index is a file without a line, which `jkz check` tells.
fn with(index: &MemoryIndex<'_>, file: &str, bytes: &[u8], limits: &IndexLimits) -> Option<String> {
    let topic = TopicFile::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    let line: IndexLine = NoteSet::line_for(&topic.note(file));
    index.with_line(&line, limits).ok()
}
