//! What is safe to repair without asking: what follows from the journal, who may read the
//! files, and leftovers. Before anything in the store is
//! written, a copy of it is put beside it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::event::Problem;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{Health, HealthCheck, HealthStatus};
use hardwon_render::check::ok;
use hardwon_store::{Access, Doubted, Rebuilt, SqliteStore, Store, StoreError, files};

use super::Patient;
use super::files::ANYBODY_WRITES;
use crate::open::StorePlace;
use crate::problems;

/// Checks whose faults a rebuild takes away.
const REBUILT: &[&str] = &["texts", "tables", "index"];

/// Why a lesson is put away whose words are gone.
const WORDS_LOST: &str =
    "its words were edited or taken away outside of hardwon, and no backup has them";

/// Why a lesson waits that the journal would have raised.
const DOUBTED: &str =
    "journal and table disagree about it, and it is not known which of them was edited";

/// What was done.
#[derive(Default)]
pub(super) struct Repairs {
    pub done: Vec<String>,
    pub backup: Option<String>,
    pub problems: Vec<Problem>,
}

impl Repairs {
    /// Failures that were shown are done with, once nothing fails any more.
    pub fn put_away_failures(&self, patient: &Patient<'_>, health: &mut Health) {
        let is_other = |check: &&HealthCheck| check.name != "failures";
        let is_failed = |check: &HealthCheck| check.status == HealthStatus::Failed;
        if health.checks.iter().filter(is_other).any(is_failed) {
            return;
        }
        let Some(check) = health.checks.iter_mut().find(|check| check.name == "failures") else {
            return;
        };
        if check.status != HealthStatus::Ok && problems::put_away(patient.environment) > 0 {
            health.mended.push(format!("noted failures put away: {}", check.detail));
            *check = ok("failures", "none since they were put away");
        }
    }

    fn trouble(&mut self, place: &str, error: impl ToString) {
        self.problems.push(Problem::new(place, error.to_string()));
    }
}

impl Patient<'_> {
    pub(super) fn repair(&self, checks: &[HealthCheck]) -> Repairs {
        let mut repairs = Repairs::default();
        self.narrow(&mut repairs);
        match &self.place {
            Ok(StorePlace::Sqlite(path)) => self.repair_sqlite(path, checks, &mut repairs),
            Ok(StorePlace::Foreign(layout, place)) if is_bad(checks, "journal") => {
                let repaired = self
                    .foreign(*layout, place.as_ref(), Access::Write)
                    .and_then(|mut store| store.rebuild().map_err(|error| error.to_string()));
                match repaired {
                    Ok(rebuilt) => repairs.done.extend(rebuilt.done),
                    Err(reason) => repairs.trouble("journal", reason),
                }
            }
            Ok(StorePlace::Foreign(..) | StorePlace::Memory) | Err(_) => {}
        }
        for path in self.stale() {
            match fs::remove_file(&path) {
                Ok(()) => repairs.done.push(format!("{} removed", path.display())),
                Err(error) => repairs.trouble("leftovers", error),
            }
        }
        repairs
    }

    /// Takes away what others may do with our files.
    fn narrow(&self, repairs: &mut Repairs) {
        for path in self.open_to_others() {
            let now = fs::metadata(&path).map_or(0o600, |about| about.permissions().mode());
            let mode = match (&self.place, path.is_dir()) {
                // Another system's folder may be shared: only writing is taken away.
                (Ok(StorePlace::Foreign(..)), _) => now & 0o777 & !ANYBODY_WRITES,
                (_, true) => 0o700,
                (_, false) => 0o600,
            };
            match files::set_mode(&path, mode) {
                Ok(()) => repairs.done.push(format!("{} has mode {mode:o} now", path.display())),
                Err(error) => repairs.trouble("permissions", error),
            }
        }
    }

    fn repair_sqlite(&self, path: &Path, checks: &[HealthCheck], repairs: &mut Repairs) {
        let fails = |name: &str| is_failed(checks, name);
        // Pages and journal are nothing that could be made anew, a newer schema is
        // not written by this version, and what does not open cannot be repaired.
        if ["store", "integrity", "schema"].iter().any(|name| fails(name)) {
            return;
        }
        let outcome = if REBUILT.iter().any(|name| fails(name)) {
            self.rebuild_sqlite(path, repairs)
        } else if is_bad(checks, "schema") {
            bring_up_to_date(path, repairs)
        } else {
            Ok(())
        };
        if let Err(error) = outcome {
            repairs.trouble("store", error);
        }
        if is_bad(checks, "log") {
            let emptied = SqliteStore::open(path, Access::Write).and_then(|mut s| s.scour(false));
            match emptied {
                Ok(_) => repairs.done.push("the log was put into the file".to_owned()),
                Err(error) => repairs.trouble("log", error),
            }
        }
    }

    fn rebuild_sqlite(&self, path: &Path, repairs: &mut Repairs) -> Result<(), StoreError> {
        let now = self.environment.now().unwrap_or_else(|_| crate::place::wall_clock());
        let label: String = now.to_string().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let backup = SqliteStore::back_up(path, &label)?;
        repairs.backup = Some(backup.display().to_string());
        let mut store = SqliteStore::open(path, Access::Write)?;
        let decide = |rebuilt: &Rebuilt| {
            let lowered = lowered(rebuilt);
            lowered.iter().filter_map(|(was, is, why)| self.batch(was, is, why, now)).collect()
        };
        let rebuilt = store.rebuild_and(&decide)?;
        let line = |(was, is, why): &(Lesson, Lesson, &str)| {
            format!("lesson {} {}: {why}", was.id, is.state)
        };
        repairs.done.extend(lowered(&rebuilt).iter().map(line));
        repairs.done.splice(0..0, rebuilt.done);
        Ok(())
    }

    /// The operation that makes one version of a lesson another.
    fn batch(&self, was: &Lesson, is: &Lesson, why: &str, now: Timestamp) -> Option<Batch> {
        let is = Lesson { updated_at: now, ..is.clone() };
        let change = Change::edit_lesson(was, &is, why)?;
        let project = was.project.clone().unwrap_or_else(|| ProjectId::new("doctor"));
        let head = OperationHead {
            command: "doctor".to_owned(),
            actor: self.environment.actor(),
            at: now,
            undoes: None,
        };
        Some(Batch { project, head, continues: None, changes: vec![change] })
    }
}

