//! Runs that ended and were not reflected on yet. Ending a run only leaves a line in the
//! queue; `hardwon reflect --pending` works it off, together with the sessions that
//! hooks left there. What goes wrong is noted where `doctor` finds it, and reaches no run.

use hardwon_core::ids::RunId;
use hardwon_render::answer::{Answer, Learned, LookedBack, Reflected, RunLearned, Status};
use hardwon_store::files::path_text;

use super::{Queued, Then, Work, enqueue, learn_pending_until};
use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::Options;
use crate::place::Environment;
use crate::problems;
use crate::runs::reflect::{About, ReflectRequest, reflect};

/// Leaves a line in the queue for a run that ended, if it is to be reflected on. Never fails:
/// the run has ended with or without a reflection.
pub fn reflect_later(memory: &Memory, call: &Call, environment: &Environment, run: &RunId) -> bool {
    let run = memory.safe_run(run);
    let tree = memory.store.tree(&call.project, &run).unwrap_or_default();
    let tells = tree.runs.iter().any(|run| !run.episode.trail.is_empty());
    if !memory.policy.reflection.is_enabled || !tells {
        return false;
    }
    let queued = Queued {
        host: "hardwon".to_owned(),
        session: run.to_string(),
        work: Work::Reflect(run.to_string()),
        folder: path_text(&environment.folder),
        project: Some(call.project.as_str().to_owned()),
        agent: environment.speaker.agent.clone(),
        store: memory.settings.get("store").map(|set| set.value.clone()),
        at: call.now.to_string(),
    };
    let left = enqueue(environment, &queued);
    if let Err(error) = &left {
        problems::note(environment, "outcome", Status::Degraded, &error.to_string());
    }
    left.is_ok()
}

/// Looks back on a run of the queue.
pub(crate) fn learn_by_reflecting(
    memory: &mut Memory,
    call: &Call,
    run: &str,
) -> Result<Answer<Learned>> {
    let Ok(run) = RunId::parse(run) else {
        return Err(EngineError::UnknownRun { name: run.to_owned() });
    };
    let answer = reflect(memory, call, &ReflectRequest::of(About::Run(run.clone())))?;
    let Reflected { scenario, created, updated, transitions, operation, .. } = answer.body;
    let reflection =
        LookedBack { scenario: scenario.0, created: created.clone(), updated: updated.clone() };
    let rises = transitions.iter().filter(|step| step.is_promotion());
    let told = RunLearned {
        promoted: rises.map(|step| step.lesson.clone()).collect(),
        is_known: created.is_empty() && updated.is_empty(),
        new: created,
        matched: updated,
        transitions,
        reflection: Some(reflection),
        ..RunLearned::nothing(run)
    };
    let learned = Learned { runs: vec![told], operation, digests: Vec::new() };
    Ok(Answer { status: answer.status, problems: answer.problems, body: learned })
}

/// Works the queue off: reads what is new, and looks back on what ended. Several may do so
/// at once.
pub fn reflect_pending(
    environment: &Environment,
    options: &Options,
    then: Then<'_>,
) -> Result<Answer<Reflected>> {
    let Answer { problems, body, .. } = learn_pending_until(environment, options, &|| false, then)?;
    for problem in &problems {
        let cause = format!("{}: {}", problem.at, problem.reason);
        problems::note(environment, "reflect", Status::Degraded, &cause);
    }
    Ok(Reflected::of_learned(&body).answer(problems))
}
