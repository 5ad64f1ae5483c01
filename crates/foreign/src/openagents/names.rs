//! What new lessons are called in OpenAgents' files: ids of the shape that its memories
//! had, `mem-TIME-WORD`, made from the lesson itself and never given twice.

use std::collections::BTreeSet;

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_core::digest::{base32, sha256};
use hardwon_core::lesson::Lesson;

use super::OpenagentsLayout;
use super::translate::is_own;
use crate::store::Rows;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The changes, with an id of OpenAgents' for every new lesson.
pub(super) fn named(batch: &Batch, rows: &Rows<OpenagentsLayout>, tables: &Tables) -> Vec<Change> {
    // What comes from another layout has the name it had there.
    let keeps = matches!(batch.head.command.as_str(), "export" | "import" | "undo");
    let aliases = tables.lessons.values().flat_map(|lesson| &lesson.aliases);
    let mut taken: BTreeSet<String> =
        rows.records().map(|record| record.id.clone()).chain(aliases.cloned()).collect();
    let mut changes = batch.changes.clone();
    for change in &mut changes {
        let Change::AddLesson { lesson, .. } = change else { continue };
        // An id that another record has already names that one.
        lesson.aliases.retain(|alias| !is_own(alias) || !taken.contains(alias));
        if !(keeps && lesson.aliases.iter().any(|alias| is_own(alias))) {
            let id = new_id(lesson, &taken);
            lesson.aliases.insert(0, id);
        }
        taken.extend(lesson.aliases.iter().cloned());
    }
    changes
}

fn new_id(lesson: &Lesson, taken: &BTreeSet<String>) -> String {
    let time = base36(lesson.created_at.0.max(0) as u64);
    let hash = base32(&sha256(&[lesson.id.as_str()]));
    let ids = (6..=hash.len()).map(|length| format!("mem-{time}-{}", &hash[..length]));
    let mut free = ids.filter(|id| !taken.contains(id));
    free.next().unwrap_or_else(|| format!("mem-{time}-{hash}-{}", taken.len()))
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        digits.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(base36(0), "0");
        assert_eq!(base36(36 * 36 + 35), "10z");
    }
}
