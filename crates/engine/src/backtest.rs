//! What would memory have forewarned of? A history is played once more, in a memory that is
//! thrown away: before each run its block is asked for, after it its findings are learned.

use std::collections::BTreeMap;

use hardwon_core::backtest::{Asked, PlannedRun, Played, Scorer, Seen, Step, plan, seen};
use hardwon_core::change::standing;
use hardwon_core::find::recorded::learned_runs;
use hardwon_core::find::{FoundRun, FoundRuns};
use hardwon_core::gate::Gate;
use hardwon_core::voice::Speaker;
use hardwon_render::answer::{Answer, Backtested};
use hardwon_store::{JournalQuery, MemoryStore};

use crate::blocks::{self, InjectRequest};
use crate::call::Call;
use crate::error::EngineError;
use crate::memory::Memory;
use crate::runs::learn::{found, learn_found};
use crate::runs::{LearnRequest, Steps};

/// What is played.
pub enum History {
    /// What is handed in; reports that name no run are called after their files.
    Records(LearnRequest),
    /// What this project learned. Texts have passed a gate, perhaps a less strict one.
    Own,
}

/// How it is played.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Blocks are recorded, so that showing a lesson has its effects.
    pub is_recorded: bool,
    /// Decides what is random.
    pub seed: u64,
}

/// Plays a history under the policy and settings of a memory, and sums up. Writes nothing.
pub fn backtest(
    memory: &Memory,
    call: &Call,
    history: History,
    how: How,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<Backtested>, EngineError> {
    let call = &Call { speaker: Speaker::person(), ..call.clone() };
    let (runs, gate, problems) = match history {
        History::Records(request) => {
            let FoundRuns { runs, problems } = found(memory, call, request, true)?;
            (runs, Gate::standard(), problems)
        }
        History::Own => {
            let entries = memory.store.journal(&call.project, &JournalQuery::default())?;
            (learned_runs(&standing(entries, &call.project)), Gate::foreign(), Vec::new())
        }
    };
    let played = play(memory, call, gate, &runs, how, progress)?;
    Ok(Answer::of(Backtested::of(played, how.seed), problems))
}

/// Nothing is held out: chance would take lines away that were to be measured.
fn play(
    memory: &Memory,
    call: &Call,
    gate: Gate,
    runs: &[FoundRun],
    how: How,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Played, EngineError> {
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
                let PlannedRun { root, need, .. } = &plan.runs[index];
                let run = how.is_recorded.then(|| root.clone());
                let request = InjectRequest { run, need: need.clone(), ..InjectRequest::default() };
                let block = blocks::inject(&mut memory, &call, &request)?.body;
                let lines = block.lessons.into_iter().map(|shown| shown.lesson.id).collect();
                asked.insert(index, scorer.ask(lines, block.n_tokens, &need.paths));
            }
            Step::Learn(index) => {
                let seen = learned(&mut memory, &call, &plan.runs[index])?;
                scorer.learn(asked.remove(&index), &seen);
            }
        }
    }
    Ok(scorer.finish(&plan))
}

/// Learns a root run, and tells what its findings were taken for.
fn learned(memory: &mut Memory, call: &Call, run: &PlannedRun) -> Result<Vec<Seen>, EngineError> {
    learn_found(memory, call, &run.runs, Steps::All, &mut Vec::new(), &mut |_, _| {})?;
    let tree = memory.store.tree(&call.project, &run.root)?;
    Ok(seen(&run.runs, &tree.findings))
}
