//! What is still to be learned? At the end of a session a host waits for a second at most, so
//! its hook only leaves a small file in a folder of the data folder. What a reviewer said last
//! is left there as well before anybody tries to learn it: no host says it twice. Whoever comes
//! next works it off: the next hook ([`backlog`]), a running `hardwon mcp`, or
//! `hardwon learn --pending`.
//!
//! Who works on a file holds a lock on it, so two never do the same. The system gives the
//! lock back when its holder dies, and the session waits again; one that took several
//! readers with it does not.

pub mod backlog;
mod learner;

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use hardwon_core::digest::{hex, sha256};
use hardwon_core::event::{Problem, Record};
use hardwon_render::answer::{Answer, Learned};
use hardwon_store::files::{self, Mode};
use serde::{Deserialize, Serialize};

use super::reviewer::KeptMessage;
use crate::error::EngineError;
use crate::open::Options;
use crate::place::Environment;
use learner::Learner;

/// The folder, in the data folder.
pub(super) const FOLDER: &str = "queue";

/// More are not queued: somebody has to work them off first.
const MAX_WAITING: usize = 4096;

/// A longer file is none of ours. A message of the longest kind fits, however it is escaped.
const MAX_BYTES: u64 = 2 << 20;

/// Stands in the name of a file with what was said, before the mark of its session.
const SAID: &str = "-said-";

/// Stands in the file for each reader that began with it.
const BEGUN: &[u8] = b"begun\n";

/// As often as this somebody may begin and not come to the end.
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
    /// A run that ended, to be looked back upon.
    Reflect(String),
}

impl Default for Work {
    fn default() -> Self {
        Work::Transcript(String::new())
    }
}

/// One session that can be read, or one thing that was said in it.
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
    /// The memory it belongs into, whatever the one who reads it uses himself.
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

/// Leaves a file, whole or not at all, and says which.
pub fn enqueue(environment: &Environment, queued: &Queued) -> Result<PathBuf, EngineError> {
    static N_QUEUED: AtomicU32 = AtomicU32::new(0);
    let folder = environment.data_folder()?.join(FOLDER);
    let failed = |source| EngineError::File { path: folder.clone(), source };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
    if fs::read_dir(&folder).map_err(failed)?.count() >= MAX_WAITING {
        let reason = "too many sessions wait to be read: `hardwon learn --pending`";
        return Err(failed(std::io::Error::other(reason)));
    }
    let line = serde_json::to_string(queued).map_err(|error| failed(error.into()))? + "\n";
    let n = N_QUEUED.fetch_add(1, Ordering::Relaxed);
    let name = format!("{:015}-{}-{n}", crate::place::wall_clock().0, std::process::id());
    let placed = folder.join(name + &queued.ending());
    // An agent waits for this.
    files::replace_unsynced(&placed, line.as_bytes(), Mode::PRIVATE).map_err(failed)?;
    Ok(placed)
}

/// Reads every session that waits and that nobody else is reading, each in its own project.
pub fn learn_pending(
    environment: &Environment,
    options: &Options,
) -> Result<Answer<Learned>, EngineError> {
    learn_pending_until(environment, options, &|| false)
}

/// The same, but no further session is begun once somebody says that it is over. What cannot
/// be read is said and does not wait any longer; a store that cannot be written keeps all of
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
        match lease.begin() {
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
        lease.finish()?;
    }
    let is_empty = learned.runs.is_empty();
    Ok(Answer::of(learned, problems).or_empty(is_empty))
}

/// How many sessions wait.
pub fn n_waiting(environment: &Environment) -> usize {
    waiting(environment).map_or(0, |paths| paths.len())
}

/// Files with what was said, up to this one, oldest first.
pub(super) fn said_until(environment: &Environment, last: &Path) -> Vec<PathBuf> {
    let mut paths = waiting(environment).unwrap_or_default();
    paths.retain(|path| session_mark(path).is_some() && path.as_path() <= last);
    paths
}

