//! How rows are kept: whole, as the JSON that the journal has, beside the columns that queries ask
//! for. Bodies of texts stand in their own table, each once; lists that are looked up (aliases,
//! showings) have tables of their own. A row is read and written whole; what a change does to it was
//! decided in `core` before it comes here.

pub(super) mod deliberation;
pub(super) mod lesson;
pub(super) mod project;
pub(super) mod text;
pub(super) mod tombstone;

use hardwon_core::change::Worded;
use hardwon_core::effect::Injection;
use rusqlite::types::{ToSqlOutput, Type};
use rusqlite::{Connection, Error, Params, Result, Row, ToSql, params, params_from_iter};
use serde::de::DeserializeOwned;

use crate::cell::Cell;
use crate::rows::Kept;

pub(super) use crate::rows::to_json;

/// Key of a row in `projects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProjectKey(pub i64);

/// Owns the global lessons.
pub(super) const GLOBAL: ProjectKey = ProjectKey(0);

impl ToSql for ProjectKey {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        match self {
            Cell::Text(text) => text.to_sql(),
            Cell::Int(number) => number.to_sql(),
            Cell::Real(number) => number.to_sql(),
            Cell::Flag(flag) => flag.to_sql(),
            Cell::Texts(texts) => Ok(to_json(texts).into()),
            Cell::Column(_) => unreachable!("a file takes row after row"),
        }
    }
}

/// A statement that a server knows as well, as a file takes it: lists come as JSON, and indexes of
/// some rows name a number.
pub(super) fn worded(sql: &str) -> String {
    let sql = sql.replace("hardwon.", "").replace('$', "?");
    let flags = ["t.is_injectable", "t.is_kept", "t.is_shown", "t.waits"];
    let sql = flags.iter().fold(sql, |sql, flag| sql.replace(flag, &format!("{flag} = 1")));
    let mut parts = sql.split("= ANY (");
    let first = parts.next().unwrap_or_default().to_owned();
    let list = |part: &str| part.replacen(')', "))", 1);
    parts.fold(first, |sql, part| sql + "IN (SELECT value FROM json_each(" + &list(part))
}

/// All rows of a query, with its statement kept ready for the next time.
pub(super) fn all<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    db.prepare_cached(sql)?.query_map(params, read)?.collect()
}

/// The only row of a query, if there is one.
pub(super) fn one<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    use rusqlite::OptionalExtension;
    db.prepare_cached(sql)?.query_row(params, read).optional()
}

/// Runs a statement and says how many rows it changed.
pub(super) fn run(db: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    db.prepare_cached(sql)?.execute(params)
}

/// Rows of which the condition holds, in this order. Of what follows `FROM`, the table is `t`.
pub(super) fn select<T: Kept>(db: &Connection, rest: &str, params: impl Params) -> Result<Vec<T>> {
    let sql = format!("SELECT t.body FROM {} AS t {rest}", T::TABLE.name);
    all(db, &sql, params, |row| from_body(db, row.get_ref(0)?.as_str()?))
}

/// The row of a project with this key.
pub(super) fn load<T: Kept>(
    db: &Connection,
    project: ProjectKey,
    key: &[&str],
) -> Result<Option<T>> {
    let params = [&project as &dyn ToSql].into_iter().chain(key.iter().map(|part| part as _));
    let rest = format!("WHERE {}", is_key::<T>());
    Ok(select(db, &rest, params_from_iter(params))?.pop())
}

/// Every row of a project, by key.
pub(super) fn of_project<T: Kept>(db: &Connection, project: ProjectKey) -> Result<Vec<T>> {
    select(db, &format!("WHERE project = ?1 ORDER BY {}", keys::<T>().join(", ")), [project])
}

/// Those of one root run, by key.
pub(super) fn of_root<T: Kept>(
    db: &Connection,
    project: ProjectKey,
    root: &hardwon_core::ids::RunId,
) -> Result<Vec<T>> {
    let keys = keys::<T>().join(", ");
    let rest = format!("WHERE project = ?1 AND root = ?2 ORDER BY {keys}");
    select(db, &rest, params![project, root.as_str()])
}

