//! Whose turn is it to write? Every process that wants to write takes an advisory lock on a file
//! of its own beside the store, before it reads what its write is decided on. SQLite alone lets
//! all of them decide at once, of whom one succeeds, and its waiting backs off: who has waited
//! longest looks least often. Here the one who has waited longest looks most often.
//!
//! The system takes the lock back from a process that dies. Where no lock can be had (a folder
//! that cannot be written, a file system without locks) everybody has their turn at once, and
//! SQLite's own lock still keeps every write whole.

use std::fs::{File, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use crate::files;

/// How long a newcomer waits before it looks again, on average.
const FIRST_PAUSE: Duration = Duration::from_millis(8);
/// Nobody looks more often than this.
const SHORTEST_PAUSE: Duration = Duration::from_micros(200);
/// After so long a wait the pause is half of the first one.
const AGING: Duration = Duration::from_millis(20);

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

/// What became of one attempt.
#[derive(Debug)]
pub enum Attempt {
    Mine(Turn),
    /// Another process holds it, since then as far as that can be told.
    Others {
        since: Option<SystemTime>,
    },
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
        let from = Instant::now();
        let mut chance = u64::from(std::process::id());
        let (mut holder, mut seen_at) = (None, from);
        loop {
            let since = match attempt(&self.lock, makes_file) {
                Attempt::Mine(turn) => {
                    self.held = turn._held.as_ref().map(Arc::downgrade).unwrap_or_default();
                    return Some(turn);
                }
                Attempt::Others { since } => since,
            };
            let now = Instant::now();
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
            chance = mixed(chance ^ (now - from).as_nanos() as u64);
            std::thread::sleep(pause(now - from, chance).min(until - now));
        }
    }
}

/// Takes the lock on this file if no process holds it. Where it cannot be had at all, whoever
/// asks has their turn.
pub fn attempt(lock: &Path, makes_file: bool) -> Attempt {
    let mut options = files::without_links();
    options.read(true).write(true).create(makes_file).mode(0o600);
    let Ok(file) = options.open(lock) else { return Attempt::Mine(Turn::default()) };
    match file.try_lock() {
        Ok(()) => {
            // By this the others know that the turn went on.
            let _ = file.set_modified(SystemTime::now());
            Attempt::Mine(Turn { _held: Some(Arc::new(file)) })
        }
        Err(TryLockError::WouldBlock) => {
            Attempt::Others { since: file.metadata().and_then(|about| about.modified()).ok() }
        }
        Err(TryLockError::Error(_)) => Attempt::Mine(Turn::default()),
    }
}

/// How long to wait before looking again: the shorter the longer one has waited, and by chance up
/// to half more or less, so that processes that came together do not look together.
fn pause(waited: Duration, chance: u64) -> Duration {
    let age = 1.0 + waited.as_secs_f64() / AGING.as_secs_f64();
    let share = 0.5 + (chance >> 11) as f64 / (1u64 << 53) as f64;
    FIRST_PAUSE.div_f64(age).mul_f64(share).max(SHORTEST_PAUSE)
}

/// SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Patience = Patience::WhileOthersGoOn(Duration::ZERO);

    fn is_mine(lock: &Path) -> bool {
        matches!(attempt(lock, true), Attempt::Mine(_))
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
        let missing = folder.path().join("no/such/folder/lock");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
        for lock in [&missing, &link] {
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
        let since = || match attempt(&lock, true) {
            Attempt::Others { since } => since.expect("a file has a time"),
            Attempt::Mine(_) => panic!("nobody holds it"),
        };
        let first = attempt(&lock, true);
        let begun = since();
        assert_eq!(since(), begun, "looking changes nothing");
        drop(first);
        let next = attempt(&lock, true);
        assert!(matches!(next, Attempt::Mine(_)));
        assert_ne!(since(), begun, "another one has it");
    }

    #[test]
    fn who_has_waited_longest_looks_most_often() {
        let after = |ms, chance| pause(Duration::from_millis(ms), chance);
        for chance in [0, u64::MAX / 2, u64::MAX] {
            assert!(after(0, chance) > after(50, chance) && after(50, chance) > after(300, chance));
            assert_eq!(after(10_000, chance), SHORTEST_PAUSE);
        }
        assert!(after(0, 0) >= FIRST_PAUSE / 2 && after(0, u64::MAX) <= FIRST_PAUSE * 3 / 2);
        assert_ne!(after(0, mixed(1)), after(0, mixed(2)), "two processes do not look together");
    }
}
