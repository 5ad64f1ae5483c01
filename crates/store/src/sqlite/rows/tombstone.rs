//! Rows of `tombstones`.

use hardwon_core::change::Tombstone;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Kind;
use rusqlite::{Connection, Result, Row, params};

use super::{ProjectKey, all, one, run};
use crate::sqlite::cells::{Cells, to_json};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT lesson, projects.id, kind, texts, signatures, at, forgot_by
             FROM tombstones CROSS JOIN projects ON projects.key = project ",
            $rest
        )
    };
}

fn read(row: &Row<'_>) -> Result<Tombstone> {
    let mut cells = Cells::new(row);
    let lesson = cells.lesson_id()?;
    let owner: String = cells.get()?;
    Ok(Tombstone {
        lesson,
        project: (!owner.is_empty()).then(|| ProjectId::new(&owner)),
        kind: cells.word(Kind::from_word)?,
        texts: cells.json()?,
        signatures: cells.json()?,
        at: cells.time()?,
        by: cells.get()?,
    })
}

pub(crate) fn load(
    db: &Connection,
    owner: ProjectKey,
    lesson: &LessonId,
) -> Result<Option<Tombstone>> {
    let sql = select!("WHERE project = ?1 AND lesson = ?2");
    one(db, sql, params![owner, lesson.as_str()], read)
}

pub(crate) fn of_owner(db: &Connection, owner: ProjectKey) -> Result<Vec<Tombstone>> {
    all(db, select!("WHERE project = ?1 ORDER BY lesson"), [owner], read)
}

pub(crate) fn write(
    db: &Connection,
    owner: ProjectKey,
    lesson: &LessonId,
    after: Option<&Tombstone>,
) -> Result<()> {
    let Some(after) = after else {
        let sql = "DELETE FROM tombstones WHERE project = ?1 AND lesson = ?2";
        return run(db, sql, params![owner, lesson.as_str()]).map(drop);
    };
    let sql = "
        REPLACE INTO tombstones (project, lesson, kind, texts, signatures, at, forgot_by)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let params = params![
        owner,
        after.lesson.as_str(),
        after.kind.word(),
        to_json(&after.texts),
        to_json(&after.signatures),
        after.at.0,
        after.by,
    ];
    run(db, sql, params).map(drop)
}
