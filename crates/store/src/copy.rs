//! How does memory move from one store to another? By its journal: every entry is written anew, in
//! the order in which it was written, through the same door as everything else. What is there already
//! is compared and passed over, so that a copy that was broken off goes on where it ended, and one that
//! is made again brings what came since.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hardwon_core::change::{Batch, Change, Entry, OperationHead};
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::ids::{OperationId, ProjectId};

use crate::{JournalQuery, Result, Store};

/// What a copy did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub n_projects: u64,
    pub n_entries: u64,
    /// How many of them an earlier copy had brought.
    pub n_known: u64,
}

/// Why two stores are not copies of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub project: ProjectId,
    /// The entry at which they part, counted from one within the project.
    pub at: u64,
}

/// Called now and then with the number of entries that were looked at.
pub type Watch<'a> = &'a mut dyn FnMut(u64);

/// Entries between two calls of a [`Watch`].
const WATCHED_EVERY: u64 = 1_000;

/// What is there of a project: the entries that were not compared yet, and which operation became
/// which.
#[derive(Default)]
struct Here {
    entries: VecDeque<(OperationId, String)>,
    n_compared: u64,
    operations: BTreeMap<OperationId, OperationId>,
}

impl Here {
    /// What an operation became. One that is unknown was of a project whose journal is not whole.
    fn operation(&self, id: OperationId) -> OperationId {
        self.operations.get(&id).copied().unwrap_or(id)
    }
}

/// Brings everything from one store to another that has nothing, or a part of the same.
///
/// Gives a [`Difference`] where the other store holds what this one does not: then nothing that comes
/// after it was written.
pub fn copy(
    from: &dyn Store,
    to: &mut dyn Store,
    watch: Watch<'_>,
) -> Result<std::result::Result<Copied, Difference>> {
    let mut here = entries_by_project(to)?;
    let mut copied = Copied::default();
    let mut projects: BTreeMap<ProjectId, u64> = BTreeMap::new();
    let mut waiting: Option<Waiting> = None;
    let mut parted = None;
    from.each_entry(&mut |entry| {
        let number = projects.entry(entry.project.clone()).or_default();
        *number += 1;
        copied.n_entries += 1;
        if copied.n_entries.is_multiple_of(WATCHED_EVERY) {
            watch(copied.n_entries);
        }
        let known = here.entry(entry.project.clone()).or_default();
        if let Some((operation, print)) = known.entries.pop_front() {
            if print != print_of(&entry) {
                parted = Some(Difference { project: entry.project, at: *number });
                return Ok(false);
            }
            known.operations.insert(entry.operation, operation);
            known.n_compared += 1;
            copied.n_known += 1;
            return Ok(true);
        }
        Waiting::take(&mut waiting, entry, to, &mut here)?;
        Ok(true)
    })?;
    if let Some(parted) = parted {
        return Ok(Err(parted));
    }
    if let Some(batch) = waiting {
        batch.write(to, &mut here)?;
    }
    copied.n_projects = projects.len() as u64;
    let more = here.into_iter().find(|(_, here)| !here.entries.is_empty());
    let more = more.map(|(project, here)| Difference { project, at: here.n_compared + 1 });
    Ok(more.map_or(Ok(copied), Err))
}

