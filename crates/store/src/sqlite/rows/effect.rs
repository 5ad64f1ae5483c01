//! Rows of `effects`.

use hardwon_core::effect::{Arm, Effect, EffectKind, FollowUp, Surface};
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run};
use crate::sqlite::cells::Cells;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT lesson, root, run_number, kind, why, is_named, surface, follow_up,
                    is_regression, arm, weight, expected
             FROM effects ",
            $rest
        )
    };
}

fn read(row: &Row<'_>) -> Result<Effect> {
    let mut cells = Cells::new(row);
    Ok(Effect {
        lesson: cells.lesson_id()?,
        root: cells.run_id()?,
        run_number: cells.count()?,
        kind: cells.word(EffectKind::from_word)?,
        why: cells.get()?,
        is_named: cells.get()?,
        surface: cells.word(Surface::from_word)?,
        follow_up: cells.word(FollowUp::from_word)?,
        is_regression: cells.get()?,
        arm: cells.maybe_word(Arm::from_word)?,
        weight: cells.get()?,
        expected: cells.get()?,
    })
}

pub(crate) fn load(
    db: &Connection,
    project: ProjectKey,
    root: &RunId,
    lesson: &LessonId,
) -> Result<Option<Effect>> {
    let sql = select!("WHERE project = ?1 AND root = ?2 AND lesson = ?3");
    one(db, sql, params![project, root.as_str(), lesson.as_str()], read)
}

pub(crate) fn of_root(db: &Connection, project: ProjectKey, root: &RunId) -> Result<Vec<Effect>> {
    let sql = select!("WHERE project = ?1 AND root = ?2 ORDER BY lesson");
    all(db, sql, params![project, root.as_str()], read)
}

pub(crate) fn of_lesson(
    db: &Connection,
    project: ProjectKey,
    lesson: &LessonId,
) -> Result<Vec<Effect>> {
    let sql = select!("WHERE project = ?1 AND lesson = ?2 ORDER BY run_number, root");
    all(db, sql, params![project, lesson.as_str()], read)
}

/// The effects of a global lesson, of every project.
pub(crate) fn of_global_lesson(
    db: &Connection,
    lesson: &LessonId,
) -> Result<Vec<(ProjectId, Effect)>> {
    let sql = "
        SELECT lesson, root, run_number, kind, why, is_named, surface, follow_up,
            is_regression, arm, weight, expected, id
        FROM effects
        JOIN projects ON projects.key = project
        WHERE lesson = ?1 ORDER BY run_number, root, id";
    let read_both = |row: &Row<'_>| {
        let id: String = row.get("id")?;
        Ok((ProjectId::new(&id), read(row)?))
    };
    all(db, sql, [lesson.as_str()], read_both)
}

pub(crate) fn of_project(db: &Connection, project: ProjectKey) -> Result<Vec<Effect>> {
    all(db, select!("WHERE project = ?1 ORDER BY root, lesson"), [project], read)
}

pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    root: &RunId,
    lesson: &LessonId,
    after: Option<&Effect>,
) -> Result<()> {
    let Some(after) = after else {
        let sql = "DELETE FROM effects WHERE project = ?1 AND root = ?2 AND lesson = ?3";
        let params = params![project, root.as_str(), lesson.as_str()];
        return run(db, sql, params).map(drop);
    };
    let sql = "
        REPLACE INTO effects (
            project, root, lesson, run_number, kind, why, is_named, surface, follow_up,
            is_regression, arm, weight, expected)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    let params = params![
        project,
        after.root.as_str(),
        after.lesson.as_str(),
        after.run_number as i64,
        after.kind.word(),
        after.why,
        after.is_named,
        after.surface.word(),
        after.follow_up.word(),
        after.is_regression,
        after.arm.map(Arm::word),
        after.weight,
        after.expected,
    ];
    run(db, sql, params).map(drop)
}
