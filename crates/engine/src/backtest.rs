//! What would memory have forewarned of? A history is played once more, in a memory that is
//! thrown away: before each run its block is asked for, after it its findings are learned.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::backtest::{Asked, PlannedRun, Played, Scorer, Seen, Step, plan, seen};
use hardwon_core::change::standing;
use hardwon_core::find::recorded::learned_runs;
use hardwon_core::find::{FoundRun, FoundRuns};
use hardwon_core::gate::Gate;
use hardwon_core::policy::Policy;
use hardwon_core::voice::{Speaker, Voice};
use hardwon_render::answer::{Answer, Backtested, Compared, UnderPolicy};
use hardwon_store::{JournalQuery, MemoryStore};

use crate::blocks::{self, InjectRequest};
use crate::memory::{Call, EngineError, Memory, Result};
use crate::runs::LearnRequest;
use crate::runs::learn::{Told, found, learn_told};
use crate::{lookup, open, policy};

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
    /// Chance holds lessons out, as in a pipeline; else all that is to be measured is shown.
    pub holds_out: bool,
    /// Decides what is random.
    pub seed: u64,
}

/// Plays a history under the policy and settings of a memory, and sums up; with another policy
/// under that one, beside the memory's own. Writes nothing.
pub fn backtest(
    memory: &Memory,
    call: &Call,
    history: History,
    how: How,
    other: Option<&str>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<Backtested>> {
    let other = other.map(|name| named(memory, name)).transpose()?;
    let call = &Call { speaker: Speaker::person(), ..call.clone() };
    let (runs, gate, problems): (_, fn() -> Gate, _) = match history {
        History::Records(request) => {
            let FoundRuns { runs, problems } = found(memory, call, request, true)?.runs;
            (runs, Gate::standard, problems)
        }
        History::Own => {
            let entries = memory.store.journal(&call.project, &JournalQuery::default())?;
            (learned_runs(&standing(entries, &call.project)), Gate::foreign, Vec::new())
        }
    };
    let mut play = |policy: &Policy| play(memory, call, policy, gate(), &runs, how, progress);
    let (played, own) = play(&memory.policy)?;
    let Some(other) = other else {
        return Ok(Answer::of(Backtested::of(played, how.seed), problems));
    };
    let (played, other) = play(&other)?;
    let compared = Some(compare(&own, &other, call)?);
    let body = Backtested { compared, ..Backtested::of(played, how.seed) };
    Ok(Answer::of(body, problems).empty_if(|it| it.n_runs == 0))
}

/// A policy with the settings that hold under every one, such as a budget.
fn named(memory: &Memory, name: &str) -> Result<Policy> {
    let mut policy = policy::load(name)?;
    open::apply_to_policy(&memory.settings, &mut policy);
    Ok(policy)
}

/// What the memories in which a history was played hold.
fn compare(own: &Memory, other: &Memory, call: &Call) -> Result<Compared> {
    let under = |memory: &Memory| {
        let entries = memory.store.journal(&call.project, &JournalQuery::default())?;
        let operations = standing(entries, &call.project);
        let changes = operations.iter().flat_map(|operation| &operation.changes);
        let under = UnderPolicy::of(&memory.policy.name, changes);
        let ids = under.shown.iter().cloned().collect();
        let shown = lookup::lessons_with(memory, &call.project, ids)?;
        let texts = shown.iter().filter_map(|lesson| lesson.text.body().map(str::to_owned));
        Ok::<_, EngineError>((under, texts.collect::<BTreeSet<String>>()))
    };
    let ((own, own_texts), (other, other_texts)) = (under(own)?, under(other)?);
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
    let (only_own, only_other) = (only(&own_texts, &other_texts), only(&other_texts, &own_texts));
    Ok(Compared { own, other, only_own, only_other })
}

/// Plays runs in a memory of its own, which comes back.
fn play(
    memory: &Memory,
    call: &Call,
    policy: &Policy,
    gate: Gate,
    runs: &[FoundRun],
    how: How,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(Played, Memory)> {
    let mut policy = policy.clone();
    let mut call = call.clone();
    match how.holds_out {
        true => call.speaker.voice = Voice::Script,
        false => policy.holdout.share = 0.0,
    }
    let store = Box::new(MemoryStore::new());
    let settings = memory.settings.clone();
    let mut memory = Memory { gate, settings, ..Memory::with_store(store, policy) };
    let mut scorer = Scorer::default();
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
    Ok((scorer.finish(&plan), memory))
}

/// Learns a root run, and tells what its findings were taken for.
fn learned(memory: &mut Memory, call: &Call, run: &PlannedRun) -> Result<Vec<Seen>> {
    learn_told(memory, call, Told::all(&run.runs), &mut Vec::new(), &mut |_, _| {})?;
    let tree = memory.store.tree(&call.project, &run.root)?;
    Ok(seen(&run.runs, &tree.findings))
}
