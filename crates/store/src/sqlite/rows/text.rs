//! Texts: every body once, pointed to by key.

use hardwon_core::text::{Text, TextId};
use rusqlite::{Connection, Result};

use super::{one, run};

/// The stored body, as it stands in the table.
pub(crate) fn body(db: &Connection, id: &TextId) -> Result<Option<String>> {
    let sql = "SELECT body FROM texts WHERE id = ?1";
    Ok(one(db, sql, [id.as_str()], |row| row.get(0))?.flatten())
}

/// Stores the text unless it is there, and gives its key. A body that had been erased
/// and is brought again is kept again.
pub(crate) fn put(db: &Connection, text: &Text) -> Result<i64> {
    let known = one(
        db,
        "SELECT key, body IS NULL FROM texts WHERE id = ?1",
        [text.id().as_str()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let key = match known {
        Some((key, false)) => return Ok(key),
        Some((key, true)) => key,
        None => {
            run(db, "INSERT INTO texts (id) VALUES (?1)", [text.id().as_str()])?;
            db.last_insert_rowid()
        }
    };
    if let Some(body) = text.body() {
        let sql = "UPDATE texts SET body = ?2 WHERE key = ?1";
        run(db, sql, rusqlite::params![key, body])?;
    }
    Ok(key)
}
