//! Is it worth it? One project's memory at a glance, out of several rooms. Reads little, however
//! much there is: counts from indexes, the newest runs, the first of what waits.

use hardwon_core::lift;
use hardwon_render::answer::{
    Answer, Counts, Event, Lift, Overview, PromptTotals, RunPoint, RunSummary,
};
use hardwon_store::{BlockTotals, Tree};

use crate::history::report;
use crate::lessons;
use crate::lift as measured;
use crate::memory::{Call, Memory, Result};

/// How many of the newest root runs there are to see.
const N_RUNS: u64 = 60;
/// How many of those that wait are named.
const N_WAITING: usize = 5;

/// What memory holds, whether it helps, how the newest runs went, and what waits. `events` are
/// the newest messages, as whoever follows the stream has them.
pub fn overview(memory: &Memory, call: &Call, events: Vec<Event>) -> Result<Answer<Overview>> {
    let status = memory.store.status(&call.project)?;
    let blocks = memory.store.block_totals(&call.project)?;
    let version = (status.revision, blocks.n_blocks);
    let known = memory.kept.overview.get(call.project.clone(), version, || {
        worked_out(memory, call, status.run_number, &blocks)
    })?;
    let overview = Overview { events, ..known };
    let is_empty = overview.counts.n_lessons == 0 && overview.runs.is_empty();
    Ok(Answer::of(overview, Vec::new()).or_empty(is_empty))
}

fn worked_out(
    memory: &Memory,
    call: &Call,
    run_number: u64,
    blocks: &BlockTotals,
) -> Result<Overview> {
    let totals = memory.store.totals(&call.project)?;
    let pool = measured::pool(memory, call)?;
    let policy = &memory.policy.holdout;
    let (n_waiting, waiting) = lessons::waiting(memory, call, N_WAITING)?;
    let mut runs: Vec<RunPoint> =
        report::recent_runs(memory, call, N_RUNS)?.into_iter().map(point).collect();
    runs.reverse();
    Ok(Overview {
        counts: Counts::of(&totals, run_number),
        lift: lift::of_all(&pool, policy).as_ref().map(Lift::from),
        n_missing: u64::from(lift::n_missing(&pool, policy)),
        runs,
        prompts: PromptTotals { n_blocks: blocks.n_blocks, n_tokens: blocks.n_tokens },
        waiting,
        n_waiting,
        events: Vec::new(),
    })
}

fn point((summary, tree): (RunSummary, Tree)) -> RunPoint {
    let n_tokens = tree.injections.iter().map(|injection| u64::from(injection.n_tokens)).sum();
    RunPoint { summary, n_tokens }
}
