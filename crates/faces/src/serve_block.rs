//! A block for a prompt, whatever happens. Memory is never a reason to stop a run, nor to
//! keep it waiting: any trouble, and any store that does not answer in time, becomes an
//! empty block and a problem that the caller may show.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hardwon_engine::answer::{Answer, Id, Injected, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::{
    Access, EngineError, Environment, InjectRequest, OpenMemory, Options, Recorded, blocks,
    problems,
};

use crate::deadline::within;
use crate::failure::{Failure, Kind};

/// How long `inject` waits when no setting says it. A store answers in milliseconds; one
/// whose writer was stopped in the middle of something can keep a reader for ten seconds.
const LIMIT: Duration = Duration::from_secs(2);

type Served = std::thread::Result<Result<Answer<Injected>, EngineError>>;

/// Serves a block. Only a wrong call is a failure; a store that cannot be read, or a fault
/// of our own, gives an empty block with status `failed`. If the store does not answer in
/// time, `late` is handed what there is, and the process ends.
pub fn serve_block(
    environment: &Environment,
    options: &Options,
    request: &InjectRequest,
    late: impl FnOnce(&Answer<Injected>) + Send + 'static,
) -> Result<Answer<Injected>, Failure> {
    let limit = limit(environment, options);
    // The block, as soon as only its record is missing.
    let block: Arc<Mutex<Option<Answer<Injected>>>> = Arc::default();
    let (made, asked) = (Arc::clone(&block), (environment.clone(), request.clone()));
    let late = move || {
        let made = made.lock().ok().and_then(|mut block| block.take());
        let answer = too_late(made, limit, &asked.1);
        note(&asked.0, &answer);
        late(&answer);
    };
    let served = within(limit, late, || {
        let mut on_block = |answer: Answer<Injected>| {
            if let Ok(mut block) = block.lock() {
                *block = Some(answer);
            }
        };
        catch_unwind(AssertUnwindSafe(|| serve(environment, options, request, &mut on_block)))
    });
    let answer = without_failing(served, options, request)?;
    note(environment, &answer);
    Ok(answer)
}

fn limit(environment: &Environment, options: &Options) -> Duration {
    let setting = options.settings(environment).count("deadline_ms");
    setting.map_or(LIMIT, |ms| Duration::from_millis(u64::from(ms)))
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

/// What did not go well is written down: who called may not show it to anybody.
fn note(environment: &Environment, answer: &Answer<Injected>) {
    match answer.status {
        Status::Ok | Status::Empty => {}
        Status::Degraded | Status::Failed => {
            let told = |problem: &Problem| format!("{}: {}", problem.at, problem.reason);
            let causes: Vec<String> = answer.problems.iter().map(told).collect();
            problems::note(environment, "inject", answer.status, &causes.join("; "));
        }
    }
}

/// Only a wrong call stays a failure.
fn without_failing(
    served: Served,
    options: &Options,
    request: &InjectRequest,
) -> Result<Answer<Injected>, Failure> {
    match served {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => {
            // Nobody typed a wrong variable or a wrong line of a settings file just now.
            let is_typed = match &error {
                EngineError::StoreUrl { .. } => options.store.is_some(),
                EngineError::BadClock => false,
                _ => true,
            };
            let failure = Failure::from(error);
            match failure.kind {
                Kind::Usage if is_typed => Err(failure),
                Kind::Usage | Kind::Store => Ok(nothing(request, &failure.place, failure.message)),
            }
        }
        Err(_) => {
            let reason = "a fault in hardwon itself; please report it".to_owned();
            Ok(nothing(request, "hardwon", reason))
        }
    }
}

/// Reads with a read-only connection; opens for writing only when there is something
/// to record.
pub(crate) fn serve(
    environment: &Environment,
    options: &Options,
    request: &InjectRequest,
    on_block: &mut dyn FnMut(Answer<Injected>),
) -> Result<Answer<Injected>, EngineError> {
    let engine = OpenMemory::open(environment, options, Access::Read)?;
    let mut composed = blocks::compose(&engine.memory, &engine.call, request)?;
    let mut problems = engine.memory.settings().problems.clone();
    let is_empty = composed.block.is_empty();
    if request.run.is_some() && composed.is_worth_recording() {
        on_block(Answer::of(composed.clone(), problems.clone()).or_empty(is_empty));
        let recorded =
            OpenMemory::open(environment, options, Access::Write).and_then(|mut engine| {
                blocks::record_injection(&mut engine.memory, &engine.call, request, &composed)
            });
        match recorded {
            Ok(Recorded::Nothing | Recorded::Now) => {}
            Ok(Recorded::ByAnother) => {
                composed = blocks::compose(&engine.memory, &engine.call, request)?
            }
            Err(error) => {
                let reason = format!("the injection was not recorded: {error}");
                problems.push(Problem::new("store", reason));
            }
        }
    }
    Ok(Answer::of(composed, problems).or_empty(is_empty))
}

fn nothing(request: &InjectRequest, place: &str, reason: String) -> Answer<Injected> {
    let body = Injected { run: request.run.clone().map(Id), ..Injected::default() };
    Answer { status: Status::Failed, problems: vec![Problem::new(place, reason)], body }
}
