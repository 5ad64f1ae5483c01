//! Learns what hooks left, in a process of its own that they start: nobody waits for it, and it
//! ends when nothing is left. What goes wrong is in the problem log, for `doctor`.

use std::time::{Duration, Instant};

use hardwon_engine::answer::{Answer, Learned, Status};
use hardwon_engine::runs::queue::backlog::work_alone;
use hardwon_engine::{
    EngineError, Environment, OpenMemory, Options, StoreError, care, problems, runs,
};
use hardwon_foreign::ask::afterwards;

use crate::fault;

/// After this nothing further is begun; the next hook starts the next worker. What was begun is
/// always brought to its end.
const LIMIT: Duration = Duration::from_secs(60);

/// Works off what waits, unless another worker does, and makes the backup of the day.
pub fn work(environment: &Environment, options: &Options) {
    let began = Instant::now();
    let is_over = || began.elapsed() >= LIMIT;
    let tell = |done| note(environment, "worker", done);
    let about = environment.clone();
    // If this process ends by a fault, `doctor` knows.
    fault::before_the_end(move || note_cause(&about, "worker", Status::Failed, fault::TOLD));
    // First, so that what cannot be read does not stand in its way.
    back_up(environment, options);
    sweep(environment, options);
    keep_copy(environment, options);
    // A model is asked here alone: nobody waits.
    let then = |open: &mut OpenMemory, learned: &Learned| afterwards(environment, open, learned);
    work_alone(environment, options, &is_over, &then, &tell);
}

/// Lets fade what went unused, where that is wanted. A failure is tried again at the next start.
fn sweep(environment: &Environment, options: &Options) {
    if let Err(error) = runs::sweep(environment, options) {
        problems::note(environment, "worker", Status::Failed, &format!("the daily sweep: {error}"));
    }
}

/// Brings the copy up to date that is read while a server is away. One that is away now is asked again
/// the next time.
fn keep_copy(environment: &Environment, options: &Options) {
    let settings = options.settings(environment);
    if settings.switch("copy") == Some(false) {
        return;
    }
    match care::refresh(environment, options) {
        Ok(_) | Err(EngineError::Store(StoreError::Away { .. })) => {}
        Err(error) => {
            let cause = format!("the copy of the server's memory: {error}");
            problems::note(environment, "worker", Status::Degraded, &cause);
        }
    }
}

/// That a backup could not be made is told by `doctor`, which tries it again.
pub(crate) fn back_up(environment: &Environment, options: &Options) {
    let _ = hardwon_engine::back_up(environment, options);
}

/// Notes what did not go well with what waits.
pub(crate) fn note(
    environment: &Environment,
    command: &str,
    done: Result<Answer<Learned>, EngineError>,
) {
    match done {
        Ok(answer) => {
            let Some(first) = answer.problems.first() else { return };
            let n_more = answer.problems.len() - 1;
            let more = if n_more > 0 { format!(" (and {n_more} more)") } else { String::new() };
            let cause = format!("{}: {}{more}", first.at, first.reason);
            note_cause(environment, command, Status::Degraded, &cause);
        }
        Err(error) => note_cause(environment, command, Status::Failed, &error.to_string()),
    }
}

fn note_cause(environment: &Environment, command: &str, status: Status, cause: &str) {
    let cause = format!("sessions that wait to be read: {cause}");
    problems::note(environment, command, status, &cause);
}
