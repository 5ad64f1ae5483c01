//! Rows of `lessons`, and of `aliases`, by which other systems' ids find them.

use hardwon_core::effect::EffectCounts;
use hardwon_core::finding::Severity;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Arms, Kind, Lesson, State};
use hardwon_core::scope::Scope;
use hardwon_core::totals::Group;
use rusqlite::types::Type;
use rusqlite::{Connection, Error, Params, Result, Row, params};
use serde::de::DeserializeOwned;

use super::{GLOBAL, ProjectKey, all, from_body, from_json, one, run, to_json};
use crate::query::decay_base;

/// Selects whole lessons, as [`read`] takes them. What follows may name the tables `lessons` and
/// `projects`. Cross joins are joins in the written order: the lessons come first, in the order of
/// their index.
macro_rules! select_lessons {
    ($rest:literal) => {
        $crate::sqlite::rows::lesson::select_lessons!(from "lessons", $rest)
    };
    (from $from:literal, $rest:literal) => {
        concat!(
            "SELECT lessons.body, nullif(projects.id, '') FROM ",
            $from,
            " CROSS JOIN projects ON projects.key = lessons.project ",
            $rest
        )
    };
}
pub(in crate::sqlite) use select_lessons;

/// All lessons of a query; whose they are is said by their column.
pub(crate) fn read(db: &Connection, sql: &str, params: impl Params) -> Result<Vec<Lesson>> {
    all(db, sql, params, |row| {
        let owner: Option<String> = row.get(1)?;
        let lesson: Lesson = from_body(db, row.get_ref(0)?.as_str()?)?;
        Ok(Lesson { project: owner.map(|id| ProjectId::new(&id)), ..lesson })
    })
}

/// How many lessons of an owner are counted alike, and their effects.
pub(crate) fn groups(db: &Connection, owner: ProjectKey) -> Result<Vec<Group>> {
    let sql = "
        SELECT count(*), is_pinned, state, kind, severity, sum(helped), sum(no_help), sum(hurt),
               sum(contradicted), sum(neutral), sum(no_opportunity), sum(expected)
        FROM lessons WHERE project = ?1
        GROUP BY state, kind, severity, is_pinned";
    all(db, sql, [owner], |row| {
        Ok(Group {
            is_global: owner == GLOBAL,
            n_lessons: row.get::<_, i64>(0)? as u64,
            is_pinned: row.get(1)?,
            state: word(row, 2, State::from_word)?,
            kind: word(row, 3, Kind::from_word)?,
            severity: word(row, 4, Severity::from_word)?,
            effects: EffectCounts {
                n_helped: row.get(5)?,
                n_no_help: row.get(6)?,
                n_hurt: row.get(7)?,
                n_contradicted: row.get(8)?,
                n_neutral: row.get(9)?,
                n_no_opportunity: row.get(10)?,
                expected_thousandths: row.get(11)?,
            },
        })
    })
}

/// A word of a closed list.
fn word<T>(row: &Row<'_>, at: usize, from_word: fn(&str) -> Option<T>) -> Result<T> {
    let strange = || Error::FromSqlConversionFailure(at, Type::Text, "an unknown word".into());
    from_word(row.get_ref(at)?.as_str()?).ok_or_else(strange)
}

/// The scopes of an owner's lessons that are not put away, and how many have each. From an index.
pub(crate) fn scopes(db: &Connection, owner: ProjectKey) -> Result<Vec<(Scope, u64)>> {
    let states: Vec<&str> =
        State::ALL.iter().filter(|state| !state.is_put_away()).map(|state| state.word()).collect();
    let sql = "
        SELECT scope, count(*) FROM lessons
        WHERE project = ?1 AND state IN (SELECT value FROM json_each(?2)) GROUP BY scope";
    all(db, sql, params![owner, to_json(&states)], counted)
}

/// What chance showed of an owner's lessons that were ever shown, and of how many each.
pub(crate) fn arms(db: &Connection, owner: ProjectKey) -> Result<Vec<(Arms, u64)>> {
    let sql = "
        SELECT arms, count(*) FROM lessons WHERE project = ?1 AND is_shown = 1 GROUP BY arms";
    all(db, sql, [owner], counted)
}

/// A value, and how often it is there.
fn counted<T: DeserializeOwned>(row: &Row<'_>) -> Result<(T, u64)> {
    Ok((from_json(row.get_ref(0)?.as_str()?)?, row.get::<_, i64>(1)? as u64))
}

/// Every lesson of an owner, by id.
pub(crate) fn every_of(db: &Connection, owner: ProjectKey) -> Result<Vec<Lesson>> {
    read(db, select_lessons!("WHERE lessons.project = ?1 ORDER BY lessons.id"), [owner])
}

/// The lesson with this id, of any project.
pub(crate) fn load(db: &Connection, id: &LessonId) -> Result<Option<Lesson>> {
    Ok(read(db, select_lessons!("WHERE lessons.id = ?1"), [id.as_str()])?.pop())
}

/// In the order of its rows a JSON list comes anyway; by its keys SQLite would sort all that is read.
pub(in crate::sqlite) const BY_IDS: &str = select_lessons!(
    from "json_each(?1) AS wanted CROSS JOIN lessons ON lessons.id = wanted.value",
    "ORDER BY wanted.rowid"
);

/// The lessons with these ids, of any project, in this order; each as often as it
/// is named. Unknown ids are left out.
pub(crate) fn load_all(db: &Connection, ids: &[&str]) -> Result<Vec<Lesson>> {
    read(db, BY_IDS, [to_json(&ids)])
}

pub(crate) fn is_global(db: &Connection, id: &LessonId) -> Result<bool> {
    let sql = "SELECT project FROM lessons WHERE id = ?1";
    let owner = one(db, sql, [id.as_str()], |row| row.get(0).map(ProjectKey))?;
    Ok(owner == Some(GLOBAL))
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
    let Some(lesson) = before.or(after).filter(|_| of(before) != of(after)) else {
        return Ok(());
    };
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
