//! How each table's rows become domain values and back. A row is read and written
//! whole; what a change does to it was decided in `core` before it comes here.

pub(super) mod attempt;
pub(super) mod consultation;
pub(super) mod deliberation;
pub(super) mod effect;
pub(super) mod finding;
pub(super) mod injection;
pub(super) mod lesson;
pub(super) mod project;
pub(super) mod run;
pub(super) mod text;
pub(super) mod tombstone;

use rusqlite::{Connection, Params, Result, Row};

/// Key of a row in `projects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProjectKey(pub i64);

/// Owns the global lessons.
pub(super) const GLOBAL: ProjectKey = ProjectKey(0);

impl rusqlite::ToSql for ProjectKey {
    fn to_sql(&self) -> Result<rusqlite::types::ToSqlOutput<'_>> {
        self.0.to_sql()
    }
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
