//! A block for a prompt, whatever happens. Memory is never a reason to stop a run, nor to
//! keep it waiting: any trouble, and any store that does not answer in time, becomes an
//! empty block and a problem that the caller may show.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use hardwon_engine::answer::{Answer, Injected, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::{
    Access, Engine, EngineError, Environment, InjectRequest, Options, Recorded, problems,
};

use crate::failure::{Failure, Kind};

/// How long `inject` waits when no setting says it. A store answers in milliseconds; one
/// whose writer was stopped in the middle of something can keep a reader for ten seconds.
const LIMIT: Duration = Duration::from_secs(2);

type Served = thread::Result<Result<Answer<Injected>, EngineError>>;

/// What the working thread has to say, in this order.
enum Told {
    /// The block, as good as it gets; only its record is missing.
    Block(Box<Answer<Injected>>),
    /// The whole answer.
    Answer(Box<Served>),
}

/// Serves a block. Only a wrong call is a failure; a store that cannot be read, or does
/// not answer in time, or a fault of our own, gives an empty block with status `failed`.
pub fn serve_block(
    environment: &Environment,
    options: &Options,
    request: &InjectRequest,
) -> Result<Answer<Injected>, Failure> {
    let limit = limit(environment, options);
    let (teller, told) = channel();
    let asked = (environment.clone(), options.clone(), request.clone());
    // Who asks does not wait for this thread to end: it may wait for a lock for ever.
    let started = thread::Builder::new().spawn(move || work(asked, &teller));
    let served = match started {
        Ok(_) => wait(&told, limit, request),
        Err(_) => {
            catch_unwind(AssertUnwindSafe(|| serve(environment, options, request, &mut |_| {})))
        }
    };
    let answer = without_failing(served, options, request)?;
    note(environment, &answer);
    Ok(answer)
}

fn limit(environment: &Environment, options: &Options) -> Duration {
    let setting = options.settings(environment).count("deadline_ms");
    setting.map_or(LIMIT, |ms| Duration::from_millis(u64::from(ms)))
}

fn work((environment, options, request): (Environment, Options, InjectRequest), to: &Sender<Told>) {
    let mut on_block = |answer: &Answer<Injected>| {
        // Nobody listens any more if it took too long.
        let _ = to.send(Told::Block(Box::new(answer.clone())));
    };
    let served =
        catch_unwind(AssertUnwindSafe(|| serve(&environment, &options, &request, &mut on_block)));
    let _ = to.send(Told::Answer(Box::new(served)));
}

/// The answer, or what is there when the time is over.
fn wait(told: &Receiver<Told>, limit: Duration, request: &InjectRequest) -> Served {
    let start = Instant::now();
    let mut block: Option<Box<Answer<Injected>>> = None;
    loop {
        match told.recv_timeout(limit.saturating_sub(start.elapsed())) {
            Ok(Told::Answer(served)) => return *served,
            Ok(Told::Block(answer)) => block = Some(answer),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    let reason = format!("the store did not answer within {} ms", limit.as_millis());
    Ok(Ok(match block {
        None => nothing(request, "store", reason),
        Some(answer) => {
            let reason = format!("the injection was not recorded: {reason}");
            let mut problems = answer.problems;
            problems.push(Problem::new("store", reason));
            let is_empty = answer.body.block.is_empty();
            Answer::of(answer.body, problems).or_empty(is_empty)
        }
    }))
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
fn serve(
    environment: &Environment,
    options: &Options,
    request: &InjectRequest,
    on_block: &mut dyn FnMut(&Answer<Injected>),
) -> Result<Answer<Injected>, EngineError> {
    let engine = Engine::open(environment, options, Access::Read)?;
    let mut composed = engine.compose(request)?;
    let mut problems = engine.settings().problems.clone();
    let is_empty = composed.block.is_empty();
    if request.run.is_some() && composed.is_worth_recording() {
        on_block(&Answer::of(composed.clone(), problems.clone()).or_empty(is_empty));
        let recorded = Engine::open(environment, options, Access::Write)
            .and_then(|mut engine| engine.record_injection(request, &composed));
        match recorded {
            Ok(Recorded::Nothing | Recorded::Now) => {}
            Ok(Recorded::ByAnother) => composed = engine.compose(request)?,
            Err(error) => {
                let reason = format!("the injection was not recorded: {error}");
                problems.push(Problem::new("store", reason));
            }
        }
    }
    Ok(Answer::of(composed, problems).or_empty(is_empty))
}

fn nothing(request: &InjectRequest, place: &str, reason: String) -> Answer<Injected> {
    let body = Injected { run: request.run.clone(), ..Injected::default() };
    Answer { status: Status::Failed, problems: vec![Problem::new(place, reason)], body }
}
