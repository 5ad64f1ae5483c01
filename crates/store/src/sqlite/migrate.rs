//! Which schema does a file have, and how does it get the newest one? Migrations are
//! numbered files; all that are missing run in one transaction, after a copy of the
//! file was put beside it. Killed at any point, the file has its old schema or the new
//! one.
//!
//! An older program that meets a newer file reads it as well as it can and does not
//! write. A newer program that may write brings an older file up to date before its
//! first read; one that may only read says what to do.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::connection::{self, trouble, with_suffix};
use crate::{StoreError, files};

/// Marks a file as ours, in SQLite's header: "hwon".
const APPLICATION_ID: i64 = 0x6877_6f6e;

/// One step from a schema to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Migration {
    /// The schema it gives: counts up from 1 without gaps.
    pub number: i64,
    pub sql: &'static str,
}

/// All steps, in order. Never edited after a release.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, sql: include_str!("../../migrations/sqlite/0001_tables.sql") },
    Migration {
        number: 2,
        sql: include_str!("../../migrations/sqlite/0002_layouts_and_reviews.sql"),
    },
    Migration { number: 3, sql: include_str!("../../migrations/sqlite/0003_tombstones.sql") },
    Migration { number: 4, sql: include_str!("../../migrations/sqlite/0004_judgements.sql") },
    Migration { number: 5, sql: include_str!("../../migrations/sqlite/0005_episodes.sql") },
];

/// What schema a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schema {
    /// None: the file is new, and reads as an empty store.
    None,
    /// An older one: reading has to wait for a migration.
    Older(i64),
    Current,
    /// Made by a newer program: to be read, not written.
    Newer(i64),
}

/// Looks at the header; writes nothing.
pub(super) fn schema(
    path: &Path,
    connection: &Connection,
    migrations: &[Migration],
) -> Result<Schema, StoreError> {
    let known = newest(migrations);
    let (found, is_ours) = header(connection).map_err(|error| trouble(path, error))?;
    if !is_ours {
        let detail = "it is a database of another program".to_owned();
        return Err(StoreError::Damaged { path: path.to_owned(), detail });
    }
    Ok(match found {
        0 => Schema::None,
        found if found < known => Schema::Older(found),
        found if found > known => Schema::Newer(found),
        _ => Schema::Current,
    })
}

/// Brings the file to the newest schema. Does nothing, and takes no lock, if it has it.
pub(super) fn migrate(
    path: &Path,
    connection: &mut Connection,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    match schema(path, connection, migrations)? {
        Schema::Current => return Ok(()),
        Schema::Newer(_) => return refuse_newer(path, connection, migrations),
        Schema::None => {
            connection::turn_on_log(connection).map_err(|error| trouble(path, error))?;
        }
        Schema::Older(_) => {}
    }
    run_missing(path, connection, migrations)
}

/// An error if the file was made by a newer program.
pub(super) fn refuse_newer(
    path: &Path,
    connection: &Connection,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    let found = version(connection).map_err(|error| trouble(path, error))?;
    let known = newest(migrations);
    match found > known {
        true => Err(StoreError::TooNew { path: path.to_owned(), found, known }),
        false => Ok(()),
    }
}

