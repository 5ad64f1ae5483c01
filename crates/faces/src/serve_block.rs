//! A block for a prompt, whatever happens. Memory is never a reason to stop a run, nor to
//! keep it waiting: any failure, and any store that does not answer in time, becomes an empty
//! block and a problem that the caller may show.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hardwon_engine::answer::{Answer, Id, Injected, Status};
use hardwon_engine::blocks::Served;
use hardwon_engine::event::Problem;
use hardwon_engine::settings::Settings;
use hardwon_engine::{
    Access, EngineError, Environment, InjectRequest, OpenMemory, Options, blocks, problems,
};

use hardwon_foreign::jkz::notes::Loaded;
use hardwon_hosts::hosts::loads_notes;

use crate::deadline::{Instead, within};
use crate::failure::{Exit, Failure};
use crate::fault;
use crate::notes::with_notes;

/// How long `inject` waits unless a setting says it. A store answers in milliseconds; one
/// whose writer was stopped in the middle of something can keep a reader for ten seconds.
const LIMIT: Duration = Duration::from_secs(2);

/// Serves a block. Only a wrong call is a failure; a store that cannot be read, or a fault
/// of our own, gives an empty block with status `failed`. If the store does not answer in
/// time, or after such a fault, `late` gets what there is, and the process ends.
pub fn serve_block(
    environment: &Environment,
    options: &Options,
    request: &InjectRequest,
    late: impl FnOnce(&Answer<Injected>) + Send + 'static,
) -> Result<Answer<Injected>, Failure> {
    let settings = options.settings(environment);
    let setting = settings.count("deadline_ms");
    let limit = setting.map_or(LIMIT, |ms| Duration::from_millis(u64::from(ms)));
    // The block, as soon as only its record is missing.
    let block: Arc<Mutex<Option<Answer<Injected>>>> = Arc::default();
    let (made, asked) = (Arc::clone(&block), (environment.clone(), request.clone()));
    let instead = move |why| {
        let made = made.try_lock().ok().and_then(|mut block| block.take());
        let answer = match why {
            Instead::Late => too_late(made, limit, &asked.1),
            Instead::Fault => nothing(&asked.1, "hardwon", fault::TOLD.to_owned()),
        };
        note(&asked.0, &answer);
        late(&answer);
    };
    let served = within(limit, instead, || {
        let mut on_block = |answer: Answer<Injected>| {
            block.lock().unwrap_or_else(PoisonError::into_inner).replace(answer);
        };
        serve(&settings, environment, options, request, &mut on_block)
    });
    let answer = match served {
        Ok(answer) => answer,
        Err(error) => empty_unless_wrong_call(error, options, request)?,
    };
    note(environment, &answer);
    Ok(answer)
}

/// What there is when the time is over.
fn too_late(
    block: Option<Answer<Injected>>,
    limit: Duration,
    request: &InjectRequest,
) -> Answer<Injected> {
    let reason = format!("the store did not answer within {} ms", limit.as_millis());
    let Some(answer) = block else { return nothing(request, "store", reason) };
    let mut problems = answer.problems;
    let reason = format!("the injection was not recorded: {reason}");
    problems.push(Problem::new("store", reason));
    let is_empty = answer.body.block.is_empty();
    Answer::of(answer.body, problems).or_empty(is_empty)
}

/// What did not go well is recorded: the caller may not show it to the user.
fn note(environment: &Environment, answer: &Answer<Injected>) {
    match answer.status {
        Status::Ok | Status::Empty => {}
        Status::Degraded | Status::Failed => {
            let cause = |problem: &Problem| format!("{}: {}", problem.at, problem.reason);
            let causes: Vec<String> = answer.problems.iter().map(cause).collect();
            problems::note(environment, "inject", answer.status, &causes.join("; "));
        }
    }
}

/// Only a wrong call stays a failure.
fn empty_unless_wrong_call(
    error: EngineError,
    options: &Options,
    request: &InjectRequest,
) -> Result<Answer<Injected>, Failure> {
    // A wrong variable or a wrong line of a settings file was not typed for this call.
    let is_typed = match &error {
        EngineError::StoreUrl { .. } => options.store.is_some(),
        EngineError::BadClock | EngineError::NoCurrentFolder => false,
        _ => true,
    };
    let failure = Failure::from(error);
    if is_typed && failure.exit == Exit::Usage {
        return Err(failure);
    }
    Ok(nothing(request, &failure.place, failure.message))
}

/// Opens the store once: able to record only if a run is named.
fn serve(
    settings: &Settings,
    environment: &Environment,
    options: &Options,
    request: &InjectRequest,
    on_block: &mut dyn FnMut(Answer<Injected>),
) -> Result<Answer<Injected>, EngineError> {
    let access = if request.run.is_some() { Access::Record } else { Access::Read };
    let OpenMemory { mut memory, call } =
        OpenMemory::open_with(settings.clone(), environment, options, access)?;
    let loads = loads_notes(environment.speaker.agent.as_deref());
    let loaded = Loaded { project: loads, notebook: loads };
    let request = &with_notes(request.clone(), environment, settings, loaded);
    let composed = blocks::compose(&memory, &call, request)?;
    if request.run.is_some() && composed.is_worth_recording(request.need.domain.is_some()) {
        on_block(Served { injected: composed.clone(), problem: None }.answer(&memory));
    }
    let answer = blocks::record(&mut memory, &call, request, composed)?.answer(&memory);
    // The process ends after its answer: the system closes what is open in less time.
    std::mem::forget(memory);
    Ok(answer)
}

fn nothing(request: &InjectRequest, place: &str, reason: String) -> Answer<Injected> {
    let body = Injected { run: request.run.clone().map(Id), ..Injected::default() };
    Answer { status: Status::Failed, problems: vec![Problem::new(place, reason)], body }
}
