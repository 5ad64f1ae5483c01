//! What is still to be learned? At the end of a session a host waits for a second at most, so
//! its hook only leaves a small file in a folder of the data folder. What a reviewer said last
//! is left there as well before it is learned: no host says it twice. The next
//! process works it off: the next hook ([`backlog`]), a running `hardwon mcp`, or
//! `hardwon learn --pending`.
//!
//! The files, and how one of several processes gets hold of one, are `hardwon_store::queue`.

pub mod backlog;
mod learner;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::digest::{hex, sha256};
use hardwon_core::event::{Problem, Record};
use hardwon_render::answer::{Answer, Learned};
use hardwon_store::files;
use hardwon_store::queue::{self, Job, Lease};
use serde::{Deserialize, Serialize};

use super::reviewer::KeptMessage;
use crate::error::EngineError;
use crate::open::Options;
use crate::place::Environment;
use learner::Learner;

/// The folder, in the data folder.
pub(super) const FOLDER: &str = "queue";

/// Part of the file name of a message, before the mark of its session.
const SAID: &str = "-said-";

/// So many readers may begin and not finish.
const MAX_BEGUN: usize = 3;

/// What is to be learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// The conversation in this file.
    Transcript(String),
    /// What an agent said last.
    #[serde(rename = "said")]
    Message(KeptMessage),
    /// A run that ended, to be reflected on.
    Reflect(String),
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
            Work::Transcript(_) | Work::Reflect(_) => ".json".to_owned(),
            Work::Message(_) => format!("{SAID}{}.json", hex(&sha256(&[&self.session])[..6])),
        }
    }

    /// For people.
    fn name(&self) -> String {
        hardwon_core::gate::without_control(match &self.work {
            Work::Transcript(path) => path,
            Work::Message(said) => &said.run,
            Work::Reflect(run) => run,
        })
    }
}

/// Leaves a file, complete or not at all, and says which.
pub fn enqueue(environment: &Environment, queued: &Queued) -> Result<PathBuf, EngineError> {
    let folder = environment.data_folder()?.join(FOLDER);
    let line = serde_json::to_string(queued).expect("texts can be written as JSON");
    queue::add(&folder, crate::place::wall_clock(), &line, &queued.ending())
        .map_err(|source| EngineError::File { path: folder, source })
}

/// Reads every session that waits and that no other process is reading, each in its own project.
pub fn learn_pending(
    environment: &Environment,
    options: &Options,
) -> Result<Answer<Learned>, EngineError> {
    learn_pending_until(environment, options, &|| false)
}

/// The same, but no further session is begun once `is_over` says so. What cannot be read is
/// reported and does not wait any longer; a store that cannot be written keeps all of
/// it waiting.
pub fn learn_pending_until(
    environment: &Environment,
    options: &Options,
    is_over: &dyn Fn() -> bool,
) -> Result<Answer<Learned>, EngineError> {
    let mut learned = Learned::default();
    let mut problems = Vec::new();
    let mut read: BTreeSet<String> = BTreeSet::new();
    let mut learner = Learner::new(environment, options);
    for path in waiting(environment)? {
        if is_over() {
            break;
        }
        let Some(lease) = Lease::take(&path) else { continue };
        let job = read_job(&lease);
        if job.is_ok() {
            lease.begin();
        }
        match job {
            Err(reason) => problems.push(Problem::new("queue", reason)),
            Ok(queued) if is_preceded(&path, &queued) => {
                lease.give_back();
                continue;
            }
            // A session that ended twice is read once.
            Ok(Queued { work: Work::Transcript(path), .. }) if !read.insert(path.clone()) => {}
            Ok(queued) => {
                let done = learner.learn(&queued, &mut problems);
                let done = done.inspect_err(|_| lease.give_back())?;
                if let Some(more) = done {
                    learned.operation = more.operation.or(learned.operation);
                    learned.runs.extend(more.runs);
                }
            }
        }
        finish(lease)?;
    }
    Ok(Answer::of(learned, problems).empty_if(|it| it.runs.is_empty()))
}

