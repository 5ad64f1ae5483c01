//! Rows of `deliberations`.

use hardwon_core::deliberation::Deliberation;
use rusqlite::{Connection, Result, params};

use super::{ProjectKey, one, run, select};

pub(crate) fn with_key(db: &Connection, key: i64) -> Result<Option<Deliberation>> {
    Ok(select(db, "WHERE key = ?1", [key])?.pop())
}

/// Writes or removes a row, and gives the key that it has or had.
pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    was: Option<&Deliberation>,
    is: Option<&Deliberation>,
) -> Result<Option<i64>> {
    let key = |it: Option<&Deliberation>| {
        let Some(it) = it else { return Ok(None) };
        let sql = "SELECT key FROM deliberations WHERE project = ?1 AND id = ?2";
        one(db, sql, params![project, it.id], |row| row.get(0))
    };
    let had = key(was)?;
    super::write(db, project, was, is)?;
    Ok(key(is)?.or(had))
}

/// How many there are, and how long their responses.
pub(crate) fn sums(db: &Connection, project: ProjectKey) -> Result<(u64, u64)> {
    let sql = "SELECT n, n_bytes FROM deliberation_sums WHERE project = ?1";
    let sums = one(db, sql, [project], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    let (n, n_bytes) = sums.unwrap_or_default();
    Ok((n as u64, n_bytes as u64))
}

/// Counts what a row was and is.
pub(crate) fn count(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Deliberation>,
    after: Option<&Deliberation>,
) -> Result<()> {
    let of = |it: Option<&Deliberation>| it.map_or((0, 0), |it| (1, it.n_bytes() as i64));
    let (was, is) = (of(before), of(after));
    let sql = "
        INSERT INTO deliberation_sums (project, n, n_bytes) VALUES (?1, ?2, ?3)
        ON CONFLICT (project) DO UPDATE SET n = n + ?2, n_bytes = n_bytes + ?3";
    run(db, sql, params![project, is.0 - was.0, is.1 - was.1])?;
    run(db, "DELETE FROM deliberation_sums WHERE project = ?1 AND n = 0", [project]).map(drop)
}
