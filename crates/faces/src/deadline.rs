//! The caller is waiting: after a while any answer is better than a late one, and after a fault any
//! answer is better than none.
//!
//! The work stays in the calling thread, where it costs nothing more; another thread keeps
//! the time. What a store waits for cannot be interrupted (SQLite sleeps up to ten seconds
//! while the log of a stopped writer is in doubt), so a late process answers and ends.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::fault;

/// Why somebody else answers in place of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    Late,
    Fault,
}

/// Does the work. If that takes longer than the limit or ends in a fault, `instead` answers in its
/// place and the process ends, with status 0 when it is late.
pub fn within<T>(
    limit: Duration,
    instead: impl FnOnce(Instead) + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    // Whoever takes it answers: one of the three.
    let instead = Arc::new(Mutex::new(Some(instead)));
    let (done, watched) = channel::<()>();
    let if_late = Arc::clone(&instead);
    let watch = move || {
        let waited = watched.recv_timeout(limit);
        if waited == Err(RecvTimeoutError::Timeout)
            && let Some(instead) = take(&if_late)
        {
            instead(Instead::Late);
            std::process::exit(0);
        }
    };
    let if_wrong = Arc::clone(&instead);
    fault::before_the_end(move || {
        if let Some(instead) = take(&if_wrong) {
            instead(Instead::Fault);
        }
    });
    // Without a second thread the time is not watched, and the work goes on.
    let _ = thread::Builder::new().name("deadline".to_owned()).spawn(watch);
    let answer = work();
    if take(&instead).is_none() {
        // Another thread is answering and will end the process.
        loop {
            thread::park();
        }
    }
    // Left asleep, the other thread ends with the process; to wake it would take time.
    std::mem::forget(done);
    answer
}

fn take<T>(from: &Mutex<Option<T>>) -> Option<T> {
    from.lock().unwrap_or_else(PoisonError::into_inner).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_time_is_the_answer() {
        let answer = within(Duration::from_secs(600), |_| unreachable!("it is not late"), || 7);
        assert_eq!(answer, 7);
    }
}
