//! The copy of each day: for those whom nobody waits for, a worker in the background and `doctor`.

use hardwon_store::{DailyBackup, SqliteStore};

use super::doctor::Patient;
use crate::error::Result;
use crate::open::{Options, StorePlace};
use crate::place::Environment;

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

impl Patient<'_> {
    pub(super) fn back_up(&self) -> Result<DailyBackup> {
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