fn run_missing(
    path: &Path,
    connection: &mut Connection,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    let failed = |error| trouble(path, error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Read again under the lock: another process may have been faster.
    let found = version(&transaction).map_err(failed)?;
    if found >= newest(migrations) {
        return Ok(());
    }
    if found > 0 {
        back_up(path, &format!("v{found}"))?;
    }
    for migration in migrations.iter().filter(|migration| migration.number > found) {
        transaction.execute_batch(migration.sql).map_err(failed)?;
        transaction.pragma_update(None, "user_version", migration.number).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Copies what is committed to `NAME.backup-LABEL`, by way of a file that is renamed: a
/// backup that is there is whole. Gives its path.
pub(super) fn back_up(path: &Path, label: &str) -> Result<PathBuf, StoreError> {
    let target = with_suffix(path, &format!(".backup-{label}"));
    let unfinished = with_suffix(path, ".backup-unfinished");
    let unusable = |error: std::io::Error| StoreError::Unusable {
        path: target.clone(),
        detail: error.to_string(),
    };
    let _ = fs::remove_file(&unfinished);
    make_private(&unfinished).map_err(unusable)?;
    let Some(reader) = connection::open_reader(path)? else { return Ok(target) };
    let copy_to = unfinished.to_string_lossy();
    reader.execute("VACUUM INTO ?1", [&copy_to]).map_err(|error| trouble(&unfinished, error))?;
    files::place_written(&unfinished, &target).map_err(unusable)?;
    Ok(target)
}

#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(drop)
}

#[cfg(not(unix))]
fn make_private(path: &Path) -> std::io::Result<()> {
    fs::OpenOptions::new().write(true).create_new(true).open(path).map(drop)
}

pub(super) fn newest(migrations: &[Migration]) -> i64 {
    migrations.last().map_or(0, |migration| migration.number)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The version, and whether the file is ours; in one transaction, because another
/// process may be making the schema right now.
fn header(connection: &Connection) -> rusqlite::Result<(i64, bool)> {
    let snapshot = connection.unchecked_transaction()?;
    let found = version(&snapshot)?;
    let is_ours = match found {
        0 => is_empty(&snapshot)?,
        _ => is_marked(&snapshot)?,
    };
    Ok((found, is_ours))
}

fn is_marked(connection: &Connection) -> rusqlite::Result<bool> {
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok(id == APPLICATION_ID)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Migration =
        Migration { number: 2, sql: "ALTER TABLE operations ADD COLUMN host TEXT;" };
    const FAILING: Migration = Migration {
        number: 2,
        sql: "ALTER TABLE operations ADD COLUMN host TEXT; INSERT INTO nowhere VALUES (1);",
    };

    /// A program that knows only the first schema.
    const FIRST: &[Migration] = MIGRATIONS.split_at(1).0;

    fn with(second: Migration) -> [Migration; 2] {
        [FIRST[0], second]
    }

    fn columns(connection: &Connection, name: &str) -> i64 {
        let sql = "SELECT count(*) FROM pragma_table_info('operations') WHERE name = ?1";
        connection.query_row(sql, [name], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_second_migration_runs_after_a_backup() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let mut connection = connection::open_writer(&path).unwrap();
        migrate(&path, &mut connection, FIRST).unwrap();
        assert!(!with_suffix(&path, ".backup-v0").exists(), "nothing to back up in a new file");

        let two = with(SECOND);
        migrate(&path, &mut connection, &two).unwrap();
        assert_eq!(schema(&path, &connection, &two).unwrap(), Schema::Current);
        assert_eq!(columns(&connection, "host"), 1);
        let backup = Connection::open(with_suffix(&path, ".backup-v1")).unwrap();
        assert_eq!((version(&backup).unwrap(), columns(&backup, "host")), (1, 0));
        assert!(!with_suffix(&path, ".backup-unfinished").exists());

        let refused = migrate(&path, &mut connection, FIRST);
        assert!(matches!(refused, Err(StoreError::TooNew { found: 2, known: 1, .. })));
    }

    #[test]
    fn a_failing_migration_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let mut connection = connection::open_writer(&path).unwrap();
        migrate(&path, &mut connection, FIRST).unwrap();

        let two = with(FAILING);
        assert!(migrate(&path, &mut connection, &two).is_err());
        assert_eq!(schema(&path, &connection, &two).unwrap(), Schema::Older(1));
        assert_eq!(columns(&connection, "host"), 0);
        migrate(&path, &mut connection, &with(SECOND)).unwrap();
        assert_eq!(columns(&connection, "host"), 1);
    }

    #[test]
    fn migrations_count_up_without_gaps() {
        for (n, migration) in (1..).zip(MIGRATIONS) {
            assert_eq!(migration.number, n);
        }
    }
}
