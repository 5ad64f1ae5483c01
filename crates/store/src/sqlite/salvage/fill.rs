//! What do the copies beside a store have that it lacks? The journal is only ever appended to, so
//! an entry that is missing here stands in a copy at the same place. A copy was checked when it
//! was made, so where a few entries differ it is right; where most differ it has another history.

use hardwon_core::time::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, Result, params, params_from_iter};

use crate::sqlite::rows::{all, one, run};

/// Adds entries, operations and projects that only the copy has. False, and nothing is added, if
/// it is a copy of something else.
pub(super) fn from_copy(db: &Connection, copy: &Connection) -> Result<bool> {
    let Ok(Some(differing)) = differing(db, copy) else { return Ok(false) };
    for place in differing {
        run(db, "DELETE FROM journal WHERE sequence = ?1", [place])?;
    }
    let tables = [
        // Of a project only the key and the id never change.
        ("projects", "key, id", "ON CONFLICT (key) DO UPDATE SET id = excluded.id"),
        ("operations", "id, project, command, actor, at, undoes", "ON CONFLICT DO NOTHING"),
        (
            "journal",
            "sequence, operation, project, is_global, lesson, touches_memory, version, payload",
            "ON CONFLICT DO NOTHING",
        ),
    ];
    for (table, columns, otherwise) in tables {
        let n_columns = columns.split(',').count();
        let marks = vec!["?"; n_columns].join(", ");
        let insert = format!("INSERT INTO {table} ({columns}) VALUES ({marks}) {otherwise}");
        let mut select = copy.prepare(&format!("SELECT {columns} FROM {table}"))?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let cells: Result<Vec<Value>> = (0..n_columns).map(|at| row.get(at)).collect();
            db.prepare_cached(&insert)?.execute(params_from_iter(cells?))?;
        }
    }
    Ok(true)
}

/// Entries that both have and that differ; `None` if they are most of those that both have.
fn differing(db: &Connection, copy: &Connection) -> Result<Option<Vec<i64>>> {
    let mut differing = Vec::new();
    let mut n_same = 0;
    let mut select = copy.prepare("SELECT sequence, payload FROM journal")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (place, payload): (i64, String) = (row.get(0)?, row.get(1)?);
        let sql = "SELECT payload FROM journal WHERE sequence = ?1";
        let own: Option<String> = one(db, sql, [place], |row| row.get(0))?;
        match own {
            Some(own) if own == payload => n_same += 1,
            Some(_) => differing.push(place),
            None => {}
        }
    }
    Ok(Some(differing).filter(|differing| differing.len() <= n_same))
}

/// Entries whose operation is lost get one that says so, at the time of the one before.
pub(super) fn name_operations(db: &Connection, now: Timestamp) -> Result<()> {
    let sql = "
        SELECT DISTINCT operation, project FROM journal
        WHERE operation NOT IN (SELECT id FROM operations) ORDER BY operation";
    let lost: Vec<(i64, i64)> = all(db, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (id, project) in lost {
        let sql = "SELECT max(at) FROM operations WHERE id < ?1";
        let before: Option<i64> = one(db, sql, [id], |row| row.get(0))?.flatten();
        let sql = "
            INSERT INTO operations (id, project, command, actor, at)
            VALUES (?1, ?2, 'lost', 'lost', ?3)";
        run(db, sql, params![id, project, before.unwrap_or(now.0)])?;
    }
    let sql = "
        INSERT OR IGNORE INTO projects (key, id)
        SELECT DISTINCT project, 'lost-' || project FROM journal";
    run(db, sql, []).map(drop)
}

/// Numbers operations and entries within their projects, by their places: those whose operation
/// was lost have none.
pub(super) fn number(db: &Connection) -> Result<()> {
    db.execute_batch(include_str!("numbers.sql"))
}
