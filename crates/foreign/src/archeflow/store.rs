//! The folder as a store: reads are the memory store's, a write goes through the lock.

use hardwon_core::change::{Batch, Change, Entry, Tombstone};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_store::{
    Access, Fault, FindingQuery, JournalQuery, LessonQuery, ProjectQuery, ProjectStatus, Proposals,
    Rebuilt, Revision, RunQuery, Scoured, Search, Store, StoreError, Tree, Visit,
};

use super::files::{Files, JOURNAL, LESSONS};
use super::{ArcheflowStore, INJECTION_WAIT, WRITE_WAIT};
use crate::reads::reads_of_memory;

impl Store for ArcheflowStore {
    reads_of_memory!();

    fn apply(
        &mut self,
        batch: &Batch,
        expected: Option<Revision>,
    ) -> Result<OperationId, StoreError> {
        if self.access == Access::Read {
            let detail = "it was opened for reading only".to_owned();
            return Err(StoreError::Unusable { path: self.folder.base().to_owned(), detail });
        }
        let is_memory = batch.changes.iter().any(Change::touches_memory);
        let wait = if is_memory { WRITE_WAIT } else { INJECTION_WAIT };
        let lock = self.folder.lock(LESSONS, wait).map_err(|error| self.trouble(error))?;
        self.folder.sweep(LESSONS);
        self.folder.sweep(JOURNAL);
        let now = Files::read(&self.folder).map_err(|error| self.trouble(error))?;
        if now != self.files {
            self.load()?;
            if expected.is_some() {
                return Err(StoreError::Conflict);
            }
        }
        if expected.is_some_and(|expected| {
            self.memory.status(&self.project).is_ok_and(|status| status.revision != expected)
        }) {
            return Err(StoreError::Conflict);
        }
        let operation = self.write(batch, is_memory)?;
        drop(lock);
        Ok(operation)
    }

    /// Mends the journal: a torn end is taken away, a damaged file put aside.
    fn rebuild(&mut self) -> Result<Rebuilt, StoreError> {
        let lock = self.folder.lock(LESSONS, WRITE_WAIT).map_err(|error| self.trouble(error))?;
        self.load()?;
        let mut rebuilt = self.memory.rebuild()?;
        if self.is_journal_cut() {
            self.mend_journal().map_err(|error| self.trouble(error))?;
            self.load()?;
            rebuilt.done.push("hardwon.jsonl mended".to_owned());
        }
        drop(lock);
        Ok(rebuilt)
    }
}
