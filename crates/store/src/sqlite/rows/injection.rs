//! Rows of `injections`.

use hardwon_core::change::InjectionKey;
use hardwon_core::effect::{Injection, Surface};
use hardwon_core::ids::{LessonId, RunId};
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run, text};
use crate::BlockTotals;
use crate::sqlite::cells::{Cells, to_json};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT run, role, domain, need, at, shown, held_out, surface, texts.id, texts.body, digest, n_tokens
             FROM injections CROSS JOIN texts ON texts.key = injections.block ",
            $rest
        )
    };
}

/// What was put into prompts in a project.
pub(crate) fn totals(db: &Connection, project: ProjectKey) -> Result<BlockTotals> {
    let sql = "SELECT count(*), coalesce(sum(n_tokens), 0) FROM injections WHERE project = ?1";
    let totals = one(db, sql, [project], |row| {
        let mut cells = Cells::new(row);
        Ok(BlockTotals { n_blocks: cells.count()?, n_tokens: cells.count()? })
    })?;
    Ok(totals.unwrap_or_default())
}

fn read(row: &Row<'_>) -> Result<Injection> {
    let mut cells = Cells::new(row);
    Ok(Injection {
        run: cells.run_id()?,
        role: cells.get()?,
        domain: cells.get()?,
        need: cells.get()?,
        at: cells.time()?,
        shown: cells.json()?,
        held_out: cells.json()?,
        surface: cells.word(Surface::from_word)?,
        block: cells.text()?,
        digest: cells.get()?,
        n_tokens: cells.get()?,
    })
}

pub(crate) fn load(
    db: &Connection,
    project: ProjectKey,
    (run, role, need): &InjectionKey,
) -> Result<Option<Injection>> {
    let sql = select!("WHERE project = ?1 AND run = ?2 AND role = ?3 AND need = ?4");
    one(db, sql, params![project, run.as_str(), role, need], read)
}

pub(crate) fn of_run(db: &Connection, project: ProjectKey, run: &RunId) -> Result<Vec<Injection>> {
    let sql = select!("WHERE project = ?1 AND run = ?2");
    all(db, sql, params![project, run.as_str()], read)
}

/// Injections that showed a lesson.
pub(crate) fn of_lesson(
    db: &Connection,
    project: ProjectKey,
    lesson: &LessonId,
) -> Result<Vec<Injection>> {
    let sql = select!(
        "WHERE (project, run, role, need) IN (
             SELECT project, run, role, need FROM showings
             WHERE project = ?1 AND lesson = ?2)
         ORDER BY at, run, role, need"
    );
    all(db, sql, params![project, lesson.as_str()], read)
}

pub(crate) fn of_project(db: &Connection, project: ProjectKey) -> Result<Vec<Injection>> {
    all(db, select!("WHERE project = ?1 ORDER BY run, role, need"), [project], read)
}

pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    key: &InjectionKey,
    before: Option<&Injection>,
    after: Option<&Injection>,
) -> Result<()> {
    write_showings(db, project, before, after)?;
    let (run_id, role, need) = key;
    let Some(after) = after else {
        let sql = "
            DELETE FROM injections
            WHERE project = ?1 AND run = ?2 AND role = ?3 AND need = ?4";
        return run(db, sql, params![project, run_id.as_str(), role, need]).map(drop);
    };
    let sql = "
        REPLACE INTO injections (
            project, run, role, need, at, shown, block, digest, n_tokens, domain,
            held_out, surface)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let params = params![
        project,
        after.run.as_str(),
        after.role,
        after.need,
        after.at.0,
        to_json(&after.shown),
        text::put(db, &after.block)?,
        after.digest,
        after.n_tokens,
        after.domain,
        to_json(&after.held_out),
        after.surface.word(),
    ];
    run(db, sql, params).map(drop)
}

fn write_showings(
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
