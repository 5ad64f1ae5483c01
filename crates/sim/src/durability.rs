//! Is what was acknowledged still there after kill -9? Several writers start processes of
//! `hardwon` on one store and kill many of them at a moment that chance chooses. Every
//! answer is written down, and at the end the store is compared with it. Works in a
//! folder of its own and removes it.

mod found;
mod sent;
mod writer;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Cell, Table};
use found::Comparison;
use sent::SentWrite;
use writer::{Arena, Writer};

/// How often progress is told.
const TALK_EVERY: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// So many faults are named one by one.
const MAX_NAMED: usize = 5;

/// What is to be done to the store.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Plan {
    /// Processes to kill
    #[arg(long, default_value_t = 10_000)]
    pub kills: u64,
    /// Processes at a time
    #[arg(long, default_value_t = 8)]
    pub writers: u64,
    /// Chooses the commands and the moments
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    n_writers: u64,
    n_kills: u64,
    n_commands: u64,
    n_locked: u64,
    n_unrecorded: u64,
    /// Answers that no command may give here.
    failures: Vec<String>,
    found: Comparison,
    took: Duration,
}

/// Lets writers loose on a new store, then compares it with what they were told.
pub fn run(program: &Path, plan: Plan, talk: &mut dyn FnMut(&str)) -> Result<Outcome, String> {
    if plan.kills == 0 || plan.writers == 0 {
        return Err("a durability bench needs at least one kill and one writer".to_owned());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let from = Instant::now();
    let arena = Arena::new(program, folder.path(), plan.kills);
    let writers = let_loose(&arena, plan, talk)?;
    talk("comparing the store with what was acknowledged");
    let sent: Vec<SentWrite> = writers.iter().flat_map(|writer| writer.sent.clone()).collect();
    let mut outcome = Outcome {
        n_writers: plan.writers,
        n_kills: arena.n_kills.load(Ordering::Relaxed),
        n_commands: writers.iter().map(|writer| writer.n_commands).sum(),
        n_locked: writers.iter().map(|writer| writer.n_locked).sum(),
        n_unrecorded: writers.iter().map(|writer| writer.n_unrecorded).sum(),
        failures: writers.iter().flat_map(|writer| writer.failures.clone()).collect(),
        found: found::compare(&folder.path().join("memory.db"), &sent)?,
        took: Duration::ZERO,
    };
    outcome.took = from.elapsed();
    Ok(outcome)
}

/// Runs the writers until the kills are done; tells how far they are.
fn let_loose<'a>(
    arena: &'a Arena<'a>,
    plan: Plan,
    talk: &mut dyn FnMut(&str),
) -> Result<Vec<Writer<'a>>, String> {
    thread::scope(|scope| {
        let start = |number| {
            let mut writer = Writer::new(arena, plan.seed, number);
            scope.spawn(move || writer.work().map(|()| writer))
        };
        let handles: Vec<_> = (0..plan.writers).map(start).collect();
        let mut told = Instant::now();
        while !handles.iter().all(|handle| handle.is_finished()) {
            if told.elapsed() >= TALK_EVERY {
                told = Instant::now();
                let n_kills = arena.n_kills.load(Ordering::Relaxed);
                talk(&format!("{n_kills} of {} kills", plan.kills));
            }
            thread::sleep(LOOK_EVERY);
        }
        let ended = handles.into_iter().map(|handle| handle.join());
        ended.map(|ended| ended.unwrap_or_else(|_| Err("a writer panicked".to_owned()))).collect()
    })
}

impl Outcome {
    /// Whether everything held that must.
    pub fn is_clean(&self) -> bool {
        let Comparison { n_lost, n_doubled, n_half, faults, .. } = &self.found;
        n_lost + n_doubled + n_half + self.n_locked == 0
            && faults.is_empty()
            && self.failures.is_empty()
    }

    /// The figures, with what they mean.
    pub fn table(&self) -> Table {
        let found = &self.found;
        let integrity = match found.faults.len() {
            0 => "ok".to_owned(),
            n => format!("{n} faults"),
        };
        let row = vec![
            ("writers", Cell::Count(self.n_writers)),
            ("kills", Cell::Count(self.n_kills)),
            ("commands", Cell::Count(self.n_commands)),
            ("acknowledged", Cell::Count(found.n_acknowledged)),
            ("lost", Cell::Count(found.n_lost)),
            ("doubled", Cell::Count(found.n_doubled)),
            ("half", Cell::Count(found.n_half)),
            ("untold", Cell::Count(found.n_untold)),
            ("locked", Cell::Count(self.n_locked)),
            ("unrecorded", Cell::Count(self.n_unrecorded)),
            ("failed", Cell::Count(self.failures.len() as u64)),
            ("integrity", Cell::Text(integrity)),
            ("seconds", Cell::Number(self.took.as_secs_f64(), 1)),
        ];
        Table {
            title: "Durability: writers that are killed at random".to_owned(),
            notes: self.notes(),
            rows: vec![row],
        }
    }

    fn notes(&self) -> Vec<String> {
        let notes = [
            "Commands: add, learn, inject --run, forget, outcome; a kill counts if it met the \
             process alive.",
            "acknowledged: the answer was printed whole, also if the kill came right after it.",
            "untold: written, but killed before the answer; many such commands were sent again.",
            "half: a run without all its findings, or a lesson whose sightings are not its runs.",
            "unrecorded: inject printed its block and said that another writer kept it from \
             recording.",
            "integrity: SQLite's check, digests of texts, journal replayed against the tables, \
             index.",
        ];
        let named = self.failures.iter().chain(&self.found.faults).take(MAX_NAMED);
        notes.map(str::to_owned).into_iter().chain(named.cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_that_does_not_hold_is_not_clean() {
        let clean = Outcome { n_kills: 7, ..Outcome::default() };
        assert!(clean.is_clean());
        let spoil: [fn(&mut Outcome); 6] = [
            |outcome| outcome.found.n_lost = 1,
            |outcome| outcome.found.n_doubled = 1,
            |outcome| outcome.found.n_half = 1,
            |outcome| outcome.n_locked = 1,
            |outcome| outcome.failures.push("add exited with 3".to_owned()),
            |outcome| outcome.found.faults.push("entry 3 of project demo is missing".to_owned()),
        ];
        for (n, spoil) in spoil.iter().enumerate() {
            let mut outcome = clean.clone();
            spoil(&mut outcome);
            assert!(!outcome.is_clean(), "{n}");
        }
    }
}
