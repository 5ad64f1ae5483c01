//! How is a batch committed? In one transaction, with as much waiting for the disk and for other
//! writers as its kind deserves.

use std::path::Path;
use std::time::{Duration, Instant};

use hardwon_core::change::{Batch, Change};
use hardwon_core::ids::OperationId;
use rusqlite::{Connection, TransactionBehavior};

use super::connection::{self, BUSY_LIMIT, INJECTION_BUSY_LIMIT, trouble};
use super::migrate::{self, MIGRATIONS};
use super::write;
use crate::turn::Patience;
use crate::{Result, Revision};

/// Whose turn came in the last moment still asks SQLite more than once.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);

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
    pub(super) fn of(batch: &Batch) -> Self {
        let is_quick =
            !batch.changes.is_empty() && !batch.changes.iter().any(Change::touches_memory);
        if is_quick { Durability::Quick } else { Durability::Full }
    }

    /// How it waits for its turn, from then on.
    pub(super) fn patience(self, from: Instant) -> Patience {
        match self {
            Durability::Full => Patience::WhileOthersGoOn(BUSY_LIMIT),
            Durability::Quick => Patience::Until(from + INJECTION_BUSY_LIMIT),
        }
    }

    /// How long it may wait for a writer that did not wait for its turn.
    pub(super) fn limit(self) -> Duration {
        match self {
            Durability::Full => BUSY_LIMIT,
            Durability::Quick => INJECTION_BUSY_LIMIT,
        }
    }

    /// Prepares a connection to write, and to wait no longer than this for a writer that did
    /// not wait for its turn.
    pub(super) fn set(self, db: &Connection, until: Instant) -> rusqlite::Result<()> {
        let synchronous = match self {
            Durability::Full => "FULL",
            Durability::Quick => "NORMAL",
        };
        db.busy_timeout(until.saturating_duration_since(Instant::now()).max(SHORTEST_WAIT))?;
        db.pragma_update(None, "synchronous", synchronous)
    }

    /// Bytes of log above which it is emptied.
    pub(super) fn log_limit(self) -> u64 {
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
    until: Instant,
) -> Result<OperationId> {
    let failed = |error| trouble(path, error);
    let durability = Durability::of(batch);
    durability.set(db, until).map_err(failed)?;
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
