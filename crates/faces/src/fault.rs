//! What happens when the program itself is wrong. A command ends, in whatever thread it was, after
//! whoever waits has got an answer: what a fault leaves half done is nothing to go on with. A server
//! answers the one call and goes on: what that call held is dropped with it.

use std::panic;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What is said of a fault, in answers and in the problem log.
pub const TOLD: &str = "a fault in hardwon itself; please report it";

/// The exit status of a fault, where nobody is to be spared it.
pub const STATUS: i32 = 101;

static LAST: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);
static NOTE: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// From now on a fault ends the process with this status, after what [`before_the_end`] was given.
/// For the program alone: tests share their process with others.
pub fn ends_the_process(status: i32) {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        tell(about);
        if let Some(note) = &*NOTE.lock().unwrap_or_else(PoisonError::into_inner) {
            return note();
        }
        if IS_ENDING.swap(true, Ordering::SeqCst) {
            // Another thread was first, and ends the process.
            loop {
                thread::park();
            }
        }
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(last) = last {
            last();
        }
        process::exit(status);
    }));
}

/// This is done before the process ends by a fault, in place of what was to be done until now.
pub fn before_the_end(last: impl FnOnce() + Send + 'static) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(last));
}

/// From now on only the thread ends in which a fault is, after this note of it.
pub fn ends_the_call(note: impl Fn() + Send + 'static) {
    *NOTE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(note));
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::*;
    use crate::deadline::{Instead, within};

    const CHILD: &str = "HARDWON_TEST_FAULT";

    /// Runs a test of this file in a process of its own, and gives its status and output.
    fn in_a_process(test: &str) -> (Option<i32>, String) {
        let own = std::env::current_exe().unwrap();
        let name = format!("fault::tests::{test}");
        let done =
            Command::new(own).args(["--exact", &name, "--nocapture"]).env(CHILD, "1").output();
        let done = done.unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap())
    }

    fn is_child() -> bool {
        std::env::var_os(CHILD).is_some()
    }

    #[test]
    fn whoever_waits_is_answered() {
        if !is_child() {
            let (status, said) = in_a_process("whoever_waits_is_answered");
            assert_eq!(status, Some(0), "{said}");
            assert!(said.contains("in its place") && !said.contains("passed"), "{said}");
            return;
        }
        ends_the_process(0);
        let instead = |why| match why {
            Instead::Fault => println!("in its place"),
            Instead::Late => println!("too late"),
        };
        within(Duration::from_secs(600), instead, || {
            let nothing: Option<u8> = "".bytes().next();
            nothing.unwrap()
        });
    }

    #[test]
    fn a_fault_of_another_thread_ends_the_process_too() {
        if !is_child() {
            let (status, said) = in_a_process("a_fault_of_another_thread_ends_the_process_too");
            assert_eq!(status, Some(STATUS), "{said}");
            assert!(said.contains("noted") && !said.contains("went on"), "{said}");
            return;
        }
        ends_the_process(STATUS);
        before_the_end(|| println!("not this"));
        before_the_end(|| println!("noted"));
        let _ = thread::spawn(|| panic!("wrong")).join();
        println!("went on");
    }
}
