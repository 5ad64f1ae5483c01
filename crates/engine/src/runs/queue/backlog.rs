//! Who learns what waits when many agents stop at once? One process at a time: twenty that write
//! at once would mostly decide anew because of each other. Mostly that is a worker that a hook
//! started ([`work_alone`]). Without workers hooks do it: one works the messages off, oldest first
//! and up to its own, while the others wait for it a little. Whose time is over leaves the rest to
//! the next.

use std::path::Path;
use std::time::Duration;

use hardwon_render::answer::{Answer, Learned};
use hardwon_store::Turn;
use hardwon_store::queue::Lease;
use hardwon_store::turn::attempt;

use super::learner::Learner;
use super::{Then, due, is_preceded, learn_pending_until, read_job, said_until, work_on};
use crate::error::Result;
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
) -> Result<bool> {
    while own.exists() && !is_over() {
        if let Some(_turn) = lock(own) {
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
    if let Some(_turn) = lock(&last) {
        let _ = pass(environment, options, &last, &|| false);
    }
}

/// Everything that is due, in a process that nobody waits for; `tell` gets what came of it. Who
/// finds another at work leaves all to that one, which looks once more after it gave the lock
/// back: what was left before is found by the one or the other.
pub fn work_alone(
    environment: &Environment,
    options: &Options,
    is_over: &dyn Fn() -> bool,
    then: Then<'_>,
    tell: &dyn Fn(Result<Answer<Learned>>),
) {
    let mut before = Vec::new();
    while let Ok(waiting) = due(environment)
        && let Some(first) = waiting.first()
        // What could not be done will not be done by trying again at once.
        && waiting != before
        && !is_over()
    {
        let Some(turn) = lock(first) else { return };
        tell(learn_pending_until(environment, options, is_over, then));
        drop(turn);
        before = waiting;
    }
}

/// Whether a process is at work on what waits.
pub fn is_worked_on(environment: &Environment) -> bool {
    let folder = environment.data_folder().map(|folder| folder.join(QUEUE));
    folder.is_ok_and(|folder| attempt(&folder.join(LOCK), false).is_none())
}

/// Where no lock can be had every process works.
fn lock(own: &Path) -> Option<Turn> {
    attempt(&own.with_file_name(LOCK), true)
}

/// A message that fails does not stop the next one; the failure of the last is returned.
fn pass(
    environment: &Environment,
    options: &Options,
    own: &Path,
    is_over: &dyn Fn() -> bool,
) -> Result<()> {
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
    use std::path::PathBuf;

    use super::super::{Queued, Work, enqueue, learn_pending, n_due};
    use super::*;
    use crate::runs::learn::ReviewerMessage;

    fn home() -> (tempfile::TempDir, Environment) {
        let folder = tempfile::tempdir().unwrap();
        let (home, place) = (Some(folder.path().join("data")), folder.path().to_owned());
        (folder, Environment { home, folder: place, ..Environment::default() })
    }

    /// Puts what a reviewer, or the main agent, said into the queue.
    fn said(environment: &Environment, agent: Option<&str>, text: &str) -> PathBuf {
        let message = ReviewerMessage {
            run: agent.map_or("claude-s1".to_owned(), |agent| format!("claude-s1/{agent}")),
            parent: agent.map(|_| "claude-s1".to_owned()),
            role: agent.map(|agent| format!("{agent}-reviewer")),
            agent: "claude-code".to_owned(),
            message: format!(
                "| Severity | File | Finding |\n|-|-|-|\n| HIGH | a.rs:1 | {text} |\n"
            ),
            cwd: None,
        };
        let (host, session) = ("claude".to_owned(), "s1".to_owned());
        let (work, folder) = (Work::Message(message), environment.folder.display().to_string());
        enqueue(environment, &Queued { host, session, work, folder, ..Queued::default() }).unwrap()
    }

    const FINDING: &str = "Password compared with a function that returns early";

    #[test]
    fn what_others_left_is_learned_before_ones_own() {
        let (_folder, environment) = home();
        let options = Options::default();
        said(&environment, Some("a1"), FINDING);
        let own = said(&environment, None, FINDING);
        let later = said(&environment, Some("a2"), FINDING);
        assert!(!work_off(&environment, &options, &own, &|| true).unwrap(), "no time");
        assert_eq!(n_due(&environment), 3);
        assert!(work_off(&environment, &options, &own, &|| false).unwrap());
        assert!(later.exists(), "its owner is about to do it");
        let answer = learn_pending(&environment, &options).unwrap();
        assert!(answer.problems.is_empty(), "{:?}", answer.problems);
        assert_eq!(n_due(&environment), 0);
    }

    /// Out of turn the main agent, who passes on what a reviewer found, would be a second
    /// voice.
    #[test]
    fn the_main_agent_waits_for_its_reviewers() {
        let (_folder, environment) = home();
        let options = Options::default();
        let first = said(&environment, Some("a1"), FINDING);
        let own = said(&environment, None, FINDING);
        let lease = Lease::take(&first).unwrap();
        assert!(!work_off(&environment, &options, &own, &|| false).unwrap());
        assert!(learn_pending(&environment, &options).unwrap().body.runs.is_empty());
        drop(lease);
        let learned = learn_pending(&environment, &options).unwrap().body;
        let runs: Vec<&str> = learned.runs.iter().map(|run| run.run.as_str()).collect();
        assert_eq!(runs, ["claude-s1/a1"], "what it passes on is no run of its own");
        assert_eq!(n_due(&environment), 0);
    }

    /// Something is left just when the worker has looked for the last time: whoever left it found
    /// the lock taken, so this one has to find it.
    #[test]
    fn what_is_left_while_a_worker_works_is_not_forgotten() {
        let (_folder, environment) = home();
        said(&environment, Some("a1"), FINDING);
        let n_passes = std::cell::Cell::new(0);
        let tell = |done: Result<Answer<Learned>>| {
            assert_eq!(done.unwrap().body.runs.len(), 1);
            assert!(is_worked_on(&environment), "nobody else may begin");
            if n_passes.replace(n_passes.get() + 1) == 0 {
                said(&environment, Some("a2"), "The pool is never closed");
            }
        };
        work_alone(&environment, &Options::default(), &|| false, &|_, _| Vec::new(), &tell);
        assert_eq!((n_passes.get(), n_due(&environment)), (2, 0));
        assert!(!is_worked_on(&environment));
    }

    #[test]
    fn a_worker_whose_time_is_over_begins_nothing_further() {
        let (_folder, environment) = home();
        for agent in ["a1", "a2", "a3"] {
            said(&environment, Some(agent), FINDING);
        }
        let n_looks = std::cell::Cell::new(0);
        // Over after the first message was begun.
        let is_over = || n_looks.replace(n_looks.get() + 1) >= 2;
        work_alone(&environment, &Options::default(), &is_over, &|_, _| Vec::new(), &|done| {
            drop(done.unwrap());
        });
        assert_eq!(n_due(&environment), 2, "the first was brought to its end");
        // Another is at work: all is left to that one.
        let held = lock(&super::super::waiting(&environment).unwrap()[0]);
        work_alone(&environment, &Options::default(), &|| false, &|_, _| Vec::new(), &|_| {
            unreachable!("not ours")
        });
        assert_eq!(n_due(&environment), 2);
        drop(held);
    }

    #[test]
    fn one_works_and_the_others_wait_for_it() {
        let (_folder, environment) = home();
        let own = said(&environment, Some("a1"), FINDING);
        let held = lock(&own);
        assert!(held.is_some() && lock(&own).is_none());
        let n_looks = std::cell::Cell::new(0);
        let is_over = || n_looks.replace(n_looks.get() + 1) > 3;
        assert!(!work_off(&environment, &Options::default(), &own, &is_over).unwrap());
        drop(held);
        work_off_all(&environment, &Options::default());
        assert!(!own.exists());
    }
}
