//! Rows of `lessons`, and of `aliases`, by which other systems' ids find them.

use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Lesson;
use rusqlite::{Connection, Params, Result, params};

use super::{ProjectKey, all, from_body, run, to_json};
use crate::query::decay_base;

/// Lessons of which the condition holds, in this order; whose they are is said by their column. Of
/// what follows `FROM`, the table is `t`. Cross joins are joins in the written order.
pub(crate) fn select(
    db: &Connection,
    from: &str,
    rest: &str,
    params: impl Params,
) -> Result<Vec<Lesson>> {
    let sql = format!(
        "SELECT t.body, nullif(projects.id, '') FROM {from}
         CROSS JOIN projects ON projects.key = t.project {rest}"
    );
    all(db, &sql, params, |row| {
        let owner: Option<String> = row.get(1)?;
        let lesson: Lesson = from_body(db, row.get_ref(0)?.as_str()?)?;
        Ok(Lesson { project: owner.map(|id| ProjectId::new(&id)), ..lesson })
    })
}

/// Every lesson of an owner, by id.
pub(crate) fn every_of(db: &Connection, owner: ProjectKey) -> Result<Vec<Lesson>> {
    select(db, "lessons AS t", "WHERE t.project = ?1 ORDER BY t.id", [owner])
}

/// The lesson with this id, of any project.
pub(crate) fn load(db: &Connection, id: &LessonId) -> Result<Option<Lesson>> {
    Ok(select(db, "lessons AS t", "WHERE t.id = ?1", [id.as_str()])?.pop())
}

/// The lessons with these ids, of any project, in this order; each as often as it
/// is named. Unknown ids are left out.
pub(crate) fn load_all(db: &Connection, ids: &[&str]) -> Result<Vec<Lesson>> {
    // In the order of its rows a JSON list comes anyway; by its keys all that is read would be sorted.
    let from = "json_each(?1) AS wanted CROSS JOIN lessons AS t ON t.id = wanted.value";
    select(db, from, "ORDER BY wanted.rowid", [to_json(&ids)])
}

/// Writes the row and its aliases; no `after` takes it away.
pub(crate) fn write(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Lesson>,
    after: Option<&Lesson>,
) -> Result<()> {
    write_aliases(db, project, before, after)?;
    match (before, after) {
        (Some(before), Some(after)) if is_only_counted(before, after) => count(db, after),
        (before, after) => super::write(db, project, before, after),
    }
}

fn write_aliases(
    db: &Connection,
    project: ProjectKey,
    before: Option<&Lesson>,
    after: Option<&Lesson>,
) -> Result<()> {
    let of = |lesson: Option<&Lesson>| lesson.map_or(Vec::new(), |lesson| lesson.aliases.clone());
    let Some(lesson) = before.or(after).filter(|_| of(before) != of(after)) else { return Ok(()) };
    for alias in of(before) {
        let sql = "DELETE FROM aliases WHERE project = ?1 AND alias = ?2 AND lesson = ?3";
        run(db, sql, params![project, alias, lesson.id.as_str()])?;
    }
    for alias in of(after) {
        let sql = "INSERT OR IGNORE INTO aliases (project, alias, lesson) VALUES (?1, ?2, ?3)";
        run(db, sql, params![project, alias, lesson.id.as_str()])?;
    }
    Ok(())
}

/// Whether nothing changed but how long the lesson went unseen. A tenth of all lessons
/// changes so with every run, and a whole row goes through every index.
fn is_only_counted(before: &Lesson, after: &Lesson) -> bool {
    let counted = Lesson { unseen: after.unseen, standing: after.standing, ..before.clone() };
    counted == *after
}

fn count(db: &Connection, after: &Lesson) -> Result<()> {
    let sql = "UPDATE lessons SET body = ?2, decay_base = ?3 WHERE id = ?1";
    run(db, sql, params![after.id.as_str(), to_json(after), decay_base(after)]).map(drop)
}
