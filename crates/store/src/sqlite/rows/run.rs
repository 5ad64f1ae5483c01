//! Rows of `runs`.

use hardwon_core::ids::RunId;
use hardwon_core::run::{Outcome, Run, RunKind};
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, from_body, one, select};
use crate::RunQuery;

/// What no id comes after.
const AFTER_ALL: &str = "\u{10FFFF}";

pub(crate) fn numbered(
    db: &Connection,
    project: ProjectKey,
    from: u64,
    to: u64,
) -> Result<Vec<Run>> {
    let rest = "
        WHERE project = ?1 AND number IS NOT NULL AND number BETWEEN ?2 AND ?3
        ORDER BY number, id";
    let clamp = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    select(db, rest, params![project, clamp(from), clamp(to)])
}

/// Which runs a query asks for. ?1 project, ?2 and ?3 the earliest and latest time, ?4 what the
/// ids at the latest time come before, ?5 session, ?6 to ?9 as each says (null = any), ?10 limit.
macro_rules! asked {
    ($session:literal, $time:literal) => {
        concat!(
            "WHERE project = ?1 AND ",
            $session,
            " AND ",
            $time,
            " BETWEEN ?2 AND ?3 AND (at < ?3 OR id < ?4)
             AND (?6 IS NULL OR task = ?6) AND (?7 IS NULL OR agent = ?7)
             AND (?8 IS NULL OR kind = ?8) AND (?9 IS NULL OR outcome = ?9) "
        )
    };
    (all) => {
        asked!("?5 IS NULL", "at")
    };
    // The session finds them; their times are only looked at.
    (session) => {
        asked!("session = ?5", "+at")
    };
}

macro_rules! newest_first {
    ($which:ident) => {
        concat!("SELECT body FROM runs ", asked!($which), "ORDER BY at DESC, id DESC LIMIT ?10")
    };
}

macro_rules! count {
    ($which:ident) => {
        concat!("SELECT count(*) FROM (SELECT 1 FROM runs ", asked!($which), "LIMIT ?10)")
    };
}

/// Newest first, of one session if one is named.
pub(crate) fn newest(db: &Connection, project: ProjectKey, query: &RunQuery) -> Result<Vec<Run>> {
    let [all, of_session] = [newest_first!(all), newest_first!(session)];
    let sql = if query.session.is_some() { of_session } else { all };
    asked_for(db, project, query, sql, |row| from_body(db, row.get_ref(0)?.as_str()?))
}

/// How many they are.
pub(crate) fn n_asked(db: &Connection, project: ProjectKey, query: &RunQuery) -> Result<u64> {
    let sql = if query.session.is_some() { count!(session) } else { count!(all) };
    let counted = asked_for(db, project, query, sql, |row| row.get::<_, i64>(0))?;
    Ok(counted.first().map_or(0, |n| *n as u64))
}

fn asked_for<T>(
    db: &Connection,
    project: ProjectKey,
    query: &RunQuery,
    sql: &str,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let (latest, id) = match &query.before {
        Some(place) => (place.at.0, place.id.as_str()),
        None => (i64::MAX, AFTER_ALL),
    };
    let params = params![
        project,
        query.since.map_or(i64::MIN, |since| since.0),
        latest,
        id,
        query.session,
        query.task,
        query.agent,
        query.kind.map(RunKind::word),
        query.outcome.map(Outcome::word),
        query.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX)),
    ];
    all(db, sql, params, read)
}

/// When a run took place, as `query::time_of` says; `None` for an unknown run.
pub(crate) fn time(db: &Connection, project: ProjectKey, id: &RunId) -> Result<Option<i64>> {
    let sql = "SELECT at FROM runs WHERE project = ?1 AND id = ?2";
    one(db, sql, params![project, id.as_str()], |row| row.get(0))
}

/// Number of the newest learned run, and the latest stated end of a learned run.
pub(crate) fn progress(db: &Connection, project: ProjectKey) -> Result<(Option<i64>, Option<i64>)> {
    let sql = "
        SELECT (SELECT max(number) FROM runs WHERE project = ?1 AND number IS NOT NULL),
               (SELECT max(finished) FROM runs WHERE project = ?1 AND finished IS NOT NULL)";
    let progress = one(db, sql, [project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(progress.unwrap_or_default())
}
