//! What would memory have forewarned of? A history is played once more, in a memory that is
//! thrown away: before each run its block is asked for, after it its findings are learned.

use std::collections::BTreeMap;

use hardwon_core::backtest::{Asked, PlannedRun, RunScore, Scorer, Seen, Step, plan, seen};
use hardwon_core::event::Problem;
use hardwon_core::find::{FoundRun, FoundRuns};
use hardwon_core::gate::Gate;
use hardwon_store::MemoryStore;

use crate::blocks::{self, InjectRequest};
use crate::call::Call;
use crate::error::EngineError;
use crate::memory::Memory;
use crate::runs::learn::{found, learn_found};
use crate::runs::{LearnRequest, Steps};

/// How a history is played.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Blocks are recorded, so that showing a lesson has its effects.
    pub is_recorded: bool,
    /// Decides what is random.
    pub seed: u64,
}

/// Plays what records tell, and says what was wrong with them.
pub fn play_records(
    memory: &Memory,
    call: &Call,
    request: LearnRequest,
    how: How,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Vec<RunScore>, Vec<Problem>), EngineError> {
    let FoundRuns { runs, problems } = found(memory, call, request)?;
    Ok((play(memory, call, Gate::standard(), &runs, how, progress)?, problems))
}

/// Plays runs under the policy and settings of a memory, and scores all but the first. Nothing
/// is held out, and nothing is written.
pub fn play(
    memory: &Memory,
    call: &Call,
    gate: Gate,
    runs: &[FoundRun],
    how: How,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<RunScore>, EngineError> {
    let mut policy = memory.policy.clone();
    (policy.holdout.share, policy.holdout.later_share) = (0.0, 0.0);
    let store = Box::new(MemoryStore::new());
    let settings = memory.settings.clone();
    let mut memory = Memory { gate, settings, ..Memory::with_store(store, policy) };
    let mut call = call.clone();
    let mut scorer = Scorer::new(how.seed);
    let mut asked: BTreeMap<usize, Asked> = BTreeMap::new();
    let plan = plan(runs, call.now);
    for (n_done, (at, step)) in plan.steps.iter().enumerate() {
        progress(n_done, plan.steps.len());
        call.now = *at;
        match *step {
            Step::Ask(index) => {
                let run = &plan.runs[index];
                let request = InjectRequest {
                    run: how.is_recorded.then(|| run.root.clone()),
                    need: run.need.clone(),
                    ..InjectRequest::default()
                };
                let block = blocks::inject(&mut memory, &call, &request)?.body;
                let lines = block.lessons.into_iter().map(|shown| shown.lesson.id).collect();
                asked.insert(index, scorer.ask(lines, block.n_tokens, &run.need.paths));
            }
            Step::Learn(index) => {
                let seen = learned(&mut memory, &call, &plan.runs[index])?;
                scorer.learn(asked.remove(&index), &seen);
            }
        }
    }
    Ok(scorer.scores())
}

/// Learns a root run, and tells what its findings were taken for.
fn learned(memory: &mut Memory, call: &Call, run: &PlannedRun) -> Result<Vec<Seen>, EngineError> {
    learn_found(memory, call, &run.runs, Steps::All, &mut Vec::new(), &mut |_, _| {})?;
    let tree = memory.store.tree(&call.project, &run.root)?;
    Ok(seen(&run.runs, &tree.findings))
}
