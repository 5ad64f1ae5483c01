//! The caller is waiting: after a while any answer is better than a late one.
//!
//! The work stays in the calling thread, where it costs nothing more; another thread keeps
//! the time. What a store waits for cannot be interrupted (SQLite sleeps up to ten seconds
//! while the log of a stopped writer is in doubt), so a late process answers and ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Does the work. If that takes longer than the limit, `late` answers in its place and the
/// process ends with status 0.
pub fn within<T>(
    limit: Duration,
    late: impl FnOnce() + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let is_answered = Arc::new(AtomicBool::new(false));
    let (done, watched) = channel::<()>();
    let is_taken = Arc::clone(&is_answered);
    let watch = move || {
        let waited = watched.recv_timeout(limit);
        if waited == Err(RecvTimeoutError::Timeout) && !is_taken.swap(true, Ordering::SeqCst) {
            late();
            std::process::exit(0);
        }
    };
    // Without a second thread the time is not watched, and the work goes on.
    let _ = thread::Builder::new().name("deadline".to_owned()).spawn(watch);
    let answer = work();
    if is_answered.swap(true, Ordering::SeqCst) {
        // The other thread is answering and will end the process.
        loop {
            thread::park();
        }
    }
    drop(done);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_time_is_the_answer() {
        let answer = within(Duration::from_secs(600), || unreachable!("it is not late"), || 7);
        assert_eq!(answer, 7);
    }
}
