//! Which run is this, where does it stand in its tree, and what is known of it?

use hardwon_core::effect::domain_asked_for;
use hardwon_core::event::Problem;
use hardwon_core::find::FoundRun;
use hardwon_core::find::trees::{Parents, believed_parent, is_late, keep_outcome, topmost};
use hardwon_core::gate::admit::{self, RunPlace};
use hardwon_core::ids::RunId;
use hardwon_core::run::Run;
use hardwon_store::{ProjectStatus, Tree};

use super::Steps;
use crate::call::Call;
use crate::error::EngineError;
use crate::memory::Memory;

/// A run as stated now, cleaned, with what was known before.
pub(super) struct Header {
    /// Everything that is known after this record.
    pub run: Run,
    /// The run as it was known, if it was.
    pub before: Option<Run>,
    /// Its root run's tree as stored.
    pub tree: Tree,
    /// It ended before the newest learned run: evidence only.
    pub is_backfill: bool,
    /// Number of the project's newest run before this record.
    pub newest_number: u64,
}

/// One run of a call, and what the call says about the others.
pub(super) struct RunInput<'a> {
    pub found: &'a FoundRun,
    /// Parents that the records of this call state.
    pub parents: &'a Parents,
    /// No other run of the same tree follows in this call.
    pub is_last_of_tree: bool,
    pub steps: Steps,
}

impl<'a> RunInput<'a> {
    /// Input about a run that is known.
    pub fn about(found: &'a FoundRun) -> Self {
        const NO_PARENTS: &Parents = &Parents::new();
        let steps = Steps::Findings;
        RunInput { found, parents: NO_PARENTS, is_last_of_tree: false, steps }
    }

    /// Whether this is where the root run is judged and counted.
    pub fn concludes(&self) -> bool {
        self.is_last_of_tree && self.steps == Steps::All
    }
}

impl Header {
    pub fn read(
        memory: &Memory,
        call: &Call,
        status: &ProjectStatus,
        input: &RunInput<'_>,
        problems: &mut Vec<Problem>,
    ) -> Result<Header, EngineError> {
        let found = input.found;
        let mut tree = memory.store.tree(&call.project, &found.id)?;
        let before = tree.runs.iter().find(|run| run.id == found.id).cloned();
        let known = before.as_ref().and_then(|run| run.parent.as_ref());
        let is_learned = tree.runs.iter().any(|run| run.is_learned);
        let parent = believed_parent(found, input.parents, known, is_learned, problems);
        let root = match &parent {
            Some(parent) => root_of(memory, call, parent, input.parents)?,
            None => before.as_ref().map_or(found.id.clone(), |before| before.root.clone()),
        };
        if tree.runs.iter().all(|run| run.root != root) {
            // What was shown to a run before anybody knew its parent stays with it.
            let own = std::mem::replace(&mut tree, memory.store.tree(&call.project, &root)?);
            tree.injections.extend(own.injections);
            tree.effects.extend(own.effects.into_iter().filter(|effect| effect.root != root));
        }
        let place = RunPlace {
            parent,
            root,
            now: call.now,
            is_agents_word: call.is_agent(),
            is_reflected_on: memory.policy.reflection.is_enabled,
        };
        let mut run = admit::run(&memory.gate, found, place, problems);
        run.domain = run.domain.or_else(|| domain_asked_for(&tree.injections));
        let number = tree.runs.iter().find_map(|run| run.number);
        let is_learned = tree.runs.iter().any(|run| run.is_learned);
        let is_late = match number {
            Some(number) => number < status.run_number,
            None => is_learned || is_late(run.finished, status.newest_finished),
        };
        let is_backfill = is_late && input.steps == Steps::All;
        run.number = number.or((!is_backfill).then_some(status.run_number + 1));
        let is_counted = tree.runs.iter().any(|run| run.is_counted);
        run.is_counted = input.concludes() && !is_counted && !is_backfill;
        if let Some(known) = before.as_ref().and_then(|before| before.outcome) {
            keep_outcome(&mut run, known, found, problems);
        }
        let run = before.as_ref().map_or(run.clone(), |before| before.merged(&run));
        Ok(Header { run, before, is_backfill, tree, newest_number: status.run_number })
    }

    /// Whether this run is the one with which its root run is counted for decay.
    pub fn counts_now(&self) -> bool {
        self.run.is_counted && !self.tree.runs.iter().any(|run| run.is_counted)
    }
}

/// The topmost run: as this call tells it, and from there on as the store knows it.
fn root_of(
    memory: &Memory,
    call: &Call,
    parent: &RunId,
    parents: &Parents,
) -> Result<RunId, EngineError> {
    let top = topmost(parent, parents);
    let tree = memory.store.tree(&call.project, &top)?;
    let known = tree.runs.into_iter().find(|run| run.id == top);
    Ok(known.map_or(top, |run| run.root))
}
