//! What can be said of a file before it is used? For who asks what is wrong: nothing
//! is written or migrated, an older and a newer schema are answers and no errors, and
//! whatever can be checked is.

use std::path::Path;
use std::time::Duration;

use hardwon_core::ids::ProjectId;
use hardwon_core::time::Timestamp;
use rusqlite::Connection;

use super::check::{self, CHECKS, CHECKS_OF_ANY_SCHEMA};
use super::connection::{self, trouble};
use super::migrate::{self, MIGRATIONS, Schema};
use super::rows::one;
use crate::{Fault, Result, StoreError};

/// What schema a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaFound {
    /// The next command that writes brings it up to date.
    Older {
        found: i64,
        known: i64,
    },
    Current(i64),
    /// To be read, not written.
    Newer {
        found: i64,
        known: i64,
    },
}

/// What was found in a file.
#[derive(Clone, Debug)]
pub struct Examined {
    pub schema: SchemaFound,
    /// When the newest operation was written.
    pub newest_at: Option<Timestamp>,
    /// Projects with anything in them, as far as that can be read.
    pub projects: Vec<ProjectId>,
    /// The checks that could be made, in order.
    pub checks: &'static [&'static str],
    pub faults: Vec<Fault>,
}

/// Looks through a file; `None` if there is none yet, or nothing in it.
pub(super) fn examine(path: &Path, told: &mut dyn FnMut(&'static str)) -> Result<Option<Examined>> {
    let Some(db) = connection::open_reader(path)? else { return Ok(None) };
    let known = migrate::newest(MIGRATIONS);
    let (schema, checks) = match migrate::schema(path, &db, MIGRATIONS)? {
        Schema::None => return Ok(None),
        Schema::Current => (SchemaFound::Current(known), CHECKS),
        Schema::Older(found) => (SchemaFound::Older { found, known }, CHECKS_OF_ANY_SCHEMA),
        Schema::Newer(found) => (SchemaFound::Newer { found, known }, CHECKS_OF_ANY_SCHEMA),
    };
    // One state of the store for all checks: others may write meanwhile.
    let snapshot = db.unchecked_transaction().map_err(|error| trouble(path, error))?;
    let newest_at = newest(&snapshot).unwrap_or_default();
    let projects = check::filled_projects(&snapshot).unwrap_or_default();
    let faults = check::faults_of(&snapshot, checks, told);
    Ok(Some(Examined { schema, newest_at, projects, checks, faults }))
}

fn newest(db: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let at = one(db, "SELECT max(at) FROM operations", [], |row| row.get(0))?;
    Ok(at.flatten().map(Timestamp))
}

/// Whether somebody else holds the write lock for longer than this. Takes the lock for
/// a moment and gives it back; nothing is written.
pub(super) fn is_locked(path: &Path, wait: Duration) -> Result<bool> {
    let db = connection::open_to_probe(path)?;
    let failed = |error| trouble(path, error);
    db.busy_timeout(wait).map_err(failed)?;
    match db.execute_batch("BEGIN IMMEDIATE; ROLLBACK;").map_err(failed) {
        Ok(()) => Ok(false),
        Err(StoreError::Busy { .. }) => Ok(true),
        Err(other) => Err(other),
    }
}
