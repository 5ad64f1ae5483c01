//! A block for a prompt, whatever happens. Memory is never a reason to stop a run: any
//! trouble becomes an empty block and a problem that the caller may show.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hardwon_engine::answer::{Answer, Injected, Status};
use hardwon_engine::event::Problem;
use hardwon_engine::{Access, Engine, EngineError, Environment, InjectRequest, Options, Recorded};

use crate::failure::{Failure, Kind};

/// Serves a block. Only a wrong call is a failure; a store that cannot be read, or a
/// fault of our own, gives an empty block with status `failed`.
pub fn serve_block(
    environment: &Environment,
    options: &Options,
    request: &InjectRequest,
) -> Result<Answer<Injected>, Failure> {
    let served = catch_unwind(AssertUnwindSafe(|| serve(environment, options, request)));
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
) -> Result<Answer<Injected>, EngineError> {
    let engine = Engine::open(environment, options, Access::Read)?;
    let mut composed = engine.compose(request)?;
    let mut problems = engine.settings().problems.clone();
    let is_empty = composed.block.is_empty();
    if request.run.is_some() && composed.is_worth_recording() {
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
