//! Is it so? Questions with which a pipeline enforces a step, so that nothing depends on
//! an agent remembering it.

use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lifecycle;
use hardwon_render::answer::{Answer, Guarded};

use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// Whether a run is closed: learned, with an outcome, and every lesson that was shown
/// to it judged.
pub fn guard_run_closed(memory: &Memory, call: &Call, run: &RunId) -> Result<Answer<Guarded>> {
    let run = &memory.safe_run(run);
    let tree = memory.store.tree(&call.project, run)?;
    let own = tree.runs.iter().find(|known| known.id == *run);
    let mut missing = Vec::new();
    if own.is_none_or(|run| !run.is_learned) {
        missing.push(format!("{run} was not learned: `hardwon learn RECORD`"));
    }
    if own.is_none_or(|run| run.outcome.is_none()) {
        missing.push(format!("{run} has no outcome: `hardwon outcome {run} OUTCOME`"));
    }
    let shown = tree.injections.iter().flat_map(|injection| &injection.shown);
    let is_judged = |id: &LessonId| tree.effects.iter().any(|effect| effect.lesson == *id);
    let n_open = shown.filter(|shown| !is_judged(&shown.lesson)).count();
    if n_open > 0 && missing.is_empty() {
        missing.push(format!("{n_open} lessons were shown and not judged: `hardwon check {run}`"));
    }
    Ok(guarded(format!("run-closed {run}"), missing))
}

/// Whether no decision about a lesson is due.
pub fn guard_reviewed(memory: &Memory, call: &Call, name: &str) -> Result<Answer<Guarded>> {
    let lesson = lookup::lesson_named(memory, call, name)?;
    let waits = lifecycle::waiting(&lesson, &memory.policy, memory.settings.is_team());
    let whom = if memory.settings.is_team() {
        lifecycle::authority(&lesson, &memory.policy.routing)
    } else {
        "you"
    };
    let reason =
        |waits| format!("{} waits for {whom}: {waits}; `hardwon review list` has all", lesson.id);
    let missing = waits.map(reason).into_iter().collect();
    Ok(guarded(format!("reviewed {}", lesson.id), missing))
}

fn guarded(what: String, missing: Vec<String>) -> Answer<Guarded> {
    Answer::of(Guarded { what, is_met: missing.is_empty(), missing }, Vec::new())
}