/// Writes a row, and keeps its texts.
pub(super) fn put<T: Kept>(db: &Connection, project: ProjectKey, row: &T) -> Result<()> {
    keep_texts(db, row)?;
    let columns = columns(row);
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).chain(["body"]).collect();
    let marks: Vec<String> = (1..=names.len() + 1).map(|n| format!("?{n}")).collect();
    let set: Vec<String> = names.iter().map(|name| format!("{name} = excluded.{name}")).collect();
    let sql = format!(
        "INSERT INTO {} (project, {}) VALUES ({}) ON CONFLICT (project, {}) DO UPDATE SET {}",
        T::TABLE.name,
        names.join(", "),
        marks.join(", "),
        keys::<T>().join(", "),
        set[keys::<T>().len()..].join(", "),
    );
    let body = to_json(row);
    let cells = columns.iter().map(|(_, cell)| cell as &dyn ToSql);
    let params = [&project as &dyn ToSql].into_iter().chain(cells).chain([&body as &dyn ToSql]);
    run(db, &sql, params_from_iter(params)).map(drop)
}

/// Takes a row away.
pub(super) fn remove<T: Kept>(db: &Connection, project: ProjectKey, row: &T) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE {}", T::TABLE.name, is_key::<T>());
    let cells = row.columns();
    let key = cells.iter().take(keys::<T>().len()).map(|cell| cell as &dyn ToSql);
    let params = [&project as &dyn ToSql].into_iter().chain(key);
    run(db, &sql, params_from_iter(params)).map(drop)
}

/// Writes the row that is to stand there, or takes away the one that stood there.
pub(super) fn write<T: Kept>(
    db: &Connection,
    project: ProjectKey,
    was: Option<&T>,
    is: Option<&T>,
) -> Result<()> {
    match (was, is) {
        (_, Some(row)) => put(db, project, row),
        (Some(row), None) => remove(db, project, row),
        (None, None) => Ok(()),
    }
}

/// The columns of a row before its body.
fn columns<T: Kept>(row: &T) -> Vec<(&'static str, Cell)> {
    let names = T::TABLE.columns.iter().skip(1).copied();
    let is_single = |(_, cell): &(&str, Cell)| !matches!(cell, Cell::Texts(_));
    names.zip(row.columns()).filter(is_single).chain(row.summed()).collect()
}

/// The columns of a key, after the project.
fn keys<T: Kept>() -> &'static [&'static str] {
    &T::TABLE.columns[1..T::TABLE.n_key]
}

fn is_key<T: Kept>() -> String {
    let equal = (2..).zip(keys::<T>()).map(|(n, name)| format!(" AND {name} = ?{n}"));
    format!("project = ?1{}", equal.collect::<String>())
}

/// A row as it was written, with the bodies of its texts that are there and genuine: one without
/// the digest in its id was edited in the file; it is never shown, and the check reports it.
pub(super) fn from_body<T: DeserializeOwned + Worded>(db: &Connection, body: &str) -> Result<T> {
    let mut row: T = from_json(body)?;
    fill_texts(db, &mut row)?;
    Ok(row)
}

pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T> {
    let strange = "a row is not as written";
    serde_json::from_str(text)
        .map_err(|_| Error::FromSqlConversionFailure(0, Type::Text, strange.into()))
}

pub(super) fn fill_texts(db: &Connection, row: &mut impl Worded) -> Result<()> {
    let mut failed = Ok(());
    row.for_each_text(&mut |unfilled| match text::body(db, unfilled.id()) {
        Ok(Some(body)) => drop(unfilled.fill(&body)),
        Ok(None) => {}
        Err(error) => failed = Err(error),
    });
    failed
}

/// Keeps the bodies of the texts that it names.
pub(super) fn keep_texts(db: &Connection, row: &(impl Worded + Clone)) -> Result<()> {
    let mut failed = Ok(());
    row.clone().for_each_text(&mut |text| {
        if let Err(error) = text::put(db, text) {
            failed = Err(error);
        }
    });
    failed
}

/// Lists the lessons that a block shows.
pub(super) fn write_showings(
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
