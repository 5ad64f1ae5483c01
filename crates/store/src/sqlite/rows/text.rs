//! Texts: every body once, by its id.

use hardwon_core::text::{Text, TextId};
use rusqlite::{Connection, Result};

use super::{one, run};

/// The stored body, as it stands in the table.
pub(crate) fn body(db: &Connection, id: &TextId) -> Result<Option<String>> {
    let sql = "SELECT body FROM texts WHERE id = ?1";
    Ok(one(db, sql, [id.as_str()], |row| row.get(0))?.flatten())
}

/// Stores the text unless it is there. A body that had been erased and is brought again is kept
/// again.
pub(crate) fn put(db: &Connection, text: &Text) -> Result<()> {
    let sql = "SELECT body IS NULL FROM texts WHERE id = ?1";
    if one(db, sql, [text.id().as_str()], |row| row.get(0))? == Some(false) {
        return Ok(());
    }
    let sql = "
        INSERT INTO texts (id, body) VALUES (?1, ?2)
        ON CONFLICT (id) DO UPDATE SET body = coalesce(excluded.body, body)";
    run(db, sql, rusqlite::params![text.id().as_str(), text.body()]).map(drop)
}
