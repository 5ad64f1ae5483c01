//! Rows of `findings`.

pub(crate) mod page;

use hardwon_core::finding::Finding;
use hardwon_core::ids::LessonId;
use rusqlite::{Connection, Result, params};

use super::{ProjectKey, select};

pub(crate) fn of_lesson(
    db: &Connection,
    project: ProjectKey,
    lesson: &LessonId,
) -> Result<Vec<Finding>> {
    select(db, "WHERE project = ?1 AND lesson = ?2", params![project, lesson.as_str()])
}

/// The newest fixed ones with this signature.
pub(crate) fn fixed_with_signature(
    db: &Connection,
    project: ProjectKey,
    signature: &str,
    limit: usize,
) -> Result<Vec<Finding>> {
    let rest = "
        LEFT JOIN runs ON runs.project = t.project AND runs.id = t.run
        WHERE t.project = ?1 AND signature = ?2 AND state = 'fixed'
        ORDER BY runs.at DESC, t.run DESC, t.key DESC LIMIT ?3";
    select(db, rest, params![project, signature, limit as i64])
}
