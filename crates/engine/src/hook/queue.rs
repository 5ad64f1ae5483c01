//! Which sessions are over and still to be read? At the end of a session a host waits for a
//! second at most, so its hook only leaves a line in a file of the data folder;
//! `hardwon learn --pending` reads what the line points to.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hardwon_core::answer::{Answer, Learned};
use hardwon_core::event::Problem;
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::place::Environment;
use crate::{Access, Engine, Options};

/// The file, in the data folder.
const FILE: &str = "queue.jsonl";

/// More is not queued: somebody has to work it off first.
const MAX_BYTES: u64 = 1 << 20;

/// One session that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    pub host: String,
    pub session: String,
    /// The transcript's file.
    pub transcript: String,
    /// Where the session worked: its project.
    pub folder: String,
    /// When it was queued.
    pub at: String,
}

/// Leaves a line: one write, so lines of several processes do not mix.
pub fn enqueue(environment: &Environment, queued: &Queued) -> Result<(), EngineError> {
    let folder = environment.data_folder()?;
    let path = folder.join(FILE);
    let failed = |source| EngineError::File { path: path.clone(), source };
    let line = serde_json::to_string(queued).map_err(|error| failed(error.into()))? + "\n";
    let mut options = plain();
    options.append(true).create(true).mode(0o600);
    let opened = options.open(&path).or_else(|_| {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        options.open(&path)
    });
    let mut file = opened.map_err(failed)?;
    if file.metadata().map_err(failed)?.len() > MAX_BYTES {
        let reason = "too many sessions wait to be read: `hardwon learn --pending`";
        return Err(failed(std::io::Error::other(reason)));
    }
    file.write_all(line.as_bytes()).map_err(failed)
}

/// Reads every session that waits, each in its own project. What cannot be read is said
/// and does not wait any longer; a store that cannot be written keeps all of it waiting.
pub fn learn_pending(
    environment: &Environment,
    options: &Options,
) -> Result<Answer<Learned>, EngineError> {
    let mut learned = Learned::default();
    let mut problems = Vec::new();
    for file in taken(environment)? {
        for queued in read_queue(&file, &mut problems) {
            let read = learn_one(environment, options, &queued, &mut problems)?;
            if let Some(more) = read {
                learned.operation = more.operation.or(learned.operation);
                learned.runs.extend(more.runs);
            }
        }
        fs::remove_file(&file).map_err(|source| EngineError::File { path: file, source })?;
    }
    let is_empty = learned.runs.is_empty();
    Ok(Answer::of(learned, problems).or_empty(is_empty))
}

/// The queue under a name of its own, so that nobody adds to what is being read, and
/// whatever a reader that died left behind.
fn taken(environment: &Environment) -> Result<Vec<PathBuf>, EngineError> {
    let folder = environment.data_folder()?;
    let name = format!("queue-{}-{}.jsonl", crate::place::wall_clock().0, std::process::id());
    let _ = fs::rename(folder.join(FILE), folder.join(name));
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let is_queue = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("queue-") && name.ends_with(".jsonl"))
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(is_queue).collect();
    files.sort();
    Ok(files)
}

fn read_queue(file: &Path, problems: &mut Vec<Problem>) -> Vec<Queued> {
    let mut bytes = Vec::new();
    let opened = plain().read(true).open(file);
    if let Err(error) = opened.and_then(|file| file.take(2 * MAX_BYTES).read_to_end(&mut bytes)) {
        problems.push(Problem::new("queue", error.to_string()));
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut found: Vec<Queued> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Queued>(line) {
            // A session that ended twice is read once.
            Ok(queued) if found.iter().any(|f| f.transcript == queued.transcript) => {}
            Ok(queued) => found.push(queued),
            Err(_) => problems.push(Problem::new("queue", "a torn line was passed over")),
        }
    }
    found
}

fn learn_one(
    environment: &Environment,
    options: &Options,
    queued: &Queued,
    problems: &mut Vec<Problem>,
) -> Result<Option<Learned>, EngineError> {
    let name = hardwon_core::gate::without_control(&queued.transcript);
    let path = Path::new(&queued.transcript);
    let opened = match fs::metadata(path) {
        Ok(about) if !about.is_file() => Err(std::io::Error::other("not a file")),
        Ok(_) => fs::File::open(path),
        Err(error) => Err(error),
    };
    let read = opened.map_err(|error| error.to_string());
    let read = read.and_then(|file| {
        hardwon_readers::transcript(&name, file).map_err(|error| error.to_string())
    });
    let record = match read {
        Ok(record) => record,
        Err(reason) => {
            problems.push(Problem::new(name, reason));
            return Ok(None);
        }
    };
    let environment = Environment {
        folder: PathBuf::from(&queued.folder),
        agent: environment.agent.clone().or(Some(queued.host.clone())),
        ..environment.clone()
    };
    let mut engine = Engine::open(&environment, options, Access::Write)?;
    let answer = engine.learn_claims(&[record])?;
    problems.extend(answer.problems);
    Ok(Some(answer.body))
}

/// A link is an error, and a pipe does not make us wait.
fn plain() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}
