//! Rows of `runs`.

use hardwon_core::ids::RunId;
use hardwon_core::run::{Outcome, Run, RunKind};
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run};
use crate::RunQuery;
use crate::sqlite::cells::{Cells, to_json};

/// What no id comes after.
const AFTER_ALL: &str = "\u{10FFFF}";

macro_rules! select {
    ($($rest:expr),+) => {
        concat!(
            "SELECT id, parent, root, number, is_learned, is_counted, kind, role, agent, task,
                    domain, started_at, finished_at, outcome, detectors, reasoned_only,
                    judgements, paths, tools, tags, episode, recorded_at
             FROM runs ",
            $($rest),+
        )
    };
}

fn read(row: &Row<'_>) -> Result<Run> {
    let mut cells = Cells::new(row);
    Ok(Run {
        id: cells.run_id()?,
        parent: cells.maybe_run_id()?,
        root: cells.run_id()?,
        number: cells.get::<Option<i64>>()?.map(|number| number as u64),
        is_learned: cells.get()?,
        is_counted: cells.get()?,
        kind: cells.word(RunKind::from_word)?,
        role: cells.get()?,
        agent: cells.get()?,
        task: cells.get()?,
        domain: cells.get()?,
        started: cells.maybe_time()?,
        finished: cells.maybe_time()?,
        outcome: cells.maybe_word(Outcome::from_word)?,
        detectors: cells.json()?,
        reasoned_only: cells.json()?,
        judgements: cells.json()?,
        paths: cells.json()?,
        tools: cells.json()?,
        tags: cells.json()?,
        episode: cells.json()?,
        recorded_at: cells.time()?,
    })
}

pub(crate) fn load(db: &Connection, project: ProjectKey, id: &RunId) -> Result<Option<Run>> {
    let sql = select!("WHERE project = ?1 AND id = ?2");
    one(db, sql, params![project, id.as_str()], read)
}

pub(crate) fn of_root(db: &Connection, project: ProjectKey, root: &RunId) -> Result<Vec<Run>> {
    let sql = select!("WHERE project = ?1 AND root = ?2 ORDER BY id");
    all(db, sql, params![project, root.as_str()], read)
}

pub(crate) fn numbered(
    db: &Connection,
    project: ProjectKey,
    from: u64,
    to: u64,
) -> Result<Vec<Run>> {
    let sql = select!(
        "WHERE project = ?1 AND is_learned = 1 AND number IS NOT NULL
           AND number BETWEEN ?2 AND ?3
         ORDER BY number, id"
    );
    let clamp = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    all(db, sql, params![project, clamp(from), clamp(to)], read)
}

pub(crate) fn of_project(db: &Connection, project: ProjectKey) -> Result<Vec<Run>> {
    all(db, select!("WHERE project = ?1 ORDER BY id"), [project], read)
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
            " BETWEEN ?2 AND ?3 AND (coalesce(started_at, finished_at, recorded_at) < ?3 OR id < ?4)
             AND (?6 IS NULL OR task = ?6) AND (?7 IS NULL OR agent = ?7)
             AND (?8 IS NULL OR kind = ?8) AND (?9 IS NULL OR outcome = ?9) "
        )
    };
    (all) => {
        asked!("?5 IS NULL", "coalesce(started_at, finished_at, recorded_at)")
    };
    // The session finds them; their times are only looked at.
    (session) => {
        asked!("session = ?5", "+coalesce(started_at, finished_at, recorded_at)")
    };
}

macro_rules! newest_first {
    ($which:ident) => {
        select!(
            asked!($which),
            "ORDER BY coalesce(started_at, finished_at, recorded_at) DESC, id DESC LIMIT ?10"
        )
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
    asked_for(db, project, query, if query.session.is_some() { of_session } else { all }, read)
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
    let sql = "
        SELECT coalesce(started_at, finished_at, recorded_at) FROM runs
        WHERE project = ?1 AND id = ?2";
    one(db, sql, params![project, id.as_str()], |row| row.get(0))
}

/// Number of the newest learned run, and the latest stated end of a learned run.
pub(crate) fn progress(db: &Connection, project: ProjectKey) -> Result<(Option<i64>, Option<i64>)> {
    let sql = "
        SELECT (SELECT max(number) FROM runs
                WHERE project = ?1 AND is_learned = 1 AND number IS NOT NULL),
               (SELECT max(finished_at) FROM runs
                WHERE project = ?1 AND is_learned = 1 AND finished_at IS NOT NULL)";
    let progress = one(db, sql, [project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(progress.unwrap_or_default())
}

pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    id: &RunId,
    after: Option<&Run>,
) -> Result<()> {
    let Some(after) = after else {
        let sql = "DELETE FROM runs WHERE project = ?1 AND id = ?2";
        return run(db, sql, params![project, id.as_str()]).map(drop);
    };
    let sql = "
        REPLACE INTO runs (
            project, id, parent, root, number, is_learned, is_counted, kind, role, agent, task,
            domain, started_at, finished_at, outcome, detectors, reasoned_only, judgements, paths,
            tools, tags, session, episode, recorded_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                ?18, ?19, ?20, ?21, ?22, ?23, ?24)";
    let params = params![
        project,
        after.id.as_str(),
        after.parent.as_ref().map(RunId::as_str),
        after.root.as_str(),
        after.number.map(|number| number as i64),
        after.is_learned,
        after.is_counted,
        after.kind.word(),
        after.role,
        after.agent,
        after.task,
        after.domain,
        after.started.map(|at| at.0),
        after.finished.map(|at| at.0),
        after.outcome.map(Outcome::word),
        to_json(&after.detectors),
        to_json(&after.reasoned_only),
        to_json(&after.judgements),
        to_json(&after.paths),
        to_json(&after.tools),
        to_json(&after.tags),
        after.episode.session,
        to_json(&after.episode),
        after.recorded_at.0,
    ];
    run(db, sql, params).map(drop)
}
