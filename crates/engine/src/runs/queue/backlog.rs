//! Who learns the messages when many agents stop at once? Each message lies in the queue
//! already. One hook at a time works the queue off, oldest first and up to its own message,
//! while the others wait for it a little: twenty that write at once would mostly decide anew
//! because of each other. Whose time is over leaves the rest to the next.

use std::path::Path;
use std::time::Duration;

use hardwon_store::queue::Lease;
use hardwon_store::turn::{Attempt, attempt};

use super::learner::Learner;
use super::{is_preceded, read_job, said_until, work_on};
use crate::error::EngineError;
use crate::open::{Options, QUEUE};
use crate::place::Environment;

/// Locked by the process that works; always empty, and hidden from those who look for jobs.
const LOCK: &str = ".worker";

/// How long a process waits before it checks again.
const PAUSE: Duration = Duration::from_millis(3);

/// Learns the messages up to this file. Returns whether that was done, by any process; otherwise
/// they wait for the next one.
pub fn work_off(
    environment: &Environment,
    options: &Options,
    own: &Path,
    is_over: &dyn Fn() -> bool,
) -> Result<bool, EngineError> {
    while own.exists() && !is_over() {
        if let Attempt::Mine(_turn) = lock(own) {
            pass(environment, options, own, is_over)?;
            break;
        }
        std::thread::sleep(PAUSE);
    }
    Ok(!own.exists())
}

/// The same for a process that has time left: all messages. Those that cannot be learned keep
/// waiting.
pub fn work_off_all(environment: &Environment, options: &Options) {
    let Ok(folder) = environment.data_folder() else { return };
    // Above every name, as digits are below letters.
    let last = folder.join(QUEUE).join("all");
    if said_until(environment, &last).is_empty() {
        return;
    }
    if let Attempt::Mine(_turn) = lock(&last) {
        let _ = pass(environment, options, &last, &|| false);
    }
}

/// Where no lock can be had every process works.
fn lock(own: &Path) -> Attempt {
    attempt(&own.with_file_name(LOCK), true)
}

/// A message that fails does not stop the next one; the failure of the last is returned.
fn pass(
    environment: &Environment,
    options: &Options,
    own: &Path,
    is_over: &dyn Fn() -> bool,
) -> Result<(), EngineError> {
    let mut last = Ok(());
    let mut learner = Learner::new(environment, options);
    for path in said_until(environment, own) {
        if is_over() {
            break;
        }
        let Some(lease) = Lease::take(&path) else { continue };
        // What cannot be read is reported by `learn --pending`, which then puts it aside.
        let Ok(queued) = read_job(&lease) else { continue };
        if is_preceded(&path, &queued) {
            continue;
        }
        last = work_on(lease, &queued, &mut learner, &mut Vec::new()).map(drop);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::super::{Queued, Work, enqueue, learn_pending, n_waiting};
    use super::*;
    use crate::runs::reviewer::KeptMessage;

    fn home(folder: &Path) -> Environment {
        let home = Some(folder.join("data"));
        Environment { home, folder: folder.to_owned(), ..Environment::default() }
    }

    fn queued(environment: &Environment, agent: Option<&str>, text: &str) -> Queued {
        let role = agent.map(|agent| format!("{agent}-reviewer"));
        let said = KeptMessage {
            run: agent.map_or("claude-s1".to_owned(), |agent| format!("claude-s1/{agent}")),
            parent: agent.map(|_| "claude-s1".to_owned()),
            role,
            agent: "claude-code".to_owned(),
            message: format!(
                "| Severity | File | Finding |\n|-|-|-|\n| HIGH | src/a.rs:1 | {text} |\n"
            ),
            cwd: None,
        };
        Queued {
            host: "claude".to_owned(),
            session: "s1".to_owned(),
            work: Work::Message(said),
            folder: environment.folder.display().to_string(),
            ..Queued::default()
        }
    }

    const FINDING: &str = "Password compared with a function that returns early";

    #[test]
    fn what_others_left_is_learned_before_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let options = Options::default();
        enqueue(&environment, &queued(&environment, Some("a1"), FINDING)).unwrap();
        let own = enqueue(&environment, &queued(&environment, None, FINDING)).unwrap();
        let later = enqueue(&environment, &queued(&environment, Some("a2"), FINDING)).unwrap();
        assert!(!work_off(&environment, &options, &own, &|| true).unwrap(), "no time");
        assert_eq!(n_waiting(&environment), 3);
        assert!(work_off(&environment, &options, &own, &|| false).unwrap());
        assert!(later.exists(), "its owner is about to do it");
        let answer = learn_pending(&environment, &options).unwrap();
        assert!(answer.problems.is_empty(), "{:?}", answer.problems);
        assert_eq!(n_waiting(&environment), 0);
    }

    /// Out of turn the main agent, who passes on what a reviewer found, would be a second
    /// voice.
    #[test]
    fn the_main_agent_waits_for_its_reviewers() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let options = Options::default();
        let first = enqueue(&environment, &queued(&environment, Some("a1"), FINDING)).unwrap();
        let own = enqueue(&environment, &queued(&environment, None, FINDING)).unwrap();
        let lease = Lease::take(&first).unwrap();
        assert!(!work_off(&environment, &options, &own, &|| false).unwrap());
        assert!(learn_pending(&environment, &options).unwrap().body.runs.is_empty());
        drop(lease);
        let learned = learn_pending(&environment, &options).unwrap().body;
        let runs: Vec<&str> = learned.runs.iter().map(|run| run.run.as_str()).collect();
        assert_eq!(runs, ["claude-s1/a1"], "what it passes on is no run of its own");
        assert_eq!(n_waiting(&environment), 0);
    }

    #[test]
    fn one_works_and_the_others_wait_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let own = enqueue(&environment, &queued(&environment, Some("a1"), FINDING)).unwrap();
        let held = lock(&own);
        assert!(matches!(held, Attempt::Mine(_)) && matches!(lock(&own), Attempt::Others));
        let n_looks = std::cell::Cell::new(0);
        let is_over = || n_looks.replace(n_looks.get() + 1) > 3;
        assert!(!work_off(&environment, &Options::default(), &own, &is_over).unwrap());
        drop(held);
        work_off_all(&environment, &Options::default());
        assert!(!own.exists());
    }
}
