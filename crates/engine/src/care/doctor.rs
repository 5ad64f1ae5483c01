//! Is this memory in order, and if not, what repairs it? Looks at everything it depends on,
//! one check each, and goes on whatever is broken: a check that needs what another one
//! found broken says that it was skipped. Writes nothing unless it is asked to repair.

mod files;
mod repair;
mod scan;
mod setup;
mod store;

use hardwon_render::answer::{Answer, Health, HealthCheck};
use hardwon_render::check::{failed, quoted};
use hardwon_store::{DailyBackup, PostgresStore, SqliteStore};

use crate::error::Result;
use crate::open::{Options, StorePlace};
use crate::place::Environment;
use crate::settings::Settings;

/// What is to be done.
#[derive(Clone, Copy, Debug, Default)]
pub struct DoctorRequest {
    /// Repair what can be repaired safely.
    pub is_repairing: bool,
    /// Look through all texts for secrets.
    pub is_scanning: bool,
}

/// Hears what is being looked at: large stores take their time.
pub type Progress<'a> = &'a mut dyn FnMut(&str);

/// Looks at everything. Never fails: what cannot be looked at is an answer, too.
pub fn doctor(
    environment: &Environment,
    options: &Options,
    request: DoctorRequest,
    progress: Progress<'_>,
) -> Answer<Health> {
    let patient = Patient::new(environment, options);
    let mut health = Health { checks: patient.examine(progress), ..Health::default() };
    let mut problems = Vec::new();
    if request.is_repairing {
        let repairs = patient.repair(&health.checks);
        health.checks = patient.examine(progress);
        repairs.put_away_failures(&patient, &mut health);
        health.mended.splice(0..0, repairs.done);
        health.backup = repairs.backup;
        problems = repairs.problems;
    }
    if request.is_scanning {
        progress("secrets");
        match patient.scan() {
            Ok(scanned) => {
                health.secrets = Some(scanned.secrets);
                health.checks.extend(scanned.left_out);
            }
            Err(reason) => health.checks.push(failed("scan", reason, None)),
        }
    }
    Answer { status: health.status(), problems, body: health }
}

/// Makes the copy of this day beside the store, unless it is there or the user wants none.
pub fn back_up(environment: &Environment, options: &Options) -> Result<DailyBackup> {
    Patient::new(environment, options).back_up()
}

/// Whether that would make one, as far as one look at the folder tells.
pub fn lacks_backup(environment: &Environment, options: &Options) -> bool {
    let patient = Patient::new(environment, options);
    let Ok(StorePlace::Sqlite(path)) = &patient.place else { return false };
    patient.wants_backup() && SqliteStore::lacks_daily(path, patient.now())
}

/// What is looked at.
pub(super) struct Patient<'a> {
    pub(super) environment: &'a Environment,
    options: &'a Options,
    pub(super) settings: Settings,
    /// Where memory lives, or why that is not known.
    pub(super) place: Result<StorePlace, String>,
}

impl<'a> Patient<'a> {
    pub(super) fn new(environment: &'a Environment, options: &'a Options) -> Self {
        let settings = options.settings(environment);
        let place = options.store_place(&settings, environment);
        let place = place.map_err(|error| error.to_string());
        Patient { environment, options, settings, place }
    }

    fn examine(&self, progress: Progress<'_>) -> Vec<HealthCheck> {
        // Opens the store as any command does; the checks of the store clear up after it.
        let project = self.project();
        let mut checks = self.store_checks(progress);
        checks.extend(self.file_checks());
        checks.extend(self.setup_checks());
        checks.push(project);
        checks
    }

    /// `hardwon doctor FLAG` for this very store.
    fn doctor_with(&self, flag: &str) -> String {
        self.command(&format!("doctor {flag}"))
    }

    /// A command of ours for this very store.
    fn command(&self, words: &str) -> String {
        match &self.options.store {
            // A URL with a password is not repeated.
            Some(url) if PostgresStore::told(url) != *url => {
                format!("hardwon {words} --store \"$HARDWON_STORE\"")
            }
            Some(url) => format!("hardwon {words} --store {}", quoted(url)),
            None => format!("hardwon {words}"),
        }
    }

    fn back_up(&self) -> Result<DailyBackup> {
        match &self.place {
            Ok(StorePlace::Sqlite(path)) if self.wants_backup() => {
                Ok(SqliteStore::back_up_daily(path, self.environment.now()?)?)
            }
            Ok(StorePlace::Sqlite(_)) => Ok(DailyBackup::NotWanted),
            // What is on a server is for whoever runs it to copy.
            Ok(_) | Err(_) => Ok(DailyBackup::NothingToCopy),
        }
    }

    fn wants_backup(&self) -> bool {
        self.settings.switch("backup") != Some(false)
    }
}
