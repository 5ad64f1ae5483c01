//! What `doctor` says, looked up beside the pages: it reads the whole store, which takes half a
//! minute at 100,000 lessons.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hardwon_engine::answer::Health;
use hardwon_engine::{DoctorRequest, Environment, Options};

use crate::health::doctor;

/// How long what was said is good enough for a page.
const KEEPS: Duration = Duration::from_secs(60);

/// How long a page waits for the first answer.
const PATIENCE: Duration = Duration::from_millis(40);

#[derive(Default)]
pub struct Checkup {
    known: Mutex<Known>,
    told: Condvar,
}

#[derive(Default)]
struct Known {
    newest: Option<(Instant, Health)>,
    is_looking: bool,
}

impl Checkup {
    /// The newest that is known; nothing while the first one is being made. One that is older than
    /// a minute is made anew beside it.
    pub fn newest(
        self: &Arc<Self>,
        environment: &Environment,
        options: &Options,
    ) -> Option<Health> {
        let mut known = self.known();
        let is_old = known.newest.as_ref().is_none_or(|(at, _)| at.elapsed() >= KEEPS);
        if is_old && !known.is_looking {
            known.is_looking = true;
            let (own, environment, options) =
                (Arc::clone(self), environment.clone(), options.clone());
            thread::spawn(move || own.look(&environment, &options));
        }
        if known.newest.is_none() {
            let waited = self.told.wait_timeout_while(known, PATIENCE, |it| it.newest.is_none());
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        known.newest.as_ref().map(|(_, health)| health.clone())
    }

    fn look(&self, environment: &Environment, options: &Options) {
        let looking = Looking(self);
        let request = DoctorRequest { is_repairing: false, is_scanning: false };
        let health = doctor(environment, options, request, &mut |_| {}).body;
        self.known().newest = Some((Instant::now(), health));
        drop(looking);
        self.told.notify_all();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends with the look, also if that ends in a panic: the next page may try again.
struct Looking<'a>(&'a Checkup);

impl Drop for Looking<'_> {
    fn drop(&mut self) {
        self.0.known().is_looking = false;
    }
}
