//! The script's files, opened and written with more care than it takes: which folders are
//! refused, the lock, and what a failure is called.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use hardwon_readers::{Complaint, ShippedEvent, Stream, shipped_events};

use super::super::folder::{FolderError, Lock, Mode};
use super::{LESSONS, Shipped, Stop, shell};
use crate::foreign::FOLDERS;

/// How long another writer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// No log of a run is larger; one that is is left alone.
const MAX_LOG_BYTES: u64 = 256 << 20;

/// The script ends with the status of its JSON tool: this one for what is no JSON.
const MALFORMED: u8 = 4;
/// And this one for JSON that has no such field.
pub(super) const USELESS: u8 = 5;

impl Shipped<'_> {
    /// Refuses state folders that a checkout could have pointed elsewhere.
    pub(super) fn check_folders(&self) -> Result<(), Stop> {
        self.folder.check(FOLDERS).map_err(|error| match error {
            FolderError::Link(path) => Stop::failure(format!(
                "ERROR: refusing to use {}: it is a symlink (a repository can point it anywhere).",
                self.shown(&path)
            )),
            FolderError::NotAFolder(path) => Stop::failure(format!(
                "ERROR: refusing to use {}: not a directory.",
                self.shown(&path)
            )),
            other => Stop::failure(format!("ERROR: {other}")),
        })
    }

    /// Waits for other writers, and refuses a file that is not ours to replace.
    pub(super) fn lock(&self) -> Result<Lock, Stop> {
        let lock = self.folder.lock(LESSONS, PATIENCE).map_err(|error| {
            let mut talk = Vec::new();
            if let FolderError::Link(path) = error {
                let path = self.shown(&path);
                talk.push(format!("Error: refusing to use symlinked lock file: {path}"));
            }
            talk.push(format!("Error: could not lock .archeflow/{LESSONS}"));
            Stop { talk, code: 1 }
        })?;
        self.folder.sweep(LESSONS);
        self.refuse_link(LESSONS)?;
        Ok(lock)
    }

    /// Refuses to write a file that is a link or no file.
    pub(super) fn refuse_link(&self, name: &str) -> Result<(), Stop> {
        self.folder.has_file(name).map(drop).map_err(|error| self.failure("write", name, error))
    }

    /// A file of the folder; `None` if it is not there.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Stop> {
        self.folder.read(name).map_err(|error| self.failure("read", name, error))
    }

    /// Adds a line, on a line of its own even if the last one was not finished.
    pub(super) fn append(&self, name: &str, lines: &[u8]) -> Result<(), Stop> {
        self.refuse_link(name)?;
        let is_torn = self.read(name)?.is_some_and(|old| !old.is_empty() && !old.ends_with(b"\n"));
        let lines = if is_torn { &[b"\n", lines].concat() } else { lines };
        self.folder.append(name, lines, true).map_err(|error| self.failure("write", name, error))
    }

    /// Replaces the lessons; afterwards they are for their owner alone.
    pub(super) fn replace_lessons(&self, bytes: &[u8]) -> Result<(), Stop> {
        let replaced = self.folder.replace(LESSONS, bytes, Mode::Private);
        replaced.map_err(|error| self.failure("write", LESSONS, error))
    }

    /// The log of a run that an argument names. A link is followed if it is the caller's,
    /// not if it is in the folder.
    pub(super) fn log(&self, name: &str) -> Result<Stream<ShippedEvent>, Stop> {
        let path = self.cwd.join(name);
        let below = path.strip_prefix(self.folder.base()).ok().and_then(Path::to_str);
        let bytes = match below {
            Some(below) => self.read(below)?,
            None => read_plain(&path)?,
        };
        let missing = || Stop::failure(format!("Error: events file not found: {name}"));
        bytes.map(|bytes| shipped_events(&bytes)).ok_or_else(missing)
    }

    /// The run that a log is of. Nothing is done with a log that is not sound to its end.
    pub(super) fn run_of(&self, log: &Stream<ShippedEvent>, name: &str) -> Result<String, Stop> {
        if let Some(complaint) = log.complaint() {
            return Err(complained(complaint, name));
        }
        let run = log.usable().next().map(|event| event.run_id.printed()).unwrap_or_default();
        Ok(shell::stripped(shell::first_line(&run)))
    }

    fn failure(&self, act: &str, name: &str, error: FolderError) -> Stop {
        Stop::failure(match error {
            FolderError::Link(path) => format!(
                "Error: refusing to {act} through symlink: {} (in .archeflow/{name})",
                self.shown(&path)
            ),
            FolderError::NotAFile(path) | FolderError::NotAFolder(path) => {
                format!("Error: refusing to {act} {}: not a plain file", self.shown(&path))
            }
            other => format!("Error: {other}"),
        })
    }

    /// A path below the folder as the script calls it.
    fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(self.folder.base()) {
            Ok(below) if below.as_os_str().is_empty() => ".archeflow".to_owned(),
            Ok(below) => format!(".archeflow/{}", below.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// What the script's JSON tool says and how it ends. The words are ours.
pub(super) fn complained(complaint: Complaint, name: &str) -> Stop {
    let (why, code) = match complaint {
        Complaint::Malformed(line) => (format!("parse error: {name}, line {line}"), MALFORMED),
        Complaint::LastIsUseless => (format!("error: {name} has a value without fields"), USELESS),
    };
    Stop { talk: vec![why], code }
}

/// The same where the script lets nothing be heard of it.
pub(super) fn complained_silently(complaint: Complaint) -> Stop {
    Stop::silent(complained(complaint, "").code)
}

/// A file that the caller named; `None` if there is no plain file. Never waits for a pipe.
fn read_plain(path: &Path) -> Result<Option<Vec<u8>>, Stop> {
    let failure = |error| Stop::failure(format!("Error: {}: {error}", path.display()));
    let is_plain = |found: std::io::Result<std::fs::Metadata>| found.is_ok_and(|m| m.is_file());
    if !is_plain(path.metadata()) {
        return Ok(None);
    }
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = file.map_err(failure)?;
    if !is_plain(file.metadata()) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(MAX_LOG_BYTES + 1).read_to_end(&mut bytes).map_err(failure)?;
    match bytes.len() as u64 > MAX_LOG_BYTES {
        true => Err(Stop::failure(format!("Error: {}: larger than 256 MiB", path.display()))),
        false => Ok(Some(bytes)),
    }
}