/// What is believed less after a rebuild: each lesson as it is, as it is to be, and why.
fn lowered(rebuilt: &Rebuilt) -> Vec<(Lesson, Lesson, &'static str)> {
    let is_left = |lesson: &&Lesson| !lesson.state.is_put_away();
    let archived = |lesson: &Lesson| Lesson { state: State::Archived, ..lesson.clone() };
    let lost = rebuilt.lost.iter().filter(is_left);
    let lost: Vec<_> = lost.map(|was| (was.clone(), archived(was), WORDS_LOST)).collect();
    let is_lost = |lesson: &Lesson| lost.iter().any(|(was, ..)| was.id == lesson.id);
    let doubted = rebuilt.doubted.iter().filter(|doubted| !is_lost(&doubted.lesson));
    let waiting = |Doubted { lesson, trust, was_put_away }: &Doubted| {
        let state = match (lesson.state.is_put_away(), was_put_away) {
            (true, _) => lesson.state,
            (false, true) => State::Archived,
            (false, false) => State::Quarantined,
        };
        (lesson.clone(), Lesson { state, trust: *trust, ..lesson.clone() }, DOUBTED)
    };
    let doubted: Vec<_> = doubted.map(waiting).filter(|(was, is, _)| was != is).collect();
    lost.into_iter().chain(doubted).collect()
}

/// An older schema is brought up to date by the first read of a store that may be written.
fn bring_up_to_date(path: &Path, repairs: &mut Repairs) -> Result<(), StoreError> {
    SqliteStore::open(path, Access::Write)?;
    repairs.backup = SqliteStore::copies(path).first().map(|copy| copy.display().to_string());
    repairs.done.push("the schema was brought up to date".to_owned());
    Ok(())
}

fn is_failed(checks: &[HealthCheck], name: &str) -> bool {
    checks.iter().any(|check| check.name == name && check.status == HealthStatus::Failed)
}

/// Whether a check found something, a skipped one aside.
fn is_bad(checks: &[HealthCheck], name: &str) -> bool {
    let is_it = |check: &&HealthCheck| check.name == name && !check.is_skipped();
    checks.iter().filter(is_it).any(|check| check.status != HealthStatus::Ok)
}
