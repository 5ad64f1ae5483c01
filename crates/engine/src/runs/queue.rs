//! What is still to be learned? At the end of a session a host waits for a second at most, so
//! its hook only leaves a small file in a folder of the data folder. What a reviewer said last
//! is left there as well before it is learned: no host says it twice, and a session that goes on
//! has a note that each turn renews. A process that nobody waits for works it off: the worker that
//! hooks start ([`backlog`]), a running `hardwon mcp`, or `hardwon learn --pending`. What fails again and again by its own fault is put aside, where
//! `doctor` finds it; nothing is deleted unread.
//!
//! The files, and how one of several processes gets hold of one, are `hardwon_store::queue`.

pub mod backlog;
pub mod keep;
mod learner;
mod pending;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hardwon_core::digest::{hex, sha256};
use hardwon_core::event::Problem;
use hardwon_render::answer::{Answer, Learned};
use hardwon_store::queue::{self, Keep, Lease};
use serde::{Deserialize, Serialize};

use crate::memory::{EngineError, OpenMemory, Result};
use crate::open::{Options, QUEUE};
use crate::place::Environment;
use crate::runs::learn::ReviewerMessage;
use keep::KeptRecord;
use learner::Learner;
pub use pending::{reflect_later, reflect_pending};

/// What is to be learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// The conversation in this file.
    Transcript(String),
    /// What an agent said last.
    #[serde(rename = "said")]
    Message(ReviewerMessage),
    /// A run that ended, to be reflected on.
    Reflect(String),
    /// A record that a server could not take when it came.
    Record(KeptRecord),
}

impl Default for Work {
    fn default() -> Self {
        Work::Transcript(String::new())
    }
}

/// One session that can be read, or one message of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    pub host: String,
    pub session: String,
    /// In the file by its own name: `transcript`, `said` or `reflect`.
    #[serde(flatten)]
    pub work: Work,
    /// Where the session worked: its project, unless that has a name of its own.
    pub folder: String,
    #[serde(default)]
    pub project: Option<String>,
    /// The name under which the host's agent speaks.
    #[serde(default)]
    pub agent: Option<String>,
    /// The memory it belongs to, whichever the reader uses.
    #[serde(default)]
    pub store: Option<String>,
    /// When it was queued.
    pub at: String,
}

impl Queued {
    /// What its file's name ends with.
    fn ending(&self) -> String {
        match &self.work {
            Work::Transcript(_) | Work::Reflect(_) | Work::Record(_) => ".json".to_owned(),
            Work::Message(_) => queue::marked_ending(&self.mark()),
        }
    }

    /// What all that one session leaves has in common.
    fn mark(&self) -> String {
        hex(&sha256(&[&self.session])[..6])
    }

    /// Whether the host removed what was to be read.
    fn is_gone(&self) -> bool {
        let path = match &self.work {
            Work::Transcript(path) | Work::Record(KeptRecord { path, .. }) => path,
            Work::Message(_) | Work::Reflect(_) => return false,
        };
        matches!(fs::exists(path), Ok(false))
    }
}

/// Leaves a file, complete or not at all, and says which. When this returns it is on the disk.
pub fn enqueue(environment: &Environment, queued: &Queued) -> Result<PathBuf> {
    let folder = environment.data_folder()?.join(QUEUE);
    let line = serde_json::to_string(queued).expect("texts can be written as JSON");
    queue::add(&folder, crate::place::wall_clock(), &line, &queued.ending(), Keep::Synced)
        .map_err(|source| EngineError::File { path: folder, source })
}

/// Leaves a note of a session that goes on, or renews it: it is due when no turn has renewed it
/// for a while, in case that its host never says that it is over.
pub fn renew(environment: &Environment, queued: &Queued) -> Result<()> {
    let folder = environment.data_folder()?.join(QUEUE);
    let line = serde_json::to_string(queued).expect("texts can be written as JSON");
    queue::renew(&folder, &queued.mark(), &line)
        .map_err(|source| EngineError::File { path: folder, source })
}

/// Leaves a session that is over, in the place of that note.
pub fn enqueue_ended(environment: &Environment, queued: &Queued) -> Result<()> {
    let left = enqueue(environment, queued)?;
    left.parent().into_iter().for_each(|folder| queue::withdraw(folder, &queued.mark()));
    Ok(())
}

/// Reads every session that waits and that no other process is reading, each in its own project.
pub fn learn_pending(environment: &Environment, options: &Options) -> Result<Answer<Learned>> {
    learn_pending_until(environment, options, &|| false, &|_, _| Vec::new())
}

/// What is done with each thing that was learned, where it was learned; what went wrong with that.
pub type Then<'a> = &'a dyn Fn(&mut OpenMemory, &Learned) -> Vec<Problem>;

