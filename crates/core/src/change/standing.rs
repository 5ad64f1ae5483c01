//! What stands of a journal: operations that are neither an undo nor undone, in order.

use std::collections::BTreeMap;

use super::{Change, Entry, Undos};
use crate::ids::{OperationId, ProjectId};

/// One operation of the journal that was not undone.
pub struct Operation {
    pub first: Entry,
    /// By this project, not another one's change of a global lesson.
    pub is_own: bool,
    pub changes: Vec<Change>,
}

/// Operations that are neither an undo nor undone.
pub fn standing(entries: Vec<Entry>, project: &ProjectId) -> Vec<Operation> {
    let undos = Undos::of(&entries);
    let mut operations: BTreeMap<OperationId, Operation> = BTreeMap::new();
    for entry in entries {
        let is_undone = undos.standing_undo_of(entry.operation).is_some();
        if entry.head.undoes.is_some() || is_undone {
            continue;
        }
        let change = entry.change.clone();
        let operation = operations.entry(entry.operation);
        let is_own = entry.project == *project;
        let begun = || Operation { first: entry, is_own, changes: Vec::new() };
        operation.or_insert_with(begun).changes.push(change);
    }
    operations.into_values().collect()
}
