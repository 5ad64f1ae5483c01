//! Is it worth it? One project's memory at a glance, out of several rooms. Reads little, however
//! much there is: counts from indexes, the newest runs, the first of what waits.

use hardwon_core::lift;
use hardwon_render::answer::{
    Answer, Counts, Event, Lift, Overview, PromptTotals, Queue, RunPoint, RunSummary, SessionShown,
};
use hardwon_store::{BlockTotals, Tree};

use crate::blocks;
use crate::history::listen::{Listener, Wanted, with_lessons};
use crate::history::report;
use crate::lessons;
use crate::lift as measured;
use crate::memory::{Call, Memory, Result};
use crate::place::Environment;
use crate::runs;
use crate::settings::proposed::proposed;

/// How many of the newest root runs there are to see.
const N_RUNS: u64 = 60;
/// How many of the newest messages.
const N_EVENTS: usize = 12;
/// How many of those that wait are named.
const N_WAITING: usize = 5;

/// What memory holds, whether it helps, how the newest runs went, and what waits; with the newest
/// messages, as whoever follows the stream has them.
pub fn overview(
    environment: &Environment,
    memory: &Memory,
    call: &Call,
) -> Result<Answer<Overview>> {
    let wanted = Wanted { project: Some(call.project.clone()), since: None };
    let mut messages = Listener::new(environment, wanted)?.next_messages();
    messages.drain(..messages.len().saturating_sub(N_EVENTS));
    let events = with_lessons(memory, messages)?;
    with_events(memory, call, events.iter().map(Event::from).collect())
}

/// What the runs of a session did and taught.
pub fn session(memory: &Memory, call: &Call, session: &str) -> Result<Answer<SessionShown>> {
    let shown = SessionShown {
        session: session.to_owned(),
        tree: runs::session_nodes(memory, call, session)?,
        panel: runs::learned_in_session(memory, call, session)?,
        blocks: blocks::shown_in_session(memory, call, session)?,
    };
    Ok(Answer::of(shown, Vec::new()).empty_if(|it| it.tree.is_empty()))
}

/// All that waits for a person: lessons, the most urgent first, and settings that an agent would
/// change.
pub fn review_queue(
    environment: &Environment,
    memory: &Memory,
    call: &Call,
) -> Result<Answer<Queue>> {
    let mut answer = lessons::review_queue(memory, call)?;
    answer.body.settings = proposed(environment);
    Ok(answer)
}

/// The overview with these messages.
pub fn with_events(memory: &Memory, call: &Call, events: Vec<Event>) -> Result<Answer<Overview>> {
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
    let (n_waiting, waiting) = lessons::waiting(memory, call, N_WAITING)?;
    let point = |(summary, tree): (RunSummary, Tree)| {
        let n_tokens = tree.injections.iter().map(|injection| u64::from(injection.n_tokens)).sum();
        RunPoint { summary, n_tokens }
    };
    let runs = report::recent_runs(memory, call, N_RUNS)?.into_iter().rev().map(point).collect();
    Ok(Overview {
        counts: Counts::of(&totals, run_number),
        lift: lift::of_all(&pool).as_ref().map(Lift::from),
        n_missing: lift::n_missing(&pool),
        runs,
        prompts: PromptTotals { n_blocks: blocks.n_blocks, n_tokens: blocks.n_tokens },
        waiting,
        n_waiting,
        events: Vec::new(),
    })
}
