//! Which operations were undone, and which of those undos still hold?

use std::collections::{BTreeMap, BTreeSet};

use super::Entry;
use crate::ids::{OperationId, ProjectId};

/// Which operations of each project were undone, by which; an undo can be undone itself. A
/// project takes back only its own, and another one's may have the same number.
pub struct Undos(BTreeMap<ProjectId, BTreeMap<OperationId, BTreeSet<OperationId>>>);

impl Undos {
    pub fn of(entries: &[Entry]) -> Self {
        let mut undos: BTreeMap<_, BTreeMap<_, BTreeSet<_>>> = BTreeMap::new();
        for entry in entries {
            if let Some(target) = entry.head.undoes {
                let own = undos.entry(entry.project.clone()).or_default();
                own.entry(target).or_default().insert(entry.operation);
            }
        }
        Undos(undos)
    }

    /// The undo of an operation that was not undone in turn. An undo is younger than
    /// what it undoes, so this ends.
    pub fn standing_undo_of(
        &self,
        project: &ProjectId,
        operation: OperationId,
    ) -> Option<OperationId> {
        let undos = self.0.get(project)?.get(&operation)?;
        undos.iter().copied().find(|undo| self.standing_undo_of(project, *undo).is_none())
    }

    /// Later operations that still stand, neither an undo nor undone, as this project is told of
    /// them: who the others are is not its business.
    pub fn standing_operations(&self, later: &[Entry], project: &ProjectId) -> Vec<String> {
        let stands = |entry: &&Entry| {
            let undo = self.standing_undo_of(&entry.project, entry.operation);
            entry.head.undoes.is_none() && undo.is_none()
        };
        let mut seen: BTreeSet<(&ProjectId, OperationId)> = BTreeSet::new();
        let mut told = Vec::new();
        for entry in later.iter().filter(stands) {
            if seen.insert((&entry.project, entry.operation)) {
                let whose = if entry.project == *project { "" } else { " of another project" };
                told.push(format!("{}{whose} ({})", entry.operation, entry.head.command));
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Change, OperationHead};
    use crate::project::Project;
    use crate::time::Timestamp;

    fn entry(project: &str, operation: u64, undoes: Option<u64>) -> Entry {
        let project = ProjectId::new(project);
        let bare = Box::new(Project::bare(project.clone()));
        let undoes = undoes.map(OperationId);
        let (command, actor) = ("learn".to_owned(), "ada".to_owned());
        Entry {
            sequence: operation,
            operation: OperationId(operation),
            project,
            head: OperationHead { command, actor, at: Timestamp(0), undoes },
            change: Change::EditProject { before: bare.clone(), after: bare },
        }
    }

    #[test]
    fn another_projects_undo_takes_nothing_back_here() {
        let entries =
            [entry("shop", 1, None), entry("bakery", 1, None), entry("bakery", 2, Some(1))];
        let undos = Undos::of(&entries);
        let undo_in = |project| undos.standing_undo_of(&ProjectId::new(project), OperationId(1));
        assert_eq!(undo_in("shop"), None);
        assert_eq!(undo_in("bakery"), Some(OperationId(2)));
        let told = |project| undos.standing_operations(&entries, &ProjectId::new(project));
        assert_eq!(told("shop"), ["1 (learn)"]);
        assert_eq!(told("yard"), ["1 of another project (learn)"]);
    }
}
