//! Whose turn is it to write? Every process that wants to write takes an advisory lock on a file
//! beside the store, before it reads what its write is decided on. SQLite alone lets all of them
//! decide at once, of whom one succeeds, and its waiting backs off: who has waited longest looks
//! least often.
//!
//! The system takes the lock back from a process that dies. Where no lock can be had (a folder
//! that cannot be written, a file system without locks) everybody has their turn at once, and
//! SQLite's own lock still keeps every write whole.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use crate::files;

/// How long a process waits before it looks again.
const PAUSE: Duration = Duration::from_millis(3);

/// The right to write, as long as the value lives. Clones of one process share it.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    _held: Option<Arc<File>>,
}

/// The turns of one store.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    lock: PathBuf,
    held: Weak<File>,
}

/// How long a process waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    /// Until then, whoever has the turn.
    Until(Instant),
    /// As long as the turn goes on from one process to the next within this time: in a crowd
    /// nobody is turned away, and who hangs is told.
    WhileOthersGoOn(Duration),
}

impl Turns {
    /// The turns of the store with this lock file.
    pub(crate) fn new(lock: PathBuf) -> Self {
        Turns { lock, held: Weak::new() }
    }

    /// Waits for this process's turn; `None` when its patience is over. A turn that this process
    /// holds already is shared.
    pub(crate) fn wait(&mut self, patience: Patience, makes_file: bool) -> Option<Turn> {
        if let Some(held) = self.held.upgrade() {
            return Some(Turn { _held: Some(held) });
        }
        let (mut holder, mut seen_at) = (None, Instant::now());
        loop {
            if let Some(turn) = attempt(&self.lock, makes_file) {
                self.held = turn._held.as_ref().map(Arc::downgrade).unwrap_or_default();
                return Some(turn);
            }
            let now = Instant::now();
            let since = taken_at(&self.lock);
            if since != holder {
                (holder, seen_at) = (since, now);
            }
            let until = match patience {
                Patience::Until(until) => until,
                Patience::WhileOthersGoOn(limit) => seen_at + limit,
            };
            if now >= until {
                return None;
            }
            std::thread::sleep(PAUSE.min(until - now));
        }
    }
}

/// Takes the lock on this file; `None` if another process holds it. Where it cannot be had at all,
/// whoever asks has their turn.
pub fn attempt(lock: &Path, makes_file: bool) -> Option<Turn> {
    let opened = if makes_file { files::open_lock(lock, 0o600) } else { files::open_to_add(lock) };
    let Ok(file) = opened else { return Some(Turn::default()) };
    match file.try_lock() {
        Ok(()) => {
            // By this the others know that the turn went on.
            files::touch(&file);
            Some(Turn { _held: Some(Arc::new(file)) })
        }
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => Some(Turn::default()),
    }
}

/// When the turn last went on to another process, as far as that can be told.
fn taken_at(lock: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(lock).and_then(|about| about.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Patience = Patience::WhileOthersGoOn(Duration::ZERO);

    fn is_mine(lock: &Path) -> bool {
        attempt(lock, true).is_some()
    }

    #[test]
    fn one_has_the_turn_and_its_end_frees_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let (mut mine, mut others) = (Turns::new(lock.clone()), Turns::new(lock.clone()));
        let turn = mine.wait(AT_ONCE, true).unwrap();
        assert!(others.wait(AT_ONCE, true).is_none());
        let again = mine.wait(AT_ONCE, true).expect("it has the turn already");
        drop(turn);
        assert!(!is_mine(&lock), "one holder is left");
        drop(again);
        assert!(others.wait(AT_ONCE, true).is_some());
    }

    /// The system releases the lock with the last open file: nothing is left by a process that
    /// is killed.
    #[test]
    fn a_lock_file_that_nobody_holds_stops_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        std::fs::write(&lock, "left behind").unwrap();
        assert!(is_mine(&lock));
    }

    #[test]
    fn where_no_lock_can_be_had_everybody_has_their_turn() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("odd");
        fs::create_dir(&odd).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
        for lock in [&odd, &link] {
            let first = Turns::new(lock.clone()).wait(AT_ONCE, true);
            assert!(first.is_some() && Turns::new(lock.clone()).wait(AT_ONCE, true).is_some());
        }
        assert!(!folder.path().join("elsewhere").exists(), "the link was followed");
    }

    /// The times are those of the holders, not of the one that waits: no test waits.
    #[test]
    fn a_turn_that_goes_on_is_told_from_one_that_hangs() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let first = attempt(&lock, true);
        let begun = taken_at(&lock);
        assert!(begun.is_some() && !is_mine(&lock));
        assert_eq!(taken_at(&lock), begun, "looking changes nothing");
        drop(first);
        let next = attempt(&lock, true);
        assert!(next.is_some());
        assert_ne!(taken_at(&lock), begun, "another one has it");
    }
}
