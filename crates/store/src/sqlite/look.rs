//! What is known of a file before it is used? For diagnosis: nothing is written or
//! migrated, an older or a newer schema is an answer and not an error, and every check
//! that is possible is made.

use std::path::Path;
use std::time::Duration;

use hardwon_core::time::Timestamp;
use rusqlite::Connection;

use super::SqliteStore;
use super::beside::lock_path;
use super::check::{self, CHECKS, CHECKS_OF_ANY_SCHEMA};
use super::connection::{self, trouble};
use super::migrate::{self, MIGRATIONS, Schema};
use super::rows::one;
use crate::turn::{Patience, Turns};
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
    /// The checks that could be made, in order.
    pub checks: &'static [&'static str],
    pub faults: Vec<Fault>,
}

impl SqliteStore {
    /// Checks the file at this path, whatever its schema is; `begins` is called with the name
    /// of each check. `None` if there is no file, or nothing in it. Writes nothing.
    pub fn examine(
        path: impl AsRef<Path>,
        begins: &mut dyn FnMut(&'static str),
    ) -> Result<Option<Examined>> {
        let path = path.as_ref();
        let Some(db) = connection::open_reader(path)? else { return Ok(None) };
        let known = migrate::newest(MIGRATIONS);
        let (schema, checks) = match migrate::schema(path, &db, MIGRATIONS)? {
            Schema::None => return Ok(None),
            Schema::Current => (SchemaFound::Current(known), CHECKS),
            Schema::Older(found) => {
                migrate::read_older(path, &db, found, MIGRATIONS)?;
                (SchemaFound::Older { found, known }, CHECKS_OF_ANY_SCHEMA)
            }
            Schema::Newer(found) => (SchemaFound::Newer { found, known }, CHECKS_OF_ANY_SCHEMA),
        };
        // One snapshot for all checks: other processes may write meanwhile.
        let snapshot = db.unchecked_transaction().map_err(|error| trouble(path, error))?;
        let newest_at = newest(&snapshot).unwrap_or_default();
        let faults = check::faults(&snapshot, checks, begins);
        Ok(Some(Examined { schema, newest_at, checks, faults }))
    }

    /// Whether another process has its turn, or the write lock, for longer than this. Takes both
    /// for a moment and releases them; nothing is written.
    pub fn is_locked(path: impl AsRef<Path>, wait: Duration) -> Result<bool> {
        let path = path.as_ref();
        let mut turns = Turns::new(lock_path(path));
        let Some(_turn) = turns.wait(Patience::WhileOthersGoOn(wait), false) else {
            return Ok(true);
        };
        let db = connection::open_to_probe(path)?;
        let failed = |error| trouble(path, error);
        db.busy_timeout(wait).map_err(failed)?;
        match db.execute_batch("BEGIN IMMEDIATE; ROLLBACK;").map_err(failed) {
            Ok(()) => Ok(false),
            Err(StoreError::Busy { .. }) => Ok(true),
            Err(other) => Err(other),
        }
    }
}

fn newest(db: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let at = one(db, "SELECT max(at) FROM operations", [], |row| row.get(0))?;
    Ok(at.flatten().map(Timestamp))
}
