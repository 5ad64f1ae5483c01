//! Does the store hold what was acknowledged, once, and nothing by halves?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::run::Outcome;
use hardwon_store::{Access, FindingQuery, LessonQuery, SqliteStore, Store, StoreError};

use super::sent::{N_FINDINGS, SentWrite, Write};

/// The project in which everything happens.
pub const PROJECT: &str = "durability";

/// What the comparison says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    pub n_acknowledged: u64,
    /// Acknowledged and not there.
    pub n_lost: u64,
    /// There more than once.
    pub n_doubled: u64,
    /// There in part.
    pub n_half: u64,
    /// There, though it was not acknowledged.
    pub n_untold: u64,
    /// What the store's own check names.
    pub faults: Vec<String>,
}

/// How a write is found in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    No,
    Once,
    Half,
    Twice,
}

impl There {
    fn times(n: usize) -> Self {
        match n {
            0 => There::No,
            1 => There::Once,
            _ => There::Twice,
        }
    }
}

/// Compares a store with everything that was sent to it.
pub fn compare(path: &Path, sent: &[SentWrite]) -> Result<Comparison, String> {
    let found = SqliteStore::open(path, Access::Read).and_then(|store| compared(&store, sent));
    found.map_err(|error| format!("the store cannot be compared: {error}"))
}

fn compared(store: &dyn Store, sent: &[SentWrite]) -> Result<Comparison, StoreError> {
    let mut found = Comparison::default();
    let lessons = store.lessons(&project(), &LessonQuery::default())?;
    let by_text = grouped(&lessons);
    for SentWrite { write, is_acknowledged } in sent {
        found.n_acknowledged += u64::from(*is_acknowledged);
        match (look_for(store, &by_text, &lessons, write)?, is_acknowledged) {
            (There::No, true) => found.n_lost += 1,
            (There::Once, false) => found.n_untold += 1,
            (There::No, false) | (There::Once, true) => {}
            (There::Half, _) => found.n_half += 1,
            (There::Twice, _) => found.n_doubled += 1,
        }
    }
    for lesson in lessons.iter().filter(|lesson| lesson.n_sightings > 0) {
        found.n_half += u64::from(!is_counted_right(store, lesson)?);
    }
    let named = |fault: hardwon_store::Fault| format!("{}: {}", fault.check, fault.detail);
    found.faults = store.check()?.into_iter().map(named).collect();
    Ok(found)
}

fn project() -> ProjectId {
    ProjectId::new(PROJECT)
}

fn run_id(name: &str) -> RunId {
    RunId::parse(name).expect("writers give good names")
}

fn grouped(lessons: &[Lesson]) -> BTreeMap<&str, usize> {
    let mut by_text = BTreeMap::new();
    for lesson in lessons {
        *by_text.entry(lesson.text.as_str()).or_default() += 1;
    }
    by_text
}

fn look_for(
    store: &dyn Store,
    by_text: &BTreeMap<&str, usize>,
    lessons: &[Lesson],
    write: &Write,
) -> Result<There, StoreError> {
    Ok(match write {
        Write::Add { text } => There::times(by_text.get(text.as_str()).copied().unwrap_or(0)),
        Write::Learn { run, .. } => learned(store, run)?,
        Write::Inject { run } => {
            let tree = store.tree(&project(), &run_id(run))?;
            let shown = tree.injections.iter().filter(|i| i.run.as_str() == run);
            // A block whose lesson was forgotten meanwhile is followed by another one; the
            // same block is there once.
            let blocks: Vec<&str> = shown.map(|injection| &*injection.digest).collect();
            let distinct: BTreeSet<&str> = blocks.iter().copied().collect();
            There::times(if distinct.len() == blocks.len() { blocks.len().min(1) } else { 2 })
        }
        Write::Forget { lesson } => {
            let is_it = |l: &&Lesson| l.id.as_str() == lesson && l.state == State::Archived;
            There::times(lessons.iter().filter(is_it).count())
        }
        Write::Outcome { run } => {
            let tree = store.tree(&project(), &run_id(run))?;
            let is_stated = |r: &&hardwon_core::run::Run| r.outcome == Some(Outcome::Success);
            There::times(tree.runs.iter().filter(is_stated).count())
        }
    })
}

/// A run with all its findings.
fn learned(store: &dyn Store, run: &str) -> Result<There, StoreError> {
    let tree = store.tree(&project(), &run_id(run))?;
    let n_runs = tree.runs.iter().filter(|r| r.is_learned).count();
    Ok(match (n_runs, tree.findings.len()) {
        (1, N_FINDINGS) => There::Once,
        (0, 0) => There::No,
        (1, 0..N_FINDINGS) | (0, _) => There::Half,
        _ => There::Twice,
    })
}

/// Whether a lesson was counted once for each run that has a finding of it.
fn is_counted_right(store: &dyn Store, lesson: &Lesson) -> Result<bool, StoreError> {
    let findings = store.findings(&project(), &FindingQuery::OfLesson(lesson.id.clone()))?;
    let runs: BTreeSet<&RunId> = findings.iter().map(|finding| &finding.run).collect();
    Ok(runs.len() as u64 == u64::from(lesson.n_sightings))
}