/// The same, but no further session is begun once `is_over` says so. What cannot be read is
/// reported and put aside; a store that cannot be written keeps all of it waiting.
pub fn learn_pending_until(
    environment: &Environment,
    options: &Options,
    is_over: &dyn Fn() -> bool,
    then: Then<'_>,
) -> Result<Answer<Learned>> {
    let mut learned = Learned::default();
    let mut problems = Vec::new();
    let mut read: BTreeSet<String> = BTreeSet::new();
    let mut learner = Learner::new(environment, options);
    learner.then = Some(then);
    for path in due(environment)? {
        if is_over() {
            break;
        }
        let Some(lease) = Lease::take(&path) else { continue };
        match read_job(&lease) {
            Err(reason) => problems.push(Problem::new("queue", lease.put_aside(&reason))),
            Ok(queued) if is_preceded(&path, &queued) => {}
            // A session that ended twice is read once.
            Ok(Queued { work: Work::Transcript(path), .. }) if !read.insert(path.clone()) => {
                finish(lease)?;
            }
            Ok(queued) => {
                if let Some(more) = work_on(lease, &queued, &mut learner, &mut problems)? {
                    learned.operation = more.operation.or(learned.operation);
                    learned.runs.extend(more.runs);
                }
            }
        }
    }
    Ok(Answer::of(learned, problems).empty_if(|it| it.runs.is_empty()))
}

/// Reads a job and learns it. What fails by its own fault is noted in its file and reported.
fn work_on(
    lease: Lease,
    queued: &Queued,
    learner: &mut Learner<'_>,
    problems: &mut Vec<Problem>,
) -> Result<Option<Learned>> {
    lease.begin();
    let content = learner::read(queued);
    lease.give_back();
    let problem = match content {
        Ok(None) => return finish(lease).map(|()| None),
        Ok(Some(content)) => match learner.learn(queued, content, problems) {
            Ok(learned) => return finish(lease).map(|()| learned),
            Err(error) if error.is_of_input() => Problem::new("queue", error.to_string()),
            Err(error) => return Err(error),
        },
        Err(problem) => problem,
    };
    problems.push(problem);
    if queued.is_gone() {
        return finish(lease).map(|()| None);
    }
    lease.fail();
    Ok(None)
}

/// Puts back what was put aside: messages, and injections into this store.
pub fn retry(environment: &Environment, options: &Options) -> Result<usize> {
    let put = queue::put_back(&options.queue_folders(environment));
    put.map_err(|(path, source)| EngineError::File { path, source })
}

/// How many sessions and messages could be read now.
pub fn n_due(environment: &Environment) -> usize {
    due(environment).map_or(0, |paths| paths.len())
}

/// What waits and is not part of a session that goes on.
pub(super) fn due(environment: &Environment) -> Result<Vec<PathBuf>> {
    let (mut paths, now) = (waiting(environment)?, SystemTime::now());
    paths.retain(|path| queue::is_due(path, now));
    Ok(paths)
}

/// Files with messages, up to this one, oldest first.
pub(super) fn said_until(environment: &Environment, last: &Path) -> Vec<PathBuf> {
    let mut paths = waiting(environment).unwrap_or_default();
    paths.retain(|path| queue::mark_of(path).is_some() && path.as_path() <= last);
    paths
}

/// Whether this is a message of the main agent, and earlier ones of its session still wait: only
/// after them it is known whether it just passes on what they found.
pub(super) fn is_preceded(path: &Path, queued: &Queued) -> bool {
    let is_of_main = matches!(&queued.work, Work::Message(said) if said.is_of_main_agent());
    is_of_main && queue::is_preceded(path)
}

/// The files, oldest first.
pub(super) fn waiting(environment: &Environment) -> Result<Vec<PathBuf>> {
    Ok(queue::waiting(&environment.data_folder()?.join(QUEUE)))
}

/// What is to be learned, or why it never will be.
pub(super) fn read_job(lease: &Lease) -> Result<Queued, String> {
    let job = lease.read().map_err(|error| error.to_string())?;
    let Ok(queued) = serde_json::from_str::<Queued>(&job.line) else {
        return Err("a file that is not a session".to_owned());
    };
    job.reason_to_stop().map_or(Ok(queued), Err)
}

