//! Which run is this, where does it stand in its tree, and what is known of it?

use std::collections::BTreeSet;

use hardwon_core::event::Problem;
use hardwon_core::find::FoundRun;
use hardwon_core::gate::Gate;
use hardwon_core::ids::RunId;
use hardwon_core::run::{Run, RunKind};
use hardwon_store::{ProjectStatus, Tree};

use crate::Engine;
use crate::error::EngineError;

/// A run as stated now, cleaned, with what was known before.
pub(super) struct Header {
    /// Everything that is known after this record.
    pub run: Run,
    /// The run as it was known, if it was.
    pub before: Option<Run>,
    /// Its root run's tree as stored.
    pub tree: Tree,
    /// The first time this root run is learned.
    pub is_new_root: bool,
    /// It ended before the newest learned run: evidence only.
    pub is_backfill: bool,
}

impl Header {
    pub fn read(
        engine: &Engine,
        status: &ProjectStatus,
        found: &FoundRun,
        problems: &mut Vec<Problem>,
    ) -> Result<Header, EngineError> {
        let parent = parent(found, problems);
        let root = match &parent {
            Some(parent) => root_of(engine, parent)?,
            None => found.id.clone(),
        };
        let mut tree = engine.store.tree(&engine.project, &found.id)?;
        if root != found.id && tree.runs.iter().all(|run| run.root != root) {
            tree = engine.store.tree(&engine.project, &root)?;
        }
        let before = tree.runs.iter().find(|run| run.id == found.id).cloned();
        let mut run = cleaned(engine, found, parent, root);
        let number = tree.runs.iter().find_map(|run| run.number);
        let is_learned = tree.runs.iter().any(|run| run.is_learned);
        let is_backfill = is_backfill(&run, status, number, is_learned);
        run.number = number.or((!is_backfill).then_some(status.run_number + 1));
        let run = before.as_ref().map_or(run.clone(), |before| before.merged(&run));
        Ok(Header { run, before, is_new_root: !is_learned, is_backfill, tree })
    }
}

/// A run that ended, by its own word, before the newest learned one did. Runs that
/// do not say when they ended are taken as they come.
fn is_backfill(run: &Run, status: &ProjectStatus, number: Option<u64>, is_learned: bool) -> bool {
    match number {
        Some(number) => number < status.run_number,
        None if is_learned => true,
        None => match (run.finished, status.newest_finished) {
            (Some(finished), Some(newest)) => finished < newest,
            (None, _) | (_, None) => false,
        },
    }
}

fn parent(found: &FoundRun, problems: &mut Vec<Problem>) -> Option<RunId> {
    let text = found.stated.parent.as_deref()?;
    match RunId::parse(text) {
        Ok(id) if id == found.id => {
            problems.push(Problem::new(&found.source, "a run cannot be its own parent; ignored"));
            None
        }
        Ok(id) => Some(id),
        Err(reason) => {
            problems.push(Problem::new(&found.source, format!("parent: {reason}; ignored")));
            None
        }
    }
}

fn root_of(engine: &Engine, parent: &RunId) -> Result<RunId, EngineError> {
    let tree = engine.store.tree(&engine.project, parent)?;
    let known = tree.runs.iter().find(|run| run.id == *parent);
    Ok(known.map_or(parent.clone(), |run| run.root.clone()))
}

/// The run with every word passed through the gate.
fn cleaned(engine: &Engine, found: &FoundRun, parent: Option<RunId>, root: RunId) -> Run {
    let gate = &engine.gate;
    let stated = &found.stated;
    let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
    let set = |raw: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
        raw.filter_map(|raw| gate.word(raw)).collect()
    };
    Run {
        parent,
        root,
        is_learned: true,
        kind: stated.kind.unwrap_or(RunKind::Other),
        role: word(&stated.role),
        agent: word(&stated.agent),
        task: word(&stated.task),
        domain: word(&stated.domain),
        started: stated.started,
        finished: stated.finished,
        outcome: stated.outcome,
        detectors: set(&mut found.detectors.iter()),
        reasoned_only: set(&mut found.reasoned_only.iter()),
        paths: set(&mut stated.paths.iter()),
        tools: set(&mut stated.tools.iter()),
        tags: gate_tags(gate, &stated.tags),
        ..Run::stub(found.id.clone(), engine.now)
    }
}

fn gate_tags(gate: &Gate, tags: &[String]) -> BTreeSet<String> {
    gate.tags(tags.iter().map(String::as_str)).into_iter().collect()
}
