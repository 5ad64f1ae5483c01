//! The folder as a store: its files were read into a memory store, and that one answers;
//! what changes anything goes through the system's lock.

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

use super::files::Files;
use super::{FolderStore, INJECTION_WAIT, WRITE_WAIT};
use crate::store::layout::Layout;

impl<L: Layout> Store for FolderStore<L> {
    fn status(&self, project: &ProjectId) -> Result<ProjectStatus, StoreError> {
        self.memory.status(project)
    }

    fn lessons(&self, project: &ProjectId, query: &LessonQuery) -> Result<Vec<Lesson>, StoreError> {
        self.memory.lessons(project, query)
    }

    fn is_taken(&self, id: &LessonId) -> Result<bool, StoreError> {
        self.memory.is_taken(id)
    }

    fn search(&self, project: &ProjectId, search: &Search) -> Result<Proposals, StoreError> {
        self.memory.search(project, search)
    }

    fn tree(&self, project: &ProjectId, run: &RunId) -> Result<Tree, StoreError> {
        self.memory.tree(project, run)
    }

    fn numbered_runs(
        &self,
        project: &ProjectId,
        from: u64,
        to: u64,
    ) -> Result<Vec<Run>, StoreError> {
        self.memory.numbered_runs(project, from, to)
    }

    fn runs(&self, project: &ProjectId, query: &RunQuery) -> Result<Vec<Run>, StoreError> {
        self.memory.runs(project, query)
    }

    fn findings(
        &self,
        project: &ProjectId,
        query: &FindingQuery,
    ) -> Result<Vec<Finding>, StoreError> {
        self.memory.findings(project, query)
    }

    fn effects(
        &self,
        project: &ProjectId,
        lessons: &[LessonId],
    ) -> Result<Vec<(ProjectId, Effect)>, StoreError> {
        self.memory.effects(project, lessons)
    }

    fn injections(
        &self,
        project: &ProjectId,
        lesson: &LessonId,
    ) -> Result<Vec<Injection>, StoreError> {
        self.memory.injections(project, lesson)
    }

    fn journal(&self, project: &ProjectId, query: &JournalQuery) -> Result<Vec<Entry>, StoreError> {
        self.memory.journal(project, query)
    }

    fn tombstones(&self, project: &ProjectId) -> Result<Vec<Tombstone>, StoreError> {
        self.memory.tombstones(project)
    }

    fn projects(&self, query: &ProjectQuery) -> Result<Vec<Project>, StoreError> {
        self.memory.projects(query)
    }

    fn scour(&mut self, _deep: bool) -> Result<Scoured, StoreError> {
        let not_done = vec!["another system's files are not ours to scour".to_owned()];
        Ok(Scoured { not_done, ..Scoured::default() })
    }

    fn check(&self) -> Result<Vec<Fault>, StoreError> {
        self.memory.check()
    }

    fn every_text(&self, visit: Visit<'_>) -> Result<(), StoreError> {
        self.memory.every_text(visit)
    }

    fn apply(
        &mut self,
        batch: &Batch,
        expected: Option<Revision>,
    ) -> Result<OperationId, StoreError> {
        if self.access == Access::Read {
            let detail = "it was opened for reading only".to_owned();
            return Err(StoreError::Unusable { path: self.place.base.base().to_owned(), detail });
        }
        let is_memory = batch.changes.iter().any(Change::touches_memory);
        let wait = if is_memory { WRITE_WAIT } else { INJECTION_WAIT };
        let locks = self.lock(&batch.changes, wait)?;
        self.sweep();
        let now = Files::read::<L>(&self.place).map_err(|error| self.trouble(error))?;
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
        drop(locks);
        Ok(operation)
    }

    /// Mends the journal: a torn end is taken away, a damaged file put aside.
    fn rebuild(&mut self) -> Result<Rebuilt, StoreError> {
        let locks = self.lock(&[], WRITE_WAIT)?;
        self.load()?;
        let mut rebuilt = self.memory.rebuild()?;
        if self.is_journal_cut() {
            self.mend_journal().map_err(|error| self.trouble(error))?;
            self.load()?;
            rebuilt.done.push("hardwon.jsonl repaired".to_owned());
        }
        drop(locks);
        Ok(rebuilt)
    }
}
