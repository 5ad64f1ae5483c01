//! What every foreign store reads: its files were read into a memory store, and that one
//! answers.

/// The reads of a store that keeps all of it in a memory store called `memory`.
macro_rules! reads_of_memory {
    () => {
        fn status(&self, project: &ProjectId) -> Result<ProjectStatus, StoreError> {
            self.memory.status(project)
        }

        fn lessons(
            &self,
            project: &ProjectId,
            query: &LessonQuery,
        ) -> Result<Vec<Lesson>, StoreError> {
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

        fn journal(
            &self,
            project: &ProjectId,
            query: &JournalQuery,
        ) -> Result<Vec<Entry>, StoreError> {
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
    };
}
pub(crate) use reads_of_memory;
