//! Rows of `deliberations`.

use hardwon_core::deliberation::{Deliberation, DeliberationFilter};
use rusqlite::{Connection, Result, params};

use super::{ProjectKey, all, from_body, one, run, select};

/// ?1 project, ?2 and ?3 the range of ids, ?4 role, ?5 verdict, ?6 run, ?7 earliest time, ?8 limit.
/// A plus keeps a column from choosing the index.
macro_rules! filtered {
    ($time:literal, $condition:literal, $order:literal) => {
        concat!(
            "SELECT body FROM deliberations WHERE project = ?1 AND ",
            $time,
            " >= ?7 AND (?4 IS NULL OR role = ?4) AND (?5 IS NULL OR verdict = ?5) AND ",
            $condition,
            " ORDER BY ",
            $time,
            $order,
            ", deliberations.id LIMIT ?8"
        )
    };
}

const NEWEST: &str = filtered!("at", "?2 IS ?3 AND ?6 IS NULL", " DESC");
const OLDEST_KEPT: &str = filtered!("at", "?2 IS ?3 AND ?6 IS NULL AND is_kept = 1", "");
const OF_RUN: &str =
    filtered!("+at", "run = ?6 AND (?2 IS NULL OR deliberations.id BETWEEN ?2 AND ?3)", " DESC");
const NAMED: &str = filtered!("+at", "deliberations.id BETWEEN ?2 AND ?3 AND ?6 IS NULL", " DESC");

pub(crate) fn with_key(db: &Connection, key: i64) -> Result<Option<Deliberation>> {
    Ok(select(db, "WHERE key = ?1", [key])?.pop())
}

pub(crate) fn listed(
    db: &Connection,
    project: ProjectKey,
    filter: &DeliberationFilter,
    limit: usize,
) -> Result<Vec<Deliberation>> {
    let after = filter.id.as_ref().map(|id| format!("{id}{}", char::MAX));
    let params = params![
        project,
        filter.id,
        after,
        filter.role,
        filter.verdict,
        filter.run.as_ref().map(|run| run.as_str()),
        filter.since.map_or(i64::MIN, |since| since.0),
        i64::try_from(limit).unwrap_or(i64::MAX),
    ];
    let sql = match (&filter.run, &filter.id) {
        (Some(_), _) => OF_RUN,
        (None, Some(_)) => NAMED,
        (None, None) if filter.oldest_kept => OLDEST_KEPT,
        (None, None) => NEWEST,
    };
    all(db, sql, params, |row| from_body(db, row.get_ref(0)?.as_str()?))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{connection, migrate};

    #[test]
    fn lists_are_index_lookups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        std::fs::write(&path, "").unwrap();
        let mut db = connection::open_existing(&path).unwrap();
        migrate::migrate(&path, &mut db, migrate::MIGRATIONS).unwrap();
        let cases = [
            (NEWEST, "deliberations_by_time"),
            (OLDEST_KEPT, "deliberations_by_time"),
            (OF_RUN, "deliberations_by_run"),
            (NAMED, "sqlite_autoindex_deliberations_1"),
        ];
        for (sql, index) in cases {
            let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let params = rusqlite::params_from_iter(vec![1; statement.parameter_count()]);
            let steps = statement.query_map(params, |row| row.get::<_, String>(3)).unwrap();
            let plan: String = steps.map(|step| step.unwrap() + "\n").collect();
            assert!(plan.contains(&format!("SEARCH deliberations USING INDEX {index} ")), "{plan}");
        }
    }
}
