//! What is safe to repair without asking: what follows from the journal, who may read the
//! files, and leftovers. Before anything in the store is written, a copy of it is put beside it;
//! of a file that is damaged itself, or gone, a new one is made of the newest backup, and the damaged
//! one is kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hardwon_core::change::OperationHead;
use hardwon_core::event::Problem;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{Health, HealthCheck, HealthStatus};
use hardwon_render::check::ok;
use hardwon_store::files::{self, Place};
use hardwon_store::{Access, DailyBackup, PostgresStore, Rebuilt, SqliteStore, Store, StoreError};

use super::Patient;
use super::files::ANYBODY_WRITES;
use crate::open::StorePlace;
use crate::problems;

/// Checks whose faults a rebuild takes away.
const REBUILT: &[&str] = &["texts", "tables", "index"];

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
            Ok(StorePlace::Sqlite(path)) => {
                self.repair_sqlite(path, checks, &mut repairs);
                match self.back_up() {
                    Ok(made @ DailyBackup::Made(_)) => repairs.done.push(made.to_string()),
                    Ok(_) => {}
                    Err(error) => repairs.trouble("backup", error),
                }
            }
            Ok(StorePlace::Foreign(layout, place)) if is_bad(checks, "journal") => {
                let repaired = self
                    .foreign(*layout, place.as_ref(), Access::Write)
                    .and_then(|mut store| store.rebuild().map_err(|error| error.to_string()));
                match repaired {
                    Ok(rebuilt) => repairs.done.extend(rebuilt.done),
                    Err(reason) => repairs.trouble("journal", reason),
                }
            }
            Ok(StorePlace::Postgres(url)) if REBUILT.iter().any(|name| is_failed(checks, name)) => {
                match PostgresStore::open(url, Access::Write).and_then(|mut s| s.rebuild()) {
                    Ok(rebuilt) => repairs.done.extend(rebuilt.done),
                    Err(error) => repairs.trouble("store", error),
                }
            }
            Ok(_) | Err(_) => {}
        }
        for path in self.stale() {
            let place = Place::named_in(self.environment.checkout(), &path);
            match place.and_then(|place| place.remove()) {
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
            let place = Place::named_in(self.environment.checkout(), &path);
            match place.and_then(|place| files::set_mode(&place, mode)) {
                Ok(()) => repairs.done.push(format!("{} has mode {mode:o} now", path.display())),
                Err(error) => repairs.trouble("permissions", error),
            }
        }
    }

    fn repair_sqlite(&self, path: &Path, checks: &[HealthCheck], repairs: &mut Repairs) {
        let fails = |name: &str| is_failed(checks, name);
        let is_damaged = || match SqliteStore::open(path, Access::Read) {
            Err(StoreError::Damaged { .. }) => true,
            _ => !fails("store") && ["integrity", "journal"].iter().any(|name| fails(name)),
        };
        // A newer schema is not written by this version.
        let outcome = if fails("schema") {
            Ok(())
        } else if is_damaged() {
            SqliteStore::restore(path, &self.head()).map(|restored| {
                repairs.backup = restored.aside.as_ref().map(|aside| aside.display().to_string());
                repairs.done.extend(restored.told());
            })
        } else if fails("store") {
            Ok(())
        } else if REBUILT.iter().any(|name| fails(name)) {
            self.rebuild_sqlite(path, repairs)
        } else if is_bad(checks, "schema") {
            SqliteStore::update_schema(path).map(|()| {
                let copies = SqliteStore::copies(path);
                repairs.backup = copies.first().map(|copy| copy.display().to_string());
                repairs.done.push("the schema was brought up to date".to_owned());
            })
        } else {
            Ok(())
        };
        if let Err(error) = outcome {
            repairs.trouble("store", error);
        }
    }

    fn rebuild_sqlite(&self, path: &Path, repairs: &mut Repairs) -> Result<(), StoreError> {
        let head = self.head();
        let backup = SqliteStore::back_up(path, &SqliteStore::label(head.at))?;
        repairs.backup = Some(backup.display().to_string());
        let mut store = SqliteStore::open(path, Access::Write)?;
        let rebuilt = store.rebuild_and(&|rebuilt: &Rebuilt| rebuilt.batches(&head))?;
        repairs.done.extend(rebuilt.told());
        repairs.done.splice(0..0, rebuilt.done);
        Ok(())
    }

    pub(in crate::care) fn now(&self) -> Timestamp {
        self.environment.now().unwrap_or_else(|_| crate::place::wall_clock())
    }

    fn head(&self) -> OperationHead {
        let (at, actor) = (self.now(), self.environment.actor());
        OperationHead { command: "doctor".to_owned(), actor, at, undoes: None }
    }
}

fn is_failed(checks: &[HealthCheck], name: &str) -> bool {
    checks.iter().any(|check| check.name == name && check.status == HealthStatus::Failed)
}

/// Whether a check found something, a skipped one aside.
fn is_bad(checks: &[HealthCheck], name: &str) -> bool {
    let is_it = |check: &&HealthCheck| check.name == name && !check.is_skipped();
    checks.iter().filter(is_it).any(|check| check.status != HealthStatus::Ok)
}
