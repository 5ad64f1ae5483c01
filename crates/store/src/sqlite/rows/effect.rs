//! Rows of `effects`.

use hardwon_core::effect::Effect;
use hardwon_core::ids::{LessonId, ProjectId};
use rusqlite::{Connection, Result, params};

use super::{ProjectKey, all, from_json, select};

pub(crate) fn of_lesson(
    db: &Connection,
    project: ProjectKey,
    lesson: &LessonId,
) -> Result<Vec<Effect>> {
    let rest = "WHERE project = ?1 AND lesson = ?2 ORDER BY run_number, root";
    select(db, rest, params![project, lesson.as_str()])
}

/// The effects of a global lesson, of every project.
pub(crate) fn of_global_lesson(
    db: &Connection,
    lesson: &LessonId,
) -> Result<Vec<(ProjectId, Effect)>> {
    let sql = "
        SELECT body, id FROM effects JOIN projects ON projects.key = project
        WHERE lesson = ?1 ORDER BY run_number, root, id";
    all(db, sql, [lesson.as_str()], |row| {
        Ok((ProjectId::new(row.get_ref(1)?.as_str()?), from_json(row.get_ref(0)?.as_str()?)?))
    })
}
