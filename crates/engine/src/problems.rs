//! What went wrong lately? `inject` fails open and hooks are silent, so their trouble is
//! noted in a small file of the data folder, where `doctor` finds it. Nothing is opened
//! while all goes well; noting never waits and never fails its caller.
//!
//! One line each: time, command, status and cause, between tabs. Causes pass the gate:
//! they hold no secret, and no message of ours repeats the text of a prompt.

use std::fs;
use std::path::Path;

use hardwon_core::gate::Gate;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::Status;
use hardwon_store::files::{self, Mode};

use crate::place::Environment;

/// The file, in the data folder.
pub(crate) const FILE: &str = "problems.log";

/// The file is cut when it grows beyond this, to the newest lines that fit in half of it.
const MAX_BYTES: u64 = 64 << 10;

/// Most lines that are kept when the file is cut.
const MAX_LINES: usize = 200;

/// Longest cause, in characters.
const MAX_CAUSE_CHARS: usize = 300;

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    pub at: Timestamp,
    /// `inject`, `learn`, `hook claude`.
    pub command: String,
    pub status: Status,
    pub cause: String,
}

/// Notes a failure. False if there is nowhere to note it: then the caller's standard
/// error is all that is left.
pub fn note(environment: &Environment, command: &str, status: Status, cause: &str) -> bool {
    let Ok(folder) = environment.data_folder() else { return false };
    // A wrong HARDWON_NOW may be the very thing that went wrong.
    let at = environment.now().unwrap_or_else(|_| crate::place::wall_clock());
    let gate = Gate::standard();
    let cause: String = gate.line(cause).as_str().chars().take(MAX_CAUSE_CHARS).collect();
    let command = gate.word(command).unwrap_or_default();
    // Whatever was torn off before stays a line of its own.
    let line = format!("\n{at}\t{command}\t{status}\t{cause}\n");
    let path = folder.join(FILE);
    let appended = files::append(&path, &line);
    let length = appended.and_then(|file| Ok(file.metadata()?.len()));
    length.and_then(|length| if length > MAX_BYTES { cut(&path) } else { Ok(()) }).is_ok()
}

/// The newest noted failures, newest first. What is not a line of ours is passed over.
pub fn newest(environment: &Environment, limit: usize) -> Vec<Noted> {
    let Ok(folder) = environment.data_folder() else { return Vec::new() };
    let text = files::tail(&folder.join(FILE), 2 * MAX_BYTES).unwrap_or_default();
    text.lines().rev().filter_map(parsed).take(limit).collect()
}

/// Removes the noted failures once they were seen. Returns how many there were.
pub(crate) fn put_away(environment: &Environment) -> usize {
    let n = newest(environment, usize::MAX).len();
    let file = environment.data_folder().map(|folder| folder.join(FILE));
    match file.map(fs::remove_file) {
        Ok(Ok(())) => n,
        Ok(Err(_)) | Err(_) => 0,
    }
}

fn parsed(line: &str) -> Option<Noted> {
    let mut fields = line.splitn(4, '\t');
    Some(Noted {
        at: Timestamp::parse(fields.next()?)?,
        command: fields.next()?.to_owned(),
        status: Status::from_word(fields.next()?)?,
        cause: hardwon_core::gate::without_control(fields.next()?),
    })
}

/// Keeps the newest lines. A line that another process writes meanwhile may be lost.
fn cut(path: &Path) -> std::io::Result<()> {
    let text = files::tail(path, 2 * MAX_BYTES)?;
    let mut n_bytes = 0;
    let is_kept = |line: &&str| {
        n_bytes += line.len() as u64 + 1;
        n_bytes <= MAX_BYTES / 2
    };
    let lines = text.lines().rev().filter(|line| parsed(line).is_some());
    let mut kept: Vec<&str> = lines.take(MAX_LINES).take_while(is_kept).collect();
    kept.reverse();
    files::replace_unsynced(path, (kept.join("\n") + "\n").as_bytes(), Mode::PRIVATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(folder: &Path) -> Environment {
        let (home, now) = (Some(folder.to_owned()), Some("2026-04-03T14:00:00Z".to_owned()));
        Environment { home, now, ..Environment::default() }
    }

    #[test]
    fn what_is_noted_is_found_newest_first_and_without_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let environment = environment(&folder.path().join("not/there/yet"));
        assert_eq!(newest(&environment, 9), []);
        let secret = concat!("AK", "IAIOSFODNN7QWERTYU");
        assert!(note(&environment, "inject", Status::Failed, &format!("a\tb\n{secret}")));
        assert!(note(&environment, "learn", Status::Degraded, "another"));
        let found = newest(&environment, 9);
        assert_eq!(found[0].cause, "another");
        assert_eq!((found[1].command.as_str(), found[1].status), ("inject", Status::Failed));
        assert!(found[1].cause.starts_with("a b [redacted:"), "{found:?}");
        assert_eq!(newest(&environment, 1).len(), 1);
        assert_eq!(put_away(&environment), 2);
        assert_eq!(newest(&environment, 9), []);
    }

    #[test]
    fn a_torn_line_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let environment = environment(folder.path());
        note(&environment, "inject", Status::Failed, "first");
        let torn = [b"2026-04-03T14:0\xff".as_slice()].concat();
        let path = folder.path().join(FILE);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(torn);
        fs::write(&path, bytes).unwrap();
        note(&environment, "inject", Status::Failed, "second");
        let causes: Vec<String> = newest(&environment, 9).into_iter().map(|n| n.cause).collect();
        assert_eq!(causes, ["second", "first"]);
    }

    #[test]
    fn the_file_does_not_grow_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let environment = environment(folder.path());
        for n in 0..1000 {
            note(&environment, "inject", Status::Failed, &format!("{n} {}", "word ".repeat(60)));
            let length = fs::metadata(folder.path().join(FILE)).unwrap().len();
            assert!(length <= MAX_BYTES + 1024, "{length} bytes after {n}");
        }
        let found = newest(&environment, usize::MAX);
        assert!(found[0].cause.starts_with("999 "), "the newest is lost");
        assert!(found.len() > 50, "{} are left", found.len());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
    }

    #[test]
    fn nowhere_to_note_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(!note(&environment(&file), "inject", Status::Failed, "cause"));
        let elsewhere = folder.path().join("elsewhere");
        std::os::unix::fs::symlink(&file, folder.path().join(FILE)).unwrap();
        assert!(!note(&environment(folder.path()), "inject", Status::Failed, "cause"));
        assert!(!elsewhere.exists() && fs::read(&file).unwrap().is_empty());
    }
}
