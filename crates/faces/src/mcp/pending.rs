//! Learns from sessions that have ended. A hook only leaves a note about them; a server that an
//! agent started lives longer, so it works through the notes beside its calls: in a thread of
//! its own, without a message to the client. What goes wrong is in the problem log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use hardwon_engine::runs::queue::learn_pending_until;
use hardwon_engine::{Environment, Options};

use crate::worker;

/// How long until it looks again: other sessions end in the meantime.
const AGAIN: Duration = Duration::from_secs(10 * 60);

/// The thread, as long as this value lives.
pub struct Worker {
    is_over: Arc<AtomicBool>,
    /// Dropped to wake the thread.
    wake: Option<Sender<()>>,
    ended: Receiver<()>,
}

impl Worker {
    /// If no thread can be started, nothing is done here, and nothing is lost.
    pub fn start(environment: &Environment, options: &Options) -> Worker {
        let is_over = Arc::new(AtomicBool::new(false));
        let (wake, woken) = channel::<()>();
        let (end, ended) = channel::<()>();
        let (environment, options) = (environment.clone(), options.clone());
        let over = Arc::clone(&is_over);
        let work = move || {
            // Dropped when the thread ends, however it ends.
            let _end = end;
            loop {
                let is_over = || over.load(Ordering::SeqCst);
                let done =
                    learn_pending_until(&environment, &options, &is_over, &|_, _| Vec::new());
                worker::note(&environment, "mcp", done);
                worker::back_up(&environment, &options);
                match woken.recv_timeout(AGAIN) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        };
        let _ = thread::Builder::new().name("pending".to_owned()).spawn(work);
        Worker { is_over, wake: Some(wake), ended }
    }

    /// Starts no further session, and waits for the one that is being read.
    pub fn stop(mut self, limit: Duration) {
        self.is_over.store(true, Ordering::SeqCst);
        self.wake = None;
        let _ = self.ended.recv_timeout(limit);
    }
}
