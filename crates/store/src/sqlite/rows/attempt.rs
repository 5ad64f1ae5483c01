//! Rows of `attempts`.

use hardwon_core::attempt::Attempt;
use hardwon_core::event::AttemptResult;
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run, text};
use crate::sqlite::cells::{Cells, to_json};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT attempts.id, run, issue, iteration, author, texts.id, texts.body, files, result,
                    why, next, is_claim, at
             FROM attempts CROSS JOIN texts ON texts.key = attempts.approach ",
            $rest
        )
    };
}

fn read(row: &Row<'_>) -> Result<Attempt> {
    let mut cells = Cells::new(row);
    Ok(Attempt {
        id: cells.get()?,
        run: cells.run_id()?,
        issue: cells.get()?,
        iteration: cells.get()?,
        author: cells.get()?,
        approach: cells.text()?,
        files: cells.json()?,
        result: cells.maybe_word(AttemptResult::from_word)?,
        why: cells.get()?,
        next: cells.get()?,
        is_claim: cells.get()?,
        at: cells.time()?,
    })
}

pub(crate) fn load(db: &Connection, project: ProjectKey, id: &str) -> Result<Option<Attempt>> {
    one(db, select!("WHERE project = ?1 AND attempts.id = ?2"), params![project, id], read)
}

pub(crate) fn of_project(db: &Connection, project: ProjectKey) -> Result<Vec<Attempt>> {
    all(db, select!("WHERE project = ?1 ORDER BY attempts.id"), [project], read)
}

/// The newest first.
pub(crate) fn of_issue(
    db: &Connection,
    project: ProjectKey,
    issue: &str,
    limit: usize,
) -> Result<Vec<Attempt>> {
    let sql = select!("WHERE project = ?1 AND issue = ?2 ORDER BY at DESC, attempts.id LIMIT ?3");
    all(db, sql, params![project, issue, i64::try_from(limit).unwrap_or(i64::MAX)], read)
}

pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    id: &str,
    after: Option<&Attempt>,
) -> Result<()> {
    let Some(after) = after else {
        let sql = "DELETE FROM attempts WHERE project = ?1 AND id = ?2";
        return run(db, sql, params![project, id]).map(drop);
    };
    let sql = "
        REPLACE INTO attempts (
            project, id, run, issue, iteration, author, approach, files, result, why, next,
            is_claim, at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    let params = params![
        project,
        after.id,
        after.run.as_str(),
        after.issue,
        after.iteration,
        after.author,
        text::put(db, &after.approach)?,
        to_json(&after.files),
        after.result.map(AttemptResult::word),
        after.why,
        after.next,
        after.is_claim,
        after.at.0,
    ];
    run(db, sql, params).map(drop)
}
