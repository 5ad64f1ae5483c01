//! Which run is this, where does it stand in its tree, and what is known of it?

use std::cell::Cell;

use hardwon_core::effect::domain_asked_for;
use hardwon_core::event::Problem;
use hardwon_core::find::FoundRun;
use hardwon_core::find::trees::{Parents, believed_parent, is_late, keep_outcome};
use hardwon_core::gate::admit::{self, RunPlace};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_store::{KeptTree, ProjectStatus};

use super::{Pair, Steps};
use crate::memory::{Call, Memory, Result};

/// A run as stated now, cleaned, with what was known before.
pub(super) struct Header {
    /// Everything that is known after this record.
    pub run: Run,
    /// The run as it was known, if it was.
    pub before: Option<Run>,
    /// Its root run's tree as stored.
    pub tree: KeptTree,
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
    /// Only the lessons of the first are credited and age.
    pub pair: Option<&'a Pair>,
    /// The tree as the run before this one left it.
    pub kept: &'a Kept,
}

/// A tree on its way from one run to the next.
pub(super) type Kept = Cell<Option<KeptTree>>;

impl<'a> RunInput<'a> {
    /// Input about a run that is known.
    pub fn about(found: &'a FoundRun, kept: &'a Kept) -> Self {
        let (parents, steps) = (Parents::NONE, Steps::Findings);
        RunInput { found, parents, is_last_of_tree: false, steps, pair: None, kept }
    }

    /// Whether a lesson is among those that this call is about.
    pub fn is_about(&self, lesson: &Lesson) -> bool {
        self.pair.is_none_or(|pair| pair.is_about(lesson))
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
    ) -> Result<Header> {
        let found = input.found;
        // What else was shown meanwhile counts where the tree is judged.
        let kept = input.kept.take().filter(|kept| kept.is_of(status.revision));
        let mut kept = kept.filter(|_| !input.is_last_of_tree);
        let read = |run: &RunId| memory.store.tree(&call.project, run).map(KeptTree::of);
        let is_in = kept.as_ref().is_some_and(|kept| kept.run(&found.id).is_some());
        let mut tree = kept.take_if(|_| is_in).map_or_else(|| read(&found.id), Ok)?;
        let before = tree.run(&found.id).cloned();
        let known = before.as_ref().and_then(|run| run.parent.as_ref());
        let is_learned = tree.runs.iter().any(|run| run.is_learned);
        let parent = believed_parent(found, input.parents, known, is_learned, problems);
        let root = match &parent {
            // The topmost run: as this call tells it, and from there on as is known.
            Some(parent) => {
                let top = input.parents.top(parent);
                match kept.as_ref().unwrap_or(&tree).root_above(top) {
                    Some(root) => root.clone(),
                    None => read(top)?.root_above(top).unwrap_or(top).clone(),
                }
            }
            None => before.as_ref().map_or(found.id.clone(), |before| before.root.clone()),
        };
        if tree.root() != Some(&root) {
            // What was shown to a run before anybody knew its parent stays with it.
            let whole = kept.filter(|kept| kept.root() == Some(&root));
            let whole = whole.map_or_else(|| read(&root), Ok)?;
            let own = std::mem::replace(&mut tree, whole);
            tree.add_injections(own.injections.clone());
            let effects = own.effects.iter().filter(|effect| effect.root != root).cloned();
            tree.effects.extend(effects);
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
        run.is_counted = input.concludes() && !tree.is_counted() && !is_backfill;
        if let Some(known) = before.as_ref().and_then(|before| before.settled_outcome(&run)) {
            keep_outcome(&mut run, known, found, problems);
        }
        let run = before.as_ref().map_or(run.clone(), |before| before.merged(&run));
        Ok(Header { run, before, is_backfill, tree, newest_number: status.run_number })
    }

    /// Whether this run is the one with which its root run is counted for decay.
    pub fn counts_now(&self) -> bool {
        self.run.is_counted && !self.tree.is_counted()
    }
}
