//! The folder as a store: its files were read into a memory store, and that one answers;
//! what changes anything goes through the system's lock.

use hardwon_core::change::{Batch, Change, Entry, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_core::tally::Counts;
use hardwon_core::totals::Totals;
use hardwon_store::{
    Access, BlockTotals, ConsultationQuery, CountQuery, Fault, FindingQuery, JournalQuery,
    LessonQuery, ProjectQuery, ProjectStatus, Proposals, Rebuilt, Revision, RunQuery, Scoured,
    Search, Store, StoreError, Tree, Visit, VisitEntry,
};

use super::files::{Beside, Files};
use super::outgoing::{Outgoing, is_apart};
use super::{FolderStore, INJECTION_WAIT, WRITE_WAIT};
use crate::store::layout::Layout;

/// Methods that the memory store answers.
macro_rules! answered_by_memory {
    ($($name:ident($($arg:ident: $of:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($arg: $of),*) -> Result<$answer, StoreError> {
            self.memory.$name($($arg),*)
        })*
    };
}

impl<L: Layout> Store for FolderStore<L> {
    answered_by_memory! {
        status(project: &ProjectId) -> ProjectStatus;
        lessons(project: &ProjectId, query: &LessonQuery) -> Vec<Lesson>;
        totals(project: &ProjectId) -> Totals;
        block_totals(project: &ProjectId) -> BlockTotals;
        is_taken(project: &ProjectId, id: &LessonId) -> bool;
        search(project: &ProjectId, search: &Search) -> Proposals;
        consultations(query: &ConsultationQuery) -> Vec<(ProjectId, Consultation)>;
        counts(project: &ProjectId, query: &CountQuery) -> Counts;
        tree(project: &ProjectId, run: &RunId) -> Tree;
        numbered_runs(project: &ProjectId, from: u64, to: u64) -> Vec<Run>;
        runs(project: &ProjectId, query: &RunQuery) -> Vec<Run>;
        findings(project: &ProjectId, query: &FindingQuery) -> Vec<Finding>;
        effects(project: &ProjectId, lessons: &[LessonId]) -> Vec<(ProjectId, Effect)>;
        injections(project: &ProjectId, lesson: &LessonId) -> Vec<Injection>;
        journal(project: &ProjectId, query: &JournalQuery) -> Vec<Entry>;
        tombstones(project: &ProjectId) -> Vec<Tombstone>;
        projects(query: &ProjectQuery) -> Vec<Project>;
        check() -> Vec<Fault>;
        each_entry(visit: VisitEntry<'_>) -> ();
        every_text(visit: Visit<'_>) -> ();
    }

    fn scour(&mut self, _deep: bool) -> Result<Scoured, StoreError> {
        let not_done = vec!["another system's files are not ours to scour".to_owned()];
        Ok(Scoured { not_done, ..Scoured::default() })
    }

    fn apply(
        &mut self,
        batch: &Batch,
        expected: Option<Revision>,
    ) -> Result<OperationId, StoreError> {
        if self.access == Access::Read {
            return Err(self.unusable("it was opened for reading only"));
        }
        // A group may not hold the lock of the user's own lessons.
        let needs_more = batch.changes.iter().any(|change| self.touches_users(change));
        if self.group.is_some() && !is_apart(batch) && !needs_more {
            return self.apply_in_group(batch, expected);
        }
        self.put_group()?;
        let is_memory = batch.changes.iter().any(Change::touches_memory);
        let wait = if is_memory { WRITE_WAIT } else { INJECTION_WAIT };
        let locks = self.lock(&batch.changes, wait)?;
        self.sweep();
        let now = Files::read::<L>(&self.place).map_err(|error| self.trouble(error))?;
        let is_changed = now != self.files;
        if is_changed {
            self.load()?;
        }
        let revision = self.memory.status(&self.project)?.revision;
        if expected.is_some_and(|expected| is_changed || expected != revision) {
            return Err(StoreError::Conflict);
        }
        if !self.is_grouping || is_apart(batch) {
            return self.write(batch, locks);
        }
        self.group = Some(Outgoing::new(locks));
        self.apply_in_group(batch, None)
    }

    fn begin_group(&mut self) {
        self.is_grouping = L::CHANGES_ALONE;
    }

    fn end_group(&mut self) -> Result<(), StoreError> {
        self.is_grouping = false;
        let put = self.put_group();
        let is_lost = std::mem::take(&mut self.is_group_lost);
        put.and(if is_lost { Err(StoreError::Conflict) } else { Ok(()) })
    }

    /// Files that lie beside ours are not read for this, so a layout that has some says nothing.
    fn own_step(&self) -> Option<(String, String)> {
        let opened = self.opened.as_ref().filter(|_| L::BESIDE.is_empty())?;
        let digest = |files: &Files| files.digest_of_all::<L>(&Beside::new());
        Some((digest(opened), digest(&self.files)))
    }

    /// Repairs the journal: a torn end is removed, a damaged file put aside.
    fn rebuild(&mut self) -> Result<Rebuilt, StoreError> {
        let _locks = self.lock(&[], WRITE_WAIT)?;
        self.load()?;
        let mut rebuilt = self.memory.rebuild()?;
        if self.repaired.is_some() {
            self.repair_journal().map_err(|error| self.trouble(error))?;
            self.load()?;
            rebuilt.done.push("hardwon.jsonl repaired".to_owned());
        }
        Ok(rebuilt)
    }
}

impl<L: Layout> FolderStore<L> {
    /// Takes a batch in under the locks of the group: nobody who takes one wrote since.
    fn apply_in_group(
        &mut self,
        batch: &Batch,
        expected: Option<Revision>,
    ) -> Result<OperationId, StoreError> {
        let revision = self.memory.status(&self.project)?.revision;
        if expected.is_some_and(|expected| expected != revision) {
            return Err(StoreError::Conflict);
        }
        let Some(mut group) = self.group.take() else { return Err(StoreError::Conflict) };
        let taken = self.take_in(&mut group, batch);
        let is_full = group.is_full();
        self.group = Some(group);
        if is_full {
            self.put_group()?;
        }
        taken
    }

    fn put_group(&mut self) -> Result<(), StoreError> {
        let put = self.group.take().map_or(Ok(()), |group| self.put(group));
        // Whoever decides the last batch anew knows nothing of those before it.
        self.is_group_lost |= matches!(put, Err(StoreError::Conflict));
        put
    }
}
