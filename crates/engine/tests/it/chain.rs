//! A chain of runs, each the parent of the next, costs as much as it is long: counted in rows that
//! the store hands out, not in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hardwon_core::change::{Batch, Entry, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::project::Project;
use hardwon_core::tally::Counts;
use hardwon_engine::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_engine::lesson::Lesson;
use hardwon_engine::policy;
use hardwon_engine::run::Run;
use hardwon_store::{
    BlockTotals, ConsultationQuery, CountQuery, Fault, FindingQuery, JournalQuery, LessonQuery,
    MemoryStore, ProjectQuery, ProjectStatus, Proposals, Rebuilt, Result, Revision, RunQuery,
    Scoured, Search, Store, Tree, Visit, VisitEntry,
};
use serde_json::json;

use crate::harness::{Pipeline, run_with, warning};

/// A store that counts the rows of the trees that it hands out.
struct Counting {
    store: MemoryStore,
    n_rows: Arc<AtomicUsize>,
}

impl Store for Counting {
    fn tree(&self, project: &ProjectId, run: &RunId) -> Result<Tree> {
        let tree = self.store.tree(project, run)?;
        let Tree { runs, findings, injections, effects } = &tree;
        let n_rows = runs.len() + findings.len() + injections.len() + effects.len();
        self.n_rows.fetch_add(n_rows, Ordering::Relaxed);
        Ok(tree)
    }

    fn status(&self, project: &ProjectId) -> Result<ProjectStatus> {
        self.store.status(project)
    }

    fn lessons(&self, project: &ProjectId, query: &LessonQuery) -> Result<Vec<Lesson>> {
        self.store.lessons(project, query)
    }

    fn block_totals(&self, project: &ProjectId) -> Result<BlockTotals> {
        self.store.block_totals(project)
    }

    fn is_taken(&self, project: &ProjectId, id: &LessonId) -> Result<bool> {
        self.store.is_taken(project, id)
    }

    fn consultations(&self, query: &ConsultationQuery) -> Result<Vec<(ProjectId, Consultation)>> {
        self.store.consultations(query)
    }

    fn search(&self, project: &ProjectId, search: &Search) -> Result<Proposals> {
        self.store.search(project, search)
    }

    fn counts(&self, project: &ProjectId, query: &CountQuery) -> Result<Counts> {
        self.store.counts(project, query)
    }

    fn numbered_runs(&self, project: &ProjectId, from: u64, to: u64) -> Result<Vec<Run>> {
        self.store.numbered_runs(project, from, to)
    }

    fn runs(&self, project: &ProjectId, query: &RunQuery) -> Result<Vec<Run>> {
        self.store.runs(project, query)
    }

    fn findings(&self, project: &ProjectId, query: &FindingQuery) -> Result<Vec<Finding>> {
        self.store.findings(project, query)
    }

    fn effects(&self, project: &ProjectId, ids: &[LessonId]) -> Result<Vec<(ProjectId, Effect)>> {
        self.store.effects(project, ids)
    }

    fn injections(&self, project: &ProjectId, lesson: &LessonId) -> Result<Vec<Injection>> {
        self.store.injections(project, lesson)
    }

    fn journal(&self, project: &ProjectId, query: &JournalQuery) -> Result<Vec<Entry>> {
        self.store.journal(project, query)
    }

    fn tombstones(&self, project: &ProjectId) -> Result<Vec<Tombstone>> {
        self.store.tombstones(project)
    }

    fn projects(&self, query: &ProjectQuery) -> Result<Vec<Project>> {
        self.store.projects(query)
    }

    fn apply(&mut self, batch: &Batch, expected: Option<Revision>) -> Result<OperationId> {
        self.store.apply(batch, expected)
    }

    fn scour(&mut self, deep: bool) -> Result<Scoured> {
        self.store.scour(deep)
    }

    fn check(&self) -> Result<Vec<Fault>> {
        self.store.check()
    }

    fn rebuild(&mut self) -> Result<Rebuilt> {
        self.store.rebuild()
    }

    fn each_entry(&self, visit: VisitEntry<'_>) -> Result<()> {
        self.store.each_entry(visit)
    }

    fn every_text(&self, visit: Visit<'_>) -> Result<()> {
        self.store.every_text(visit)
    }
}

/// In which order the runs of a chain are told.
#[derive(Clone, Copy, Debug)]
enum Told {
    ParentsFirst,
    ChildrenFirst,
    /// The topmost run is only named.
    WithoutTheTop,
}

fn chain(length: usize, told: Told) -> String {
    let record = |n: usize| {
        let parent = (n > 0).then(|| format!("r{}", n - 1));
        let run = run_with(&format!("r{n}"), json!({"parent": parent, "detectors": ["guardian"]}));
        // No two are alike.
        run + &warning(&format!("h{n}a leaks k{n}b whenever m{n}c closes p{n}d"))
    };
    match told {
        Told::ParentsFirst => (0..length).map(record).collect(),
        Told::ChildrenFirst => (0..length).rev().map(record).collect(),
        Told::WithoutTheTop => (1..=length).map(record).collect(),
    }
}

/// Learns a chain, and gives the rows that were read for it.
fn rows_read(length: usize, told: Told) -> usize {
    let n_rows = Arc::new(AtomicUsize::new(0));
    let store = Counting { store: MemoryStore::new(), n_rows: Arc::clone(&n_rows) };
    let mut p = Pipeline::on(Box::new(store), "demo", policy::load("hardwon").unwrap());
    let answer = p.learn(&chain(length, told));
    assert_eq!(answer.problems, [], "{told:?}");
    assert_eq!(answer.body.runs.len(), length, "{told:?}");
    n_rows.load(Ordering::Relaxed)
}

/// Issue 14, number 14: four times the length, four times the rows.
#[test]
fn a_chain_of_runs_is_learned_in_linear_time() {
    for told in [Told::ParentsFirst, Told::ChildrenFirst, Told::WithoutTheTop] {
        let (short, long) = (rows_read(50, told), rows_read(200, told));
        assert!(long <= 4 * short + 100, "{told:?}: {short} rows, then {long}");
    }
}