/// Brings one project, and what all projects see, to a store that holds nothing but such a copy. Reads
/// only what is new, so that it costs little to do it often. Gives the number of new entries.
///
/// `StoreError::Mismatch` if that does not fit what is there: then a new copy has to be made.
pub fn copy_project(from: &dyn Store, to: &mut dyn Store, project: &ProjectId) -> Result<u64> {
    let there = to.journal(project, &JournalQuery::default())?;
    let is_own = |entry: &&Entry| entry.project == *project;
    let operations: BTreeSet<OperationId> =
        there.iter().filter(is_own).map(|entry| entry.operation).collect();
    // Operations of a project are numbered from one where nobody waits for another.
    let after = OperationId(operations.len() as u64);
    let mut known: Vec<String> =
        there.iter().filter(|entry| entry.project != *project).map(print_of).collect();
    let query = JournalQuery { after: Some(after), ..JournalQuery::default() };
    let mut here: BTreeMap<ProjectId, Here> = BTreeMap::new();
    here.entry(project.clone()).or_default().operations =
        (1..).map(OperationId).zip(operations).collect();
    let mut n_new = 0;
    let mut waiting: Option<Waiting> = None;
    for entry in from.journal(project, &query)? {
        if let Some(at) = known.iter().position(|print| *print == print_of(&entry)) {
            known.swap_remove(at);
            continue;
        }
        n_new += 1;
        Waiting::take(&mut waiting, entry, to, &mut here)?;
    }
    if let Some(batch) = waiting {
        batch.write(to, &mut here)?;
    }
    Ok(n_new)
}

/// Whether two stores tell the same of every project, entry for entry.
pub fn compare(left: &dyn Store, right: &dyn Store) -> Result<Option<Difference>> {
    let (left, mut right) = (entries_by_project(left)?, entries_by_project(right)?);
    for (project, mine) in left {
        let theirs = right.remove(&project).unwrap_or_default();
        let n_same =
            mine.entries.iter().zip(&theirs.entries).take_while(|(a, b)| a.1 == b.1).count();
        if n_same < mine.entries.len().max(theirs.entries.len()) {
            return Ok(Some(Difference { project, at: n_same as u64 + 1 }));
        }
    }
    Ok(right.into_keys().next().map(|project| Difference { project, at: 1 }))
}

/// Entries that belong together and are to be written.
struct Waiting {
    project: ProjectId,
    operation: OperationId,
    head: OperationHead,
    changes: Vec<Change>,
}

impl Waiting {
    /// Puts an entry to those it belongs to; otherwise these are written, and it waits in their place.
    fn take(
        waiting: &mut Option<Waiting>,
        entry: Entry,
        to: &mut dyn Store,
        here: &mut BTreeMap<ProjectId, Here>,
    ) -> Result<()> {
        let Entry { sequence: _, operation, project, head, change } = entry;
        match waiting {
            Some(it) if (&it.project, it.operation) == (&project, operation) => {
                it.changes.push(change);
                Ok(())
            }
            _ => {
                let next = Waiting { project, operation, head, changes: vec![change] };
                waiting.replace(next).map_or(Ok(()), |before| before.write(to, here))
            }
        }
    }

    fn write(self, to: &mut dyn Store, here: &mut BTreeMap<ProjectId, Here>) -> Result<()> {
        let known = here.entry(self.project.clone()).or_default();
        let undoes = self.head.undoes.map(|id| known.operation(id));
        let batch = Batch {
            project: self.project,
            head: OperationHead { undoes, ..self.head },
            continues: known.operations.get(&self.operation).copied(),
            changes: self.changes,
        };
        let became = to.apply(&batch, None)?;
        known.operations.insert(self.operation, became);
        Ok(())
    }
}

fn entries_by_project(store: &dyn Store) -> Result<BTreeMap<ProjectId, Here>> {
    let mut found: BTreeMap<ProjectId, Here> = BTreeMap::new();
    store.each_entry(&mut |entry| {
        let print = print_of(&entry);
        found.entry(entry.project).or_default().entries.push_back((entry.operation, print));
        Ok(true)
    })?;
    Ok(found)
}

/// What an entry says, without the numbers that each store gives.
fn print_of(entry: &Entry) -> String {
    let change = serde_json::to_string(&entry.change).expect("a change can be written as JSON");
    let OperationHead { command, actor, at, undoes } = &entry.head;
    let said = format!("{command}\0{actor}\0{}\0{}\0{change}", at.0, undoes.is_some());
    sha256_of_bytes(said.as_bytes())
}
