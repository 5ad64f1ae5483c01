//! What does the journal give? Every entry applied in order, all rows in memory: for a rescue,
//! which may hold them. Checks and rebuilds go by `parts`.

use hardwon_core::change::Tables;
use rusqlite::{Connection, Result};

use super::journal;

/// What the journal gives.
pub(super) struct Replayed {
    pub tables: Tables,
    /// Entries that are missing or do not fit.
    pub faults: Vec<String>,
}

pub(super) fn replay(db: &Connection) -> Result<Replayed> {
    let mut tables = Tables::default();
    let mut faults = Vec::new();
    let mut next = 1;
    journal::every(db, |entry| {
        faults.extend(gap(next, entry.sequence));
        next = entry.sequence + 1;
        if let Err(mismatch) = tables.apply(&entry.project, &entry.change) {
            faults.push(format!("entry {} does not fit: {mismatch}", entry.sequence));
        }
    })?;
    Ok(Replayed { tables, faults })
}

/// What is missing if this entry comes where the next one was expected.
pub(super) fn gap(next: u64, sequence: u64) -> Option<String> {
    match sequence.saturating_sub(next) {
        0 => None,
        1 => Some(format!("entry {next} of the journal is missing")),
        _ => Some(format!("entries {next} to {} are missing", sequence - 1)),
    }
}
