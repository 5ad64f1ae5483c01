//! What new lessons are called in ArcheFlow's files: ids that count up and are never
//! given twice, and tags for what was stated there.

use std::collections::BTreeSet;

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_readers::{archeflow_id, archeflow_line_id, archeflow_number, archeflow_tags};

use super::ArcheflowLayout;
use super::translate::unique;
use crate::store::Rows;

/// The changes, with an id and tags of ArcheFlow's for every new lesson. Ids count up
/// over the archive too, so that none is ever given twice.
pub(super) fn named(batch: &Batch, rows: &Rows<ArcheflowLayout>, tables: &Tables) -> Vec<Change> {
    // What comes from another layout has the tags it had there.
    let is_stated = !matches!(batch.head.command.as_str(), "export" | "import" | "undo");
    let in_files = rows.lines().filter_map(|line| match &line.record {
        Some(record) => archeflow_number(&record.id),
        None => archeflow_number(&archeflow_line_id(&line.raw)?),
    });
    let added = batch.changes.iter().filter_map(|change| match change {
        Change::AddLesson { lesson, .. } => Some(&**lesson),
        _ => None,
    });
    let lessons = tables.lessons.values().chain(added);
    let known = lessons.flat_map(|l| l.aliases.iter().filter_map(|a| archeflow_number(a)));
    let mut highest = u64::from(in_files.chain(known).max().unwrap_or(0));
    let mut taken: BTreeSet<String> = taken_ids(rows, tables);
    let mut changes = batch.changes.clone();
    for change in &mut changes {
        let Change::AddLesson { lesson, .. } = change else { continue };
        // An id that another record has already names that one.
        lesson.aliases.retain(|alias| archeflow_number(alias).is_none() || !taken.contains(alias));
        let is_named = lesson.aliases.iter().any(|alias| archeflow_number(alias).is_some());
        if !is_named {
            highest += 1;
            lesson.aliases.insert(0, archeflow_id(highest));
        }
        taken.extend(lesson.aliases.iter().cloned());
        if is_stated && lesson.tags.is_empty() {
            lesson.tags = unique(archeflow_tags(lesson.text.as_str()));
        }
    }
    changes
}

/// Ids that stand in the files or are some lesson's name.
fn taken_ids(rows: &Rows<ArcheflowLayout>, tables: &Tables) -> BTreeSet<String> {
    let in_files = rows.records().map(|record| record.id.clone());
    let lessons = tables.lessons.values();
    in_files.chain(lessons.flat_map(|lesson| lesson.aliases.clone())).collect()
}