pub(super) fn finish(lease: Lease) -> Result<()> {
    let path = lease.path().to_owned();
    lease.finish().map_err(|source| EngineError::File { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Environment) {
        let folder = tempfile::tempdir().unwrap();
        let home = Some(folder.path().to_owned());
        (folder, Environment { home, ..Environment::default() })
    }

    fn queue_one(environment: &Environment) -> PathBuf {
        let work = Work::Transcript("/nowhere/s1.jsonl".to_owned());
        enqueue(environment, &Queued { work, ..Queued::default() }).unwrap()
    }

    #[test]
    fn what_somebody_works_on_is_nobody_elses() {
        let (_folder, environment) = home();
        let path = queue_one(&environment);
        let lease = Lease::take(&path).unwrap();
        assert!(Lease::take(&path).is_none(), "two have it");
        let answer = learn_pending(&environment, &Options::default()).unwrap();
        assert!(answer.problems.is_empty() && path.exists(), "{:?}", answer.problems);
        // Its holder dies; nothing else is left of it.
        drop(lease);
        let answer = learn_pending(&environment, &Options::default()).unwrap();
        assert_eq!(answer.problems.len(), 1, "it is not there, which is told once");
        assert!(!path.exists());
    }

    fn message(text: &str) -> Queued {
        let message =
            format!("| Severity | File | Finding |\n|-|-|-|\n| HIGH | src/a.rs:1 | {text} |\n");
        let (agent, role) = ("claude-code".to_owned(), Some("code-reviewer".to_owned()));
        let (run, parent) = ("s1/a1".to_owned(), Some("s1".to_owned()));
        let work = Work::Message(ReviewerMessage { run, parent, role, agent, message, cwd: None });
        let (host, session) = ("claude".to_owned(), "s1".to_owned());
        Queued { host, session, work, project: Some("shop".to_owned()), ..Queued::default() }
    }

    #[test]
    fn a_store_that_cannot_be_used_four_times_deletes_no_message() {
        let (folder, environment) = home();
        let options = Options::default();
        learn_pending(&environment, &options).unwrap();
        enqueue(&environment, &message("Query built by concatenation")).unwrap();
        learn_pending(&environment, &options).unwrap();
        let path = enqueue(&environment, &message("Password compared early")).unwrap();
        let before = fs::read(&path).unwrap();
        let store = folder.path().join("memory.db");
        let (hidden, bytes) = (folder.path().join("hidden"), fs::read(&store).unwrap());
        fs::rename(&store, &hidden).unwrap();
        for _ in 0..4 {
            fs::create_dir(&store).unwrap();
            learn_pending(&environment, &options).unwrap_err();
            fs::remove_dir(&store).unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), before, "no reader has left a mark");
        fs::write(&store, bytes).unwrap();
        let learned = learn_pending(&environment, &options).unwrap().body;
        assert_eq!((learned.runs.len(), path.exists()), (1, false));
    }

    /// A reader is killed while it waits for the store: it had read the message, and whatever
    /// it holds is gone.
    #[test]
    fn a_killed_worker_is_not_the_messages_fault() {
        let (_folder, environment) = home();
        let path = enqueue(&environment, &message("Query built by concatenation")).unwrap();
        for _ in 0..30 {
            let lease = Lease::take(&path).unwrap();
            let queued = read_job(&lease).unwrap();
            lease.begin();
            assert!(matches!(learner::read(&queued), Ok(Some(_))));
            lease.give_back();
        }
        let learned = learn_pending(&environment, &Options::default()).unwrap().body;
        assert_eq!((learned.runs.len(), path.exists()), (1, false));
    }

    fn aside(environment: &Environment) -> Vec<PathBuf> {
        queue::waiting(&queue::aside_folder(&environment.data_folder().unwrap().join(QUEUE)))
    }

    #[test]
    fn a_session_that_takes_its_readers_with_it_is_put_aside() {
        let (_folder, environment) = home();
        let path = queue_one(&environment);
        while Lease::take(&path).is_some_and(|lease| read_job(&lease).is_ok()) {
            // Begins, and is gone.
            Lease::take(&path).unwrap().begin();
        }
        let answer = learn_pending(&environment, &Options::default()).unwrap();
        assert!(answer.problems[0].reason.ends_with("; put aside"), "{:?}", answer.problems);
        assert_eq!((path.exists(), aside(&environment).len()), (false, 1));
    }

    #[test]
    fn what_fails_three_times_by_its_own_fault_is_put_aside_and_stops_nothing() {
        let (_folder, environment) = home();
        let options = Options::default();
        let odd = Queued { work: Work::Reflect("no run\u{1}".to_owned()), ..message("") };
        enqueue(&environment, &odd).unwrap();
        for n in 1..=3 {
            let text = format!("Query {n} built by concatenation of user input");
            let good = enqueue(&environment, &message(&text)).unwrap();
            let answer = learn_pending(&environment, &options).unwrap();
            assert_eq!((answer.problems.len(), good.exists()), (1, false), "{:?}", answer.problems);
        }
        assert_eq!((n_due(&environment), aside(&environment).len()), (1, 0));
        learn_pending(&environment, &options).unwrap();
        assert_eq!((n_due(&environment), aside(&environment).len()), (0, 1));
        assert_eq!(retry(&environment, &options).unwrap(), 1);
        assert_eq!((n_due(&environment), aside(&environment).len()), (1, 0));
        assert_eq!(learn_pending(&environment, &options).unwrap().problems.len(), 1, "as new");
    }

    #[test]
    fn what_is_no_session_is_put_aside_unread() {
        let (_folder, environment) = home();
        let path = queue_one(&environment);
        fs::write(&path, "{\"host\":").unwrap();
        let answer = learn_pending(&environment, &Options::default()).unwrap();
        assert_eq!(answer.problems[0].reason, "a file that is not a session; put aside");
        let kept = fs::read_to_string(&aside(&environment)[0]).unwrap();
        assert!(!path.exists() && kept.starts_with("{\"host\":"), "{kept}");
    }
}
