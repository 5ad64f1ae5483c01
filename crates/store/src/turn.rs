//! Whose turn is it to write? Every process that wants to write takes an advisory lock on a file
//! beside the store, before it reads what its write is decided on. SQLite alone lets all of them
//! decide at once, of whom one succeeds, and its waiting backs off: who has waited longest looks
//! least often. Here who has to wait draws a ticket, a file that it keeps locked, and the oldest
//! ticket is next. Looking more often the longer one has waited was tried instead: on a machine
//! with too much to do chance decided again, and some waited ten times as long as most.
//!
//! The system takes locks back from a process that dies, and a ticket that nobody has locked is
//! removed by the next who looks. Where no lock can be had (a folder
//! that cannot be written, a file system without locks) everybody has their turn at once, and
//! SQLite's own lock still keeps every write whole.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use crate::files;

/// How long a process waits before it looks again, on average, for each one before it; and when
/// it is next.
const PAUSE: Duration = Duration::from_millis(5);
const PAUSE_OF_THE_NEXT: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// How the folder of the tickets is called, after the name of the lock.
const TICKETS: &str = "-tickets";

/// The right to write, as long as the value lives. Clones of one process share it.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    _held: Option<Arc<File>>,
}

/// The turns of one store.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    lock: PathBuf,
    /// The folder of the tickets.
    tickets: PathBuf,
    held: Weak<File>,
}

/// What became of one attempt.
#[derive(Debug)]
pub enum Attempt {
    Mine(Turn),
    Others,
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
        let mut tickets = lock.clone().into_os_string();
        tickets.push(TICKETS);
        Turns { lock, tickets: tickets.into(), held: Weak::new() }
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
        let mut ticket = None;
        loop {
            let n_ahead = n_ahead(&self.tickets, ticket.as_ref());
            if n_ahead == 0
                && let Attempt::Mine(turn) = attempt(&self.lock, makes_file)
            {
                self.held = turn._held.as_ref().map(Arc::downgrade).unwrap_or_default();
                return Some(turn);
            }
            if makes_file && ticket.is_none() {
                ticket = Ticket::draw(&self.tickets);
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
            chance = mixed(chance ^ (now - from).as_nanos() as u64);
            std::thread::sleep(pause(n_ahead, chance).min(until - now));
        }
    }
}

/// A place in the row of those who wait: a file that its owner keeps locked.
struct Ticket {
    path: PathBuf,
    file: File,
}

impl Ticket {
    /// None if there can be none, or if somebody took it for one that was left behind before it
    /// was locked.
    fn draw(folder: &Path) -> Option<Ticket> {
        static N_DRAWN: AtomicU32 = AtomicU32::new(0);
        let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
        let n = N_DRAWN.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{at:020}-{}-{n}", std::process::id()));
        files::make_new(&path).ok()?;
        let file = files::open_to_add(&path).ok()?;
        let ticket = Ticket { path, file };
        let is_there = |file: &File| file.metadata().is_ok_and(|about| about.nlink() > 0);
        (ticket.file.try_lock().is_ok() && is_there(&ticket.file)).then_some(ticket)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// How many wait before the owner of a ticket; without one, how many wait. Tickets of processes
/// that died are removed.
fn n_ahead(folder: &Path, own: Option<&Ticket>) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let is_ahead = |path: &PathBuf| own.is_none_or(|own| *path < own.path);
    let mut ahead: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_ahead).collect();
    ahead.sort();
    let is_left_behind = |path: &PathBuf| {
        let opened = files::open_to_add(path);
        let is_free = opened.is_ok_and(|file| file.try_lock().is_ok());
        if is_free {
            let _ = fs::remove_file(path);
        }
        is_free || !path.exists()
    };
    ahead.len() - ahead.iter().take_while(|path| is_left_behind(path)).count()
}

/// Takes the lock on this file if no process holds it. Where it cannot be had at all, whoever
/// asks has their turn.
pub fn attempt(lock: &Path, makes_file: bool) -> Attempt {
    let opened = if makes_file { files::open_lock(lock, 0o600) } else { files::open_to_add(lock) };
    let Ok(file) = opened else { return Attempt::Mine(Turn::default()) };
    match file.try_lock() {
        Ok(()) => {
            // By this the others know that the turn went on.
            files::touch(&file);
            Attempt::Mine(Turn { _held: Some(Arc::new(file)) })
        }
        Err(TryLockError::WouldBlock) => Attempt::Others,
        Err(TryLockError::Error(_)) => Attempt::Mine(Turn::default()),
    }
}

/// When the turn last went on to another process, as far as that can be told.
fn taken_at(lock: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(lock).and_then(|about| about.modified()).ok()
}

/// How long to wait before looking again: the longer the more are before one, and by chance up to
/// half more or less, so that processes that came together do not look together.
fn pause(n_ahead: usize, chance: u64) -> Duration {
    let share = 0.5 + (chance >> 11) as f64 / (1u64 << 53) as f64;
    let mean = PAUSE.saturating_mul(n_ahead.min(1000) as u32).max(PAUSE_OF_THE_NEXT);
    mean.min(LONGEST_PAUSE).mul_f64(share)
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
        assert!(matches!(next, Attempt::Mine(_)));
        assert_ne!(taken_at(&lock), begun, "another one has it");
    }

    #[test]
    fn who_came_first_is_next() {
        let folder = tempfile::tempdir().unwrap();
        let mut newcomer = Turns::new(folder.path().join("lock"));
        let tickets = newcomer.tickets.clone();
        let first = Ticket::draw(&tickets).unwrap();
        let second = Ticket::draw(&tickets).unwrap();
        assert_eq!(n_ahead(&tickets, Some(&first)), 0);
        assert_eq!(n_ahead(&tickets, Some(&second)), 1);
        assert_eq!(n_ahead(&tickets, None), 2);
        assert!(newcomer.wait(AT_ONCE, true).is_none(), "two came before it");
        drop(first);
        assert_eq!(n_ahead(&tickets, Some(&second)), 0);
        drop(second);
        assert!(newcomer.wait(AT_ONCE, true).is_some());
        assert_eq!(fs::read_dir(&tickets).unwrap().count(), 0, "no ticket is left");
    }

    /// As a killed process leaves it: the file is there, and nobody has it locked.
    #[test]
    fn the_ticket_of_a_killed_process_stops_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let mut turns = Turns::new(folder.path().join("lock"));
        fs::create_dir(&turns.tickets).unwrap();
        fs::write(turns.tickets.join("00000000000000000001-7-0"), "").unwrap();
        assert!(turns.wait(AT_ONCE, true).is_some());
        assert_eq!(fs::read_dir(&turns.tickets).unwrap().count(), 0);
    }

    #[test]
    fn the_next_looks_most_often_and_no_two_together() {
        for chance in [0, u64::MAX / 2, u64::MAX] {
            assert!(pause(0, chance) < pause(1, chance) && pause(1, chance) < pause(4, chance));
            assert!(pause(usize::MAX, chance) <= LONGEST_PAUSE * 3 / 2);
        }
        assert_ne!(pause(1, mixed(1)), pause(1, mixed(2)));
    }
}
