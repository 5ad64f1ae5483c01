//! Rows of `injections`, and of `showings`, by which lessons find them.

use hardwon_core::effect::Injection;
use hardwon_core::ids::{LessonId, RunId};
use rusqlite::{Connection, Result, params};

use super::{ProjectKey, one, run, select};
use crate::BlockTotals;

/// What was put into prompts in a project.
pub(crate) fn totals(db: &Connection, project: ProjectKey) -> Result<BlockTotals> {
    let sql = "SELECT count(*), coalesce(sum(n_tokens), 0) FROM injections WHERE project = ?1";
    let totals = one(db, sql, [project], |row| {
        let (n_blocks, n_tokens): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(BlockTotals { n_blocks: n_blocks as u64, n_tokens: n_tokens as u64 })
    })?;
    Ok(totals.unwrap_or_default())
}

pub(crate) fn of_run(db: &Connection, project: ProjectKey, run: &RunId) -> Result<Vec<Injection>> {
    select(db, "WHERE project = ?1 AND run = ?2", params![project, run.as_str()])
}

/// Injections that showed a lesson.
pub(crate) fn of_lesson(
    db: &Connection,
    project: ProjectKey,
    lesson: &LessonId,
) -> Result<Vec<Injection>> {
    let rest = "
        WHERE (project, run, role, need) IN (
            SELECT project, run, role, need FROM showings WHERE project = ?1 AND lesson = ?2)
        ORDER BY at, run, role, need";
    select(db, rest, params![project, lesson.as_str()])
}

/// Lists the lessons that a block shows.
pub(crate) fn write_showings(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Injection>,
    after: Option<&Injection>,
) -> Result<()> {
    let delete = "
        DELETE FROM showings
        WHERE project = ?1 AND lesson = ?2 AND run = ?3 AND role = ?4 AND need = ?5";
    // A block that shows a lesson twice shows it once.
    let insert = "
        INSERT OR IGNORE INTO showings (project, lesson, run, role, need)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    for (sql, injection) in [(delete, before), (insert, after)] {
        let Some(Injection { run: run_id, role, need, shown, .. }) = injection else { continue };
        for shown in shown {
            let lesson = shown.lesson.as_str();
            run(db, sql, params![project, lesson, run_id.as_str(), role, need])?;
        }
    }
    Ok(())
}
