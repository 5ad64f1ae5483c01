//! How is a batch committed? In one transaction, and on the disk before the answer, unless it only
//! records what was shown.

use std::path::Path;

use hardwon_core::change::{Batch, Change};
use hardwon_core::ids::OperationId;
use rusqlite::{Connection, TransactionBehavior};

use super::connection::{self, BUSY_LIMIT, INJECTION_BUSY_LIMIT, trouble};
use super::migrate::{self, MIGRATIONS};
use super::write;
use crate::{Result, Revision};

/// How a batch is committed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// On the disk before the answer.
    Full,
    /// Only injections: they may be lost with the machine's power, never half written,
    /// and they do not wait.
    Quick,
}

impl Durability {
    fn of(batch: &Batch) -> Self {
        let is_quick =
            !batch.changes.is_empty() && !batch.changes.iter().any(Change::touches_memory);
        if is_quick { Durability::Quick } else { Durability::Full }
    }

    pub fn set(self, db: &Connection) -> rusqlite::Result<()> {
        let (busy_limit, synchronous) = match self {
            Durability::Full => (BUSY_LIMIT, "FULL"),
            Durability::Quick => (INJECTION_BUSY_LIMIT, "NORMAL"),
        };
        db.busy_timeout(busy_limit)?;
        db.pragma_update(None, "synchronous", synchronous)
    }

    /// Bytes of log above which it is emptied.
    pub fn log_limit(self) -> u64 {
        match self {
            // A closed store is one file: it can be copied, and read where nothing can
            // be written.
            Durability::Full => 0,
            Durability::Quick => 2 << 20,
        }
    }
}

/// One transaction; rolled back by whatever goes wrong.
pub(super) fn commit(
    path: &Path,
    db: &mut Connection,
    batch: &Batch,
    expected: Option<Revision>,
) -> Result<OperationId> {
    let failed = |error| trouble(path, error);
    let durability = Durability::of(batch);
    durability.set(db).map_err(failed)?;
    let transaction =
        db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // A newer program may have changed the schema since this one opened the file.
    migrate::refuse_newer(path, &transaction, MIGRATIONS)?;
    let operation = write::apply(&transaction, batch, expected)
        .map_err(|error| error.into_store_error(path))?;
    transaction.commit().map_err(failed)?;
    // The batch is written, whether or not the log can be read.
    let _ = match durability {
        Durability::Full => connection::keep_log_below(path, db, durability.log_limit()),
        // A process on the hot path ends without closing anything.
        Durability::Quick => connection::empty_log_above(path, db, durability.log_limit()),
    };
    Ok(operation)
}