/// Whether the main agent speaks here, and others of its session spoke earlier and still wait:
/// whether it only passes on what they found can be told after them.
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
    let folder = environment.data_folder()?.join(FOLDER);
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let is_job = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_job);
    let mut paths: Vec<PathBuf> = paths.take(2 * MAX_WAITING).collect();
    paths.sort();
    Ok(paths)
}

/// A file that is ours to work on, as long as this value lives.
pub(super) struct Lease {
    path: PathBuf,
    file: fs::File,
    /// As it was found, in bytes.
    length: u64,
}

impl Lease {
    /// None if somebody else has it, or had it and is done.
    pub(super) fn take(path: &Path) -> Option<Lease> {
        let file = files::without_links().read(true).append(true).open(path).ok()?;
        file.try_lock().ok()?;
        let about = file.metadata().ok().filter(|about| about.nlink() > 0)?;
        Some(Lease { path: path.to_owned(), file, length: about.len() })
    }

    /// What is to be learned, or why nobody will. Notes that somebody began.
    fn begin(&self) -> Result<Queued, String> {
        let queued = self.read()?;
        // A file that cannot be written can still be read.
        let _ = (&self.file).write_all(BEGUN);
        Ok(queued)
    }

    /// The same without the note: who has little time may well not come to the end, which is
    /// not the file's fault.
    pub(super) fn read(&self) -> Result<Queued, String> {
        let mut text = String::new();
        let read = (&self.file).take(MAX_BYTES).read_to_string(&mut text);
        read.map_err(|error| error.to_string())?;
        let (line, begun) = text.split_once('\n').unwrap_or((&text, ""));
        let Ok(queued) = serde_json::from_str::<Queued>(line) else {
            return Err("what is no session was passed over".to_owned());
        };
        if begun.lines().count() >= MAX_BEGUN {
            return Err(format!(
                "given up after {MAX_BEGUN} readers did not come to the end: {}",
                queued.name()
            ));
        }
        Ok(queued)
    }

    /// It was not the session's fault: this beginning does not count.
    fn give_back(&self) {
        let _ = self.file.set_len(self.length);
    }

    pub(super) fn finish(self) -> Result<(), EngineError> {
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(EngineError::File { path: self.path, source })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// What a conversation that a host kept says.
pub(crate) fn read_transcript(path: &Path) -> Result<Record, Problem> {
    let name = hardwon_core::gate::without_control(&path.display().to_string());
    let opened = match fs::metadata(path) {
        Ok(about) if !about.is_file() => Err(std::io::Error::other("not a file")),
        Ok(_) => fs::File::open(path),
        Err(error) => Err(error),
    };
    let file = opened.map_err(|error| Problem::new(&name, error.to_string()))?;
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
    fn who_waited_for_a_lock_does_not_do_it_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = queue_one(&home(folder.path()));
        let late = files::without_links().read(true).append(true).open(&path).unwrap();
        Lease::take(&path).unwrap().finish().unwrap();
        late.try_lock().unwrap();
        assert_eq!(late.metadata().unwrap().nlink(), 0);
        assert!(Lease::take(&path).is_none());
    }

    #[test]
    fn a_session_that_takes_its_readers_with_it_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let path = queue_one(&environment);
        for _ in 0..MAX_BEGUN {
            // Begins, and is gone.
            assert!(Lease::take(&path).unwrap().begin().is_ok());
        }
        let reason = Lease::take(&path).unwrap().begin().unwrap_err();
        assert!(reason.contains("given up"), "{reason}");
        learn_pending(&environment, &Options::default()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn who_gives_it_back_has_not_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = queue_one(&home(folder.path()));
        let before = fs::read(&path).unwrap();
        for _ in 0..2 * MAX_BEGUN {
            let lease = Lease::take(&path).unwrap();
            lease.begin().unwrap();
            lease.give_back();
        }
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn what_is_no_session_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let environment = home(folder.path());
        let path = queue_one(&environment);
        fs::write(&path, "{\"host\":").unwrap();
        let answer = learn_pending(&environment, &Options::default()).unwrap();
        assert_eq!(answer.problems[0].reason, "what is no session was passed over");
        assert!(!path.exists());
    }
}
