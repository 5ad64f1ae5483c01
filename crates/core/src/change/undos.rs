//! Which operations were undone, and which of those undos still hold?

use std::collections::{BTreeMap, BTreeSet};

use super::Entry;
use crate::ids::OperationId;

/// Which operations were undone, by which; an undo can be undone itself.
pub struct Undos(BTreeMap<OperationId, BTreeSet<OperationId>>);

impl Undos {
    pub fn of(entries: &[Entry]) -> Self {
        let mut undos: BTreeMap<OperationId, BTreeSet<OperationId>> = BTreeMap::new();
        for entry in entries {
            if let Some(target) = entry.head.undoes {
                undos.entry(target).or_default().insert(entry.operation);
            }
        }
        Undos(undos)
    }

    /// The undo of an operation that was not undone in turn. An undo is younger than
    /// what it undoes, so this ends.
    pub fn standing_undo_of(&self, operation: OperationId) -> Option<OperationId> {
        let undos = self.0.get(&operation)?;
        undos.iter().copied().find(|undo| self.standing_undo_of(*undo).is_none())
    }

    /// Later operations that still stand: neither an undo nor undone.
    pub fn standing_operations(&self, later: &[Entry]) -> Vec<String> {
        let stands = |entry: &&Entry| {
            entry.head.undoes.is_none() && self.standing_undo_of(entry.operation).is_none()
        };
        let mut seen: BTreeSet<OperationId> = BTreeSet::new();
        let first_of_each =
            later.iter().filter(stands).filter(|entry| seen.insert(entry.operation));
        first_of_each.map(|entry| format!("{} ({})", entry.operation, entry.head.command)).collect()
    }
}