/// How many sessions wait.
pub fn n_waiting(environment: &Environment) -> usize {
    waiting(environment).map_or(0, |paths| paths.len())
}

/// Files with messages, up to this one, oldest first.
pub(super) fn said_until(environment: &Environment, last: &Path) -> Vec<PathBuf> {
    let mut paths = waiting(environment).unwrap_or_default();
    paths.retain(|path| session_mark(path).is_some() && path.as_path() <= last);
    paths
}

/// Whether this is a message of the main agent, and earlier ones of its session still wait: only
/// after them it is known whether it just passes on what they found.
pub(super) fn is_preceded(path: &Path, queued: &Queued) -> bool {
    let Work::Message(said) = &queued.work else { return false };
    let mark = session_mark(path);
    if !said.is_of_main_agent() || mark.is_none() {
        return false;
    }
    let entries = path.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|other| other.as_path() < path && session_mark(&other) == mark)
}

/// By which the file of one session's message is known.
fn session_mark(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str().filter(|name| !name.starts_with('.'))?;
    Some(name.strip_suffix(".json")?.split_once(SAID)?.1)
}

/// The files, oldest first.
pub(super) fn waiting(environment: &Environment) -> Result<Vec<PathBuf>, EngineError> {
    Ok(queue::waiting(&environment.data_folder()?.join(FOLDER)))
}

/// What is to be learned, or why it never will be.
pub(super) fn read_job(lease: &Lease) -> Result<Queued, String> {
    let Job { line, n_begun } = lease.read().map_err(|error| error.to_string())?;
    let Ok(queued) = serde_json::from_str::<Queued>(&line) else {
        return Err("a file that is not a session was skipped".to_owned());
    };
    if n_begun >= MAX_BEGUN {
        let name = queued.name();
        return Err(format!("given up after {MAX_BEGUN} readers did not come to the end: {name}"));
    }
    Ok(queued)
}

pub(super) fn finish(lease: Lease) -> Result<(), EngineError> {
    let path = lease.path().to_owned();
    lease.finish().map_err(|source| EngineError::File { path, source })
}

/// What a conversation that a host kept says.
pub(crate) fn read_transcript(path: &Path) -> Result<Record, Problem> {
    let name = hardwon_core::gate::without_control(&path.display().to_string());
    let unread = |error: std::io::Error| Problem::new(&name, error.to_string());
    let file = files::open_linked(path).map_err(unread)?;
    let read = hardwon_readers::transcript(&name, file);
    read.map_err(|error| Problem::new(&name, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(folder: &Path) -> Environment {
        Environment { home: Some(folder.to_owned()), ..Environment::default() }
    }

    fn queue_one(environment: &Environment) -> PathBuf {
        let work = Work::Transcript("/nowhere/s1.jsonl".to_owned());
        enqueue(environment, &Queued { work, ..Queued::default() }).unwrap()
    }

    #[test]
    fn what_somebody_works_on_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
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

    #[test]
    fn a_session_that_takes_its_readers_with_it_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let path = queue_one(&environment);
        for _ in 0..MAX_BEGUN {
            // Begins, and is gone.
            let lease = Lease::take(&path).unwrap();
            assert!(read_job(&lease).is_ok());
            lease.begin();
        }
        let reason = read_job(&Lease::take(&path).unwrap()).unwrap_err();
        assert!(reason.contains("given up"), "{reason}");
        learn_pending(&environment, &Options::default()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn what_is_no_session_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let path = queue_one(&environment);
        fs::write(&path, "{\"host\":").unwrap();
        let answer = learn_pending(&environment, &Options::default()).unwrap();
        assert_eq!(answer.problems[0].reason, "a file that is not a session was skipped");
        assert!(!path.exists());
    }
}
