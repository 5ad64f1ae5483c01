//! Rows of `runs`.

use hardwon_core::ids::RunId;
use hardwon_core::run::{Outcome, Run, RunKind};
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run};
use crate::RunQuery;
use crate::sqlite::cells::{Cells, to_json};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, parent, root, number, is_learned, is_counted, kind, role, agent, task,
                    domain, started_at, finished_at, outcome, detectors, reasoned_only,
                    judgements, paths, tools, tags, episode, recorded_at
             FROM runs ",
            $rest
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

/// Newest first, of one session if one is named.
pub(crate) fn newest(db: &Connection, project: ProjectKey, query: &RunQuery) -> Result<Vec<Run>> {
    let since = query.since.map_or(i64::MIN, |since| since.0);
    let limit = query.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    match &query.session {
        Some(session) => {
            let sql = select!(
                "WHERE project = ?1 AND session = ?2
                   AND coalesce(started_at, finished_at, recorded_at) >= ?3
                 ORDER BY coalesce(started_at, finished_at, recorded_at) DESC, id DESC LIMIT ?4"
            );
            all(db, sql, params![project, session, since, limit], read)
        }
        None => {
            let sql = select!(
                "WHERE project = ?1 AND coalesce(started_at, finished_at, recorded_at) >= ?2
                 ORDER BY coalesce(started_at, finished_at, recorded_at) DESC, id DESC LIMIT ?3"
            );
            all(db, sql, params![project, since, limit], read)
        }
    }
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
