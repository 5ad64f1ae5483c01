//! How each row becomes a row of the server and back: what `crate::rows` says, with the bodies of its
//! texts beside it.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Tombstone, Worded};
use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::client::Statement;
use super::db::Db;
use super::routine::Routine;
use super::trouble::{Tried, Trouble};
use crate::cell::{Cell, cells};
pub(super) use crate::rows::{Kept, Table, to_json};

/// What owns the global lessons.
pub(super) const GLOBAL: &str = "";

/// The project and the owner of global lessons.
pub(super) fn both(project: &ProjectId) -> Vec<&str> {
    vec![project.as_str(), GLOBAL]
}

pub(super) fn owned(project: &ProjectId) -> String {
    project.as_str().to_owned()
}

pub(super) fn owner_of(lesson: &Lesson) -> String {
    lesson.project.as_ref().map_or_else(|| GLOBAL.to_owned(), owned)
}

/// A row as it is written.
pub(super) fn cells_of<T: Kept>(project: &str, row: &T) -> Vec<Cell> {
    let mut cells = cells![project];
    cells.extend(row.columns());
    cells.extend(body_cells(row));
    cells
}

/// Body, bodies of texts, and their ids.
pub(super) fn body_cells<T: Serialize + Worded + Clone>(row: &T) -> [Cell; 3] {
    let mut bodies: BTreeMap<String, String> = BTreeMap::new();
    let mut ids: BTreeSet<String> = BTreeSet::new();
    row.clone().for_each_text(&mut |text| {
        ids.insert(text.id().as_str().to_owned());
        if let Some(body) = text.body() {
            bodies.insert(text.id().as_str().to_owned(), body.to_owned());
        }
    });
    let ids: Vec<String> = ids.into_iter().collect();
    [Cell::from(to_json(row)), Cell::from(to_json(&bodies)), Cell::from(ids)]
}

/// A row as it was written. A body without the digest in its id was edited: it is never shown.
pub(super) fn from_body<T: DeserializeOwned + Worded>(body: &str, bodies: &str) -> Tried<T> {
    let mut row: T = from_json(body)?;
    let bodies: BTreeMap<String, String> = from_json(bodies)?;
    row.for_each_text(&mut |text| {
        if let Some(body) = bodies.get(text.id().as_str()) {
            text.fill(body);
        }
    });
    Ok(row)
}

pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Tried<T> {
    serde_json::from_str(text).map_err(|_| Trouble::Strange("a row is not as written"))
}

/// Rows of which the condition holds, in this order. Of what follows `FROM`, the table is `t`.
pub(super) fn select<T: Kept>(db: &Db<'_>, rest: &str, params: &[Cell]) -> Tried<Vec<T>> {
    let (sql, params) = statement::<T>(rest, params);
    parsed(&db.all(&sql, &params)?)
}

/// Lessons that a project sees, in the order of these ids. A lookup for each.
pub(super) fn lessons_by_id(db: &Db<'_>, project: &ProjectId, ids: &[&str]) -> Tried<Vec<Lesson>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    parsed(&db.ask(&LESSONS_BY_ID, cells![project.as_str(), ids.to_vec()])?)
}

/// Of lessons that a project sees, by ids.
pub(super) const LESSONS_BY_ID: Routine = Routine {
    name: "lessons_by_id",
    takes: "text, text[]",
    gives: "body text, bodies text",
    sql: "
        SELECT l.body, l.bodies FROM unnest($2) WITH ORDINALITY AS wanted (id, n)
        CROSS JOIN LATERAL (
            SELECT t.body, t.bodies FROM hardwon.lessons AS t
            WHERE t.project IN ($1, '') AND t.id = wanted.id LIMIT 1) AS l
        ORDER BY wanted.n",
};

/// The statement of [`select`], to be sent with others.
pub(super) fn statement<T: Kept>(rest: &str, params: &[Cell]) -> Statement {
    let name = T::TABLE.name;
    (format!("SELECT t.body, t.bodies FROM hardwon.{name} AS t {rest}"), params.to_vec())
}

/// What such a statement gave.
pub(super) fn parsed<T: Kept>(rows: &[tokio_postgres::Row]) -> Tried<Vec<T>> {
    rows.iter().map(|row| from_body(row.get(0), row.get(1))).collect()
}

/// The same, each with its project.
pub(super) fn select_with_project<T: Kept>(
    db: &Db<'_>,
    rest: &str,
    params: &[Cell],
) -> Tried<Vec<(ProjectId, T)>> {
    let name = T::TABLE.name;
    let sql = format!("SELECT t.project, t.body, t.bodies FROM hardwon.{name} AS t {rest}");
    let rows = db.all(&sql, params)?;
    let read = |row: &tokio_postgres::Row| {
        Ok((ProjectId::new(row.get(0)), from_body(row.get(1), row.get(2))?))
    };
    rows.iter().map(read).collect()
}

/// Marks of erased lessons have no texts.
pub(super) const TOMBSTONES: Table =
    Table { name: "tombstones", n_key: 2, columns: &["project", "lesson", "body"] };

pub(super) fn tombstone_cells(stone: &Tombstone) -> Vec<Cell> {
    let owner = stone.project.as_ref().map_or(GLOBAL, ProjectId::as_str);
    cells![owner, stone.lesson.as_str(), to_json(stone)]
}

pub(super) fn tombstones(db: &Db<'_>, rest: &str, params: &[Cell]) -> Tried<Vec<Tombstone>> {
    let sql = format!("SELECT body FROM hardwon.tombstones {rest}");
    db.all(&sql, params)?.iter().map(|row| from_json(row.get(0))).collect()
}

/// A run id that does not parse was edited in the database.
pub(super) fn run_id(text: &str) -> Tried<RunId> {
    RunId::parse(text).map_err(|_| Trouble::Strange("a run id is not as written"))
}
