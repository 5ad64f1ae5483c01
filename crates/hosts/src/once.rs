//! Was this event answered already? Hosts that read each other's settings call a hook twice,
//! often at the same moment. Who makes the event's file first may answer; the file system
//! decides, so two processes never both win.
//!
//! Files are empty, named by a digest, and only made when there is something to print.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

use hardwon_engine::{Environment, files};

const FOLDER: &str = "hook-events";

/// An event without an id of its own is the same when it comes again within this time.
const WINDOW_S: i64 = 10;

/// Beyond so many files, those of yesterday are removed.
const MAX_FILES: usize = 512;
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Host, session, event and an id: never twice.
    Named(String),
    /// A digest of the event: not twice within ten seconds.
    Moment(String),
}

/// Whether the caller is the first who answers this event. Where no file can be made nobody
/// can tell, and everybody answers.
pub fn claim(environment: &Environment, key: &Key) -> bool {
    let Ok(folder) = environment.data_folder() else { return true };
    let folder = folder.join(FOLDER);
    match key {
        Key::Named(name) => make(&folder, &digest(name)),
        Key::Moment(name) => {
            let second = environment.now().map_or(0, |now| now.0.div_euclid(1000));
            let at = |second: i64| format!("{}-{second}", digest(name));
            // First its own, then a look at the others: of two at once one sees the other.
            let is_first = make(&folder, &at(second));
            let before = (second - WINDOW_S + 1)..second;
            let was_answered = || before.clone().any(|s| folder.join(at(s)).exists());
            if is_first && was_answered() {
                // A repeat does not make the next one a repeat.
                let _ = fs::remove_file(folder.join(at(second)));
                return false;
            }
            is_first
        }
    }
}

/// Removes old files when there are many. For the start of a session, when the answer is out.
pub fn tidy(environment: &Environment) {
    let Ok(folder) = environment.data_folder() else { return };
    let Ok(entries) = fs::read_dir(folder.join(FOLDER)) else { return };
    let files: Vec<fs::DirEntry> = entries.flatten().take(100 * MAX_FILES).collect();
    if files.len() <= MAX_FILES {
        return;
    }
    let yesterday = SystemTime::now().checked_sub(KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
    for file in files {
        let changed = file.metadata().and_then(|about| about.modified());
        if changed.is_ok_and(|changed| changed < yesterday) {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn digest(name: &str) -> String {
    let digest = hardwon_engine::digest(name.as_bytes());
    digest.trim_start_matches("sha256:").chars().take(32).collect()
}

/// False only if the file is there already.
fn make(folder: &Path, name: &str) -> bool {
    !files::make_new(&folder.join(name))
        .is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(home: &Path, now: &str) -> Environment {
        Environment { home: Some(home.into()), now: Some(now.into()), ..Environment::default() }
    }

    #[test]
    fn a_named_event_is_answered_once() {
        let folder = tempfile::tempdir().unwrap();
        let now = at(&folder.path().join("new"), "2026-04-03T14:00:00Z");
        let key = |name: &str| Key::Named(name.to_owned());
        assert!(claim(&now, &key("a")) && claim(&now, &key("b")));
        assert!(!claim(&at(&folder.path().join("new"), "2026-05-03T14:00:00Z"), &key("a")));
    }

    #[test]
    fn a_moment_lasts_ten_seconds_from_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::Moment("a".to_owned());
        let answered = |second: u32| {
            claim(&at(folder.path(), &format!("2026-04-03T14:00:{second:02}Z")), &key)
        };
        let answers: Vec<bool> = [0, 0, 6, 9, 10, 15, 25].map(answered).to_vec();
        assert_eq!(answers, [true, false, false, false, true, false, true]);
    }

    #[test]
    fn of_many_at_once_one_answers() {
        let folder = tempfile::tempdir().unwrap();
        for key in [Key::Named("a".into()), Key::Moment("a".into())] {
            let now = at(folder.path(), "2026-04-03T14:00:00Z");
            let n_first = std::thread::scope(|scope| {
                let claims: Vec<_> = (0..8).map(|_| scope.spawn(|| claim(&now, &key))).collect();
                claims.into_iter().filter_map(|claim| claim.join().ok().filter(|won| *won)).count()
            });
            assert_eq!(n_first, 1, "{key:?}");
        }
    }

    #[test]
    fn where_nothing_can_be_written_everybody_answers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let key = Key::Named("a".to_owned());
        assert!(claim(&at(&file, "2026-04-03T14:00:00Z"), &key));
        assert!(claim(&Environment::default(), &key));
    }
}
