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

/// Operations that are neither an undo nor undone, in the order in which they began.
pub fn standing(entries: Vec<Entry>, project: &ProjectId) -> Vec<Operation> {
    let undos = Undos::of(&entries);
    let mut places: BTreeMap<(ProjectId, OperationId), usize> = BTreeMap::new();
    let mut operations: Vec<Operation> = Vec::new();
    for entry in entries {
        let is_undone = undos.standing_undo_of(&entry.project, entry.operation).is_some();
        if entry.head.undoes.is_some() || is_undone {
            continue;
        }
        let change = entry.change.clone();
        let place = places.entry((entry.project.clone(), entry.operation));
        let is_own = entry.project == *project;
        let at = *place.or_insert_with(|| {
            operations.push(Operation { first: entry, is_own, changes: Vec::new() });
            operations.len() - 1
        });
        operations[at].changes.push(change);
    }
    operations
}
