//! A host's event comes in, its answer goes out: never an error, never late, never twice.
//! Whatever goes wrong is recorded for `doctor`; the host does not see it.

mod handling;
mod object;

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use hardwon_engine::answer::Status;
use hardwon_engine::settings::Settings;
use hardwon_engine::{EngineError, Environment, Options, problems};
use hardwon_hosts::hook::event::Event;
use hardwon_hosts::host::Host;
use hardwon_hosts::hosts;

use crate::deadline::{Instead, within};
use crate::fault;
use handling::Handling;

/// How long a hook may take when no setting says it.
const LIMIT: Duration = Duration::from_millis(300);

/// Added to the cause of a failure that loses nothing.
const WAITS: &str = "; the message waits for the next hook, or `hardwon learn --pending`";

/// A larger event is not read.
const MAX_BYTES: u64 = 16 << 20;

/// How much longer a late hook waits until its event has come and a review in it is safe in a
/// file: that needs no store, only one small file, and a machine that is not overloaded. A host
/// sends it only once, and gives its stop hooks ten seconds.
const GRACE: Duration = Duration::from_secs(2);

/// What a late hook prints: the answer, once it is known, and where the file with a review is.
/// Locked until the event has come and that file is written.
#[derive(Default)]
struct Prepared {
    answer: Option<String>,
    left: Option<PathBuf>,
}

/// What is left to a process of its own, after the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// To learn what waits, and to make the backup of the day.
    Work,
    /// The backup alone: the user wants no worker.
    BackUp,
}

/// Answers one event of a host. `print` gets the answer, whole, or is not called. Then `start` may
/// be called, with the place that the event names: it starts a process and does not wait for it.
pub fn hook(
    word: &str,
    environment: &Environment,
    options: &Options,
    input: impl Read,
    print: impl Fn(&str) + Clone + Send + 'static,
    start: impl Fn(Errand, &Environment) -> io::Result<()>,
) {
    if environment.is_reflecting {
        return;
    }
    let command = format!("hook {word}");
    let Some(host) = hosts::named(word) else {
        let cause = format!("unknown host; the hosts are {}", hosts::names().join(", "));
        problems::note(environment, "hook", Status::Failed, &cause);
        return;
    };
    let settings = options.settings(environment);
    let setting = settings.count("deadline_ms");
    let limit = setting.map_or(LIMIT, |ms| Duration::from_millis(u64::from(ms)));
    let prepared: Arc<Mutex<Prepared>> = Arc::default();
    let instead = {
        let (prepared, print) = (Arc::clone(&prepared), print.clone());
        let (environment, command) = (environment.clone(), command.clone());
        move |why| match why {
            Instead::Late => {
                too_late(&environment, &command, limit, take_prepared(&prepared), print);
            }
            Instead::Fault => {
                problems::note(&environment, &command, Status::Failed, fault::TOLD);
            }
        }
    };
    let until = Instant::now() + limit * 3 / 4;
    let call = Call { host, environment, options, settings, prepared: &prepared, until };
    let (done, errand) = match within(limit, instead, || call.answer(input)) {
        Ok((done, errand)) => (done.map_err(|error| error.to_string()), errand),
        Err(cause) => (Err(cause), None),
    };
    let (answer, cause) = done.unwrap_or_else(|cause| (None, Some((Status::Failed, cause))));
    if let Some(answer) = &answer {
        print(answer);
    }
    if let Some((status, cause)) = cause {
        problems::note(environment, &command, status, &cause);
    }
    let started = errand.map_or(Ok(()), |(errand, there)| start(errand, &there));
    if let Err(error) = started {
        let cause =
            format!("no worker could be started: {error}; `hardwon learn --pending` does it");
        problems::note(environment, &command, Status::Degraded, &cause);
    }
}

/// What is ready by now, or soon will be.
fn take_prepared(prepared: &Mutex<Prepared>) -> Prepared {
    let give_up_at = Instant::now() + GRACE;
    loop {
        match prepared.try_lock() {
            Ok(mut prepared) => return std::mem::take(&mut *prepared),
            Err(TryLockError::Poisoned(error)) => return std::mem::take(&mut *error.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() < give_up_at => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => return Prepared::default(),
        }
    }
}

/// The time is over: what is ready is printed, and what was to be learned waits.
fn too_late(
    environment: &Environment,
    command: &str,
    limit: Duration,
    prepared: Prepared,
    print: impl Fn(&str),
) {
    if let Some(answer) = prepared.answer {
        print(&answer);
    }
    let mut cause = format!("not done within {} ms", limit.as_millis());
    if prepared.left.is_some_and(|left| left.exists()) {
        cause += WAITS;
    }
    problems::note(environment, command, Status::Failed, &cause);
}

/// An answer, and what did not go well on the way.
type HookResult = (Option<String>, Option<(Status, String)>);

struct Call<'a> {
    host: &'static Host,
    environment: &'a Environment,
    options: &'a Options,
    /// Those of the folder in which the host started us.
    settings: Settings,
    prepared: &'a Mutex<Prepared>,
    /// After this nothing further is started.
    until: Instant,
}

/// What an event came to, and what is to be started then, where.
type Answered = (Result<HookResult, EngineError>, Option<(Errand, Environment)>);

impl Call<'_> {
    fn answer(&self, input: impl Read) -> Result<Answered, String> {
        let failed = |error: std::io::Error| format!("the event could not be read: {error}");
        let mut prepared = self.prepared();
        let bytes = object::read(input.take(MAX_BYTES + 1)).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("the event is larger than {} MiB", MAX_BYTES >> 20));
        }
        let object = hardwon_engine::lean_object(&bytes)?;
        let event = Event::read(hosts::speaking(self.host, &object), &object);
        let environment = event.environment(self.environment);
        let digest = hardwon_engine::digest(&bytes);
        // The event may name another folder, which may have settings of its own.
        let settings = if environment.folder == self.environment.folder {
            self.settings.clone()
        } else {
            self.options.settings(&environment)
        };
        let handling = Handling { call: self, event: &event, environment, settings, digest };
        let left = handling.leave();
        prepared.left = left.as_ref().and_then(|left| left.as_ref().ok().cloned());
        drop(prepared);
        let done = handling.handle(left);
        let errand = handling.errand();
        Ok((done, errand.map(|errand| (errand, handling.environment))))
    }

    fn prepared(&self) -> MutexGuard<'_, Prepared> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
