//! Runs that ended and were not looked back upon yet. Who ends a run only leaves a line in
//! the queue; `hardwon reflect --pending` works it off, together with the sessions that
//! hooks left there. What goes wrong is noted where `doctor` finds it, and reaches no run.

use hardwon_core::answer::{Answer, Learned, LookedBack, Named, Reflected, RunLearned, Status};
use hardwon_core::ids::RunId;
use hardwon_core::reflect::Scenario;

use super::{About, ReflectRequest};
use crate::call::Call;
use crate::error::EngineError;
use crate::memory::Memory;
use crate::place::Environment;
use crate::runs::queue::{Queued, Work, enqueue, learn_pending};
use crate::runs::reflect::reflect;
use crate::{Options, problems};

/// Leaves a line in the queue for a run that ended, if it is to be looked back upon.
/// Never fails: the run has ended whether or not somebody looks back.
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
        folder: environment.folder.display().to_string(),
        project: Some(call.project.as_str().to_owned()),
        agent: environment.agent.clone(),
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
) -> Result<Answer<Learned>, EngineError> {
    let Ok(run) = RunId::parse(run) else {
        return Err(EngineError::UnknownRun { name: run.to_owned() });
    };
    let answer = reflect(memory, call, &ReflectRequest::of(About::Run(run.clone())))?;
    let Reflected { scenario, created, updated, transitions, operation, .. } = answer.body;
    let reflection = LookedBack { scenario, created: created.clone(), updated: updated.clone() };
    let told = RunLearned {
        is_known: created.is_empty() && updated.is_empty(),
        new: created,
        matched: updated,
        transitions,
        reflection: Some(reflection),
        ..RunLearned::nothing(run)
    };
    let learned = Learned { runs: vec![told], operation };
    Ok(Answer { status: answer.status, problems: answer.problems, body: learned })
}

/// Works the queue off: reads what is new, and looks back on what ended. Several may do so
/// at once.
pub fn reflect_pending(
    environment: &Environment,
    options: &Options,
) -> Result<Answer<Reflected>, EngineError> {
    let Answer { problems, body, .. } = learn_pending(environment, options)?;
    for problem in &problems {
        let cause = format!("{}: {}", problem.at, problem.reason);
        problems::note(environment, "reflect", Status::Degraded, &cause);
    }
    let reflected = gathered(body);
    let is_empty = reflected.skipped.is_some();
    Ok(Answer::of(reflected, problems).or_empty(is_empty))
}

fn gathered(learned: Learned) -> Reflected {
    let looked: Vec<&RunLearned> =
        learned.runs.iter().filter(|run| run.reflection.is_some()).collect();
    let scenario = match looked.as_slice() {
        [one] => one.reflection.as_ref().map_or(Scenario::SessionComplete, |l| l.scenario),
        _ => Scenario::PatternDetected,
    };
    if looked.is_empty() {
        let reason = match learned.runs.len() {
            0 => "nothing waits".to_owned(),
            n => format!("{n} runs were learned, and none tells what was done in it"),
        };
        return Reflected::skipped(scenario, &reason);
    }
    let mut all = Reflected::skipped(scenario, "");
    all.skipped = None;
    all.operation = learned.operation;
    for run in &looked {
        let LookedBack { created, updated, .. } = run.reflection.as_ref().expect("asked above");
        all.runs.push(run.run.clone());
        unite(&mut all.created, created);
        unite(&mut all.updated, updated);
        all.transitions.extend(run.transitions.iter().cloned());
    }
    all.updated.retain(|named| all.created.iter().all(|created| created.id != named.id));
    all.summary = match all.runs.as_slice() {
        [run] => format!("{run} was looked back upon."),
        runs => format!("{} runs were looked back upon.", runs.len()),
    };
    all
}

fn unite(all: &mut Vec<Named>, more: &[Named]) {
    for named in more {
        if all.iter().all(|known| known.id != named.id) {
            all.push(named.clone());
        }
    }
}
