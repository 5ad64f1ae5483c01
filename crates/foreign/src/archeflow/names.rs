//! New lessons in ArcheFlow's files: ids that count up and are never given twice, and tags
//! for what was stated there.

use std::collections::BTreeSet;

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_readers::{archeflow_id, archeflow_line_id, archeflow_number, archeflow_tags};

use super::ArcheflowLayout;
use crate::store::Rows;
use crate::store::layout::{Layout, Namer, is_stated};

/// Ids count up over the archive and unusable lines too, so that none is ever given twice.
pub(super) fn namer(batch: &Batch, rows: &Rows<ArcheflowLayout>, tables: &Tables) -> Namer {
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
    let is_stated = is_stated(batch);
    Box::new(move |lesson, _| {
        if !lesson.aliases.iter().any(|alias| ArcheflowLayout::is_id(alias)) {
            highest += 1;
            lesson.aliases.insert(0, archeflow_id(highest));
        }
        if is_stated && lesson.tags.is_empty() {
            let mut seen = BTreeSet::new();
            lesson.tags = archeflow_tags(lesson.text.as_str());
            lesson.tags.retain(|tag| seen.insert(tag.clone()));
        }
    })
}
