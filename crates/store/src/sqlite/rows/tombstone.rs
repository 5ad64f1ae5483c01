//! Rows of `tombstones`, which have no texts.

use hardwon_core::change::Tombstone;
use hardwon_core::ids::{LessonId, ProjectId};
use rusqlite::{Connection, Params, Result, params};

use super::{ProjectKey, all, from_json, run, to_json};

fn select(db: &Connection, rest: &str, params: impl Params) -> Result<Vec<Tombstone>> {
    let sql = format!(
        "SELECT body, nullif(projects.id, '') FROM tombstones
         CROSS JOIN projects ON projects.key = project {rest}"
    );
    all(db, &sql, params, |row| {
        let owner: Option<String> = row.get(1)?;
        let stone: Tombstone = from_json(row.get_ref(0)?.as_str()?)?;
        Ok(Tombstone { project: owner.map(|id| ProjectId::new(&id)), ..stone })
    })
}

pub(crate) fn load(
    db: &Connection,
    owner: ProjectKey,
    lesson: &LessonId,
) -> Result<Option<Tombstone>> {
    let rest = "WHERE project = ?1 AND lesson = ?2";
    Ok(select(db, rest, params![owner, lesson.as_str()])?.pop())
}

pub(crate) fn of_owner(db: &Connection, owner: ProjectKey) -> Result<Vec<Tombstone>> {
    select(db, "WHERE project = ?1 ORDER BY lesson", [owner])
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
    let sql = "REPLACE INTO tombstones (project, lesson, body) VALUES (?1, ?2, ?3)";
    run(db, sql, params![owner, lesson.as_str(), to_json(after)]).map(drop)
}
