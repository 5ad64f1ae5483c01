//! Which schema does a file have, and how does it get the newest one? A new file gets it
//! from one script; an older one by the steps that lead there, in one transaction, after a
//! copy of the file was put beside it. Killed at any point, the file has its old schema or
//! the new one.
//!
//! An older program that meets a newer file reads it as well as it can and does not
//! write. A newer program reads an older file at once, through views of its own that lend it the
//! newest form, and brings it up to date before its first write.

use std::path::Path;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, TransactionBehavior};

use super::SqliteStore;
use super::connection::{self, trouble};
use crate::error::{damaged, place_of};
use crate::{Result, StoreError};

/// Marks a file as ours, in SQLite's header: "hwon".
const APPLICATION_ID: i64 = 0x6877_6f6e;

/// One step from a schema to a later one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Migration {
    /// The schema it starts from: 0 = a new file.
    pub from: i64,
    /// The schema it gives.
    pub number: i64,
    pub sql: &'static str,
    /// Temporary views, over the tables of the schema it starts from, by which all that reads the
    /// newest schema reads that one; nothing is written.
    pub views: &'static str,
}

/// All steps, by where they start. Never edited after a release. The rows of 14 had a column for
/// each field.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        from: 0,
        number: 15,
        sql: concat!(
            include_str!("../../migrations/sqlite/0015_schema.sql"),
            include_str!("../../migrations/sqlite/0015_rows.sql"),
        ),
        views: "",
    },
    Migration {
        from: 14,
        number: 15,
        sql: concat!(
            include_str!("../../migrations/sqlite/0014_views.sql"),
            include_str!("../../migrations/sqlite/0014_take.sql"),
            include_str!("../../migrations/sqlite/0015_rows.sql"),
            include_str!("../../migrations/sqlite/0015_give.sql"),
        ),
        views: include_str!("../../migrations/sqlite/0014_views.sql"),
    },
];

/// What schema a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schema {
    /// None: the file is new, and reads as an empty store.
    None,
    /// An older one: read through views, written only after a migration.
    Older(i64),
    Current,
    /// Made by a newer program: to be read, not written.
    Newer(i64),
}

/// Looks at the header; writes nothing.
pub(super) fn schema(path: &Path, db: &Connection, migrations: &[Migration]) -> Result<Schema> {
    let known = newest(migrations);
    let (found, is_ours) = header(db).map_err(|error| trouble(path, error))?;
    if !is_ours {
        return Err(damaged(path, "it is a database of another program"));
    }
    Ok(match found {
        0 => Schema::None,
        found if found < known => {
            let step = migrations.iter().find(|step| step.from == found);
            step.ok_or_else(|| too_old(path, found, migrations))?;
            Schema::Older(found)
        }
        found if found > known => Schema::Newer(found),
        _ => Schema::Current,
    })
}

/// Brings the file to the newest schema. Does nothing, and takes no lock, if it has it.
pub(super) fn migrate(path: &Path, db: &mut Connection, migrations: &[Migration]) -> Result<()> {
    match schema(path, db, migrations)? {
        Schema::Current => return Ok(()),
        Schema::Newer(_) => return refuse_newer(path, db, migrations),
        Schema::None => {
            connection::turn_on_log(db).map_err(|error| trouble(path, error))?;
        }
        Schema::Older(_) => {}
    }
    run_missing(path, db, migrations, |found| {
        SqliteStore::back_up(path, &format!("v{found}")).map(drop)
    })
}

/// Brings a copy, which is no store yet, to the newest schema. Errors: it is none of ours, or was
/// made by a newer program.
pub(super) fn bring_up(path: &Path, db: &mut Connection, migrations: &[Migration]) -> Result<()> {
    match schema(path, db, migrations)? {
        Schema::Current => Ok(()),
        Schema::Newer(_) => refuse_newer(path, db, migrations),
        Schema::None => Err(damaged(path, "it holds nothing")),
        Schema::Older(_) => run_missing(path, db, migrations, |_| Ok(())),
    }
}

/// Lets a connection read an older schema as if it were the newest. Writes nothing to the file.
pub(super) fn read_older(
    path: &Path,
    db: &Connection,
    found: i64,
    migrations: &[Migration],
) -> Result<()> {
    let step = migrations.iter().find(|step| step.from == found);
    let step = step.ok_or_else(|| too_old(path, found, migrations))?;
    let views = format!("PRAGMA temp_store = MEMORY; {}", step.views);
    add_functions(db).and_then(|()| db.execute_batch(&views)).map_err(|error| trouble(path, error))
}

/// What the views need: numbers as the program writes them, to the last digit.
fn add_functions(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("json_real", 1, flags, |context| {
        Ok(context.get::<Option<f64>>(0)?.map(|number| format!("{number:?}")))
    })
}

/// Takes the views away again if another process has brought the file up to date since. Says
/// whether it has.
pub(super) fn is_outdated(db: &Connection, lent_for: i64) -> rusqlite::Result<bool> {
    if version(db)? == lent_for {
        return Ok(false);
    }
    let names: Vec<String> =
        super::rows::all(db, "SELECT name FROM temp.sqlite_schema", [], |row| row.get(0))?;
    for name in names {
        db.execute_batch(&format!("DROP VIEW temp.{name}"))?;
    }
    Ok(true)
}

/// An error if the file was made by a newer program.
pub(super) fn refuse_newer(path: &Path, db: &Connection, migrations: &[Migration]) -> Result<()> {
    let found = version(db).map_err(|error| trouble(path, error))?;
    let known = newest(migrations);
    if found > known {
        Err(StoreError::TooNew { place: place_of(path), found, known })
    } else {
        Ok(())
    }
}

fn run_missing(
    path: &Path,
    db: &mut Connection,
    migrations: &[Migration],
    back_up: impl FnOnce(i64) -> Result<()>,
) -> Result<()> {
    let failed = |error| trouble(path, error);
    let transaction =
        db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Read again under the lock: another process may have been faster.
    let found = version(&transaction).map_err(failed)?;
    if found >= newest(migrations) {
        return Ok(());
    }
    if found > 0 {
        back_up(found)?;
    }
    add_functions(&transaction).map_err(failed)?;
    let mut reached = found;
    while reached < newest(migrations) {
        let step = migrations.iter().find(|step| step.from == reached);
        let step = step.ok_or_else(|| too_old(path, found, migrations))?;
        transaction.execute_batch(step.sql).map_err(failed)?;
        reached = step.number;
    }
    transaction.pragma_update(None, "user_version", reached).map_err(failed)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.commit().map_err(failed)
}

pub(super) fn newest(migrations: &[Migration]) -> i64 {
    migrations.iter().map(|step| step.number).max().unwrap_or(0)
}

fn too_old(path: &Path, found: i64, migrations: &[Migration]) -> StoreError {
    let oldest = migrations.iter().map(|step| step.from).filter(|from| *from > 0).min();
    let oldest = oldest.unwrap_or_else(|| newest(migrations));
    StoreError::TooOld { place: place_of(path), found, oldest }
}

fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The version, and whether the file is ours; in one transaction, because another
/// process may be making the schema right now.
pub(super) fn header(db: &Connection) -> rusqlite::Result<(i64, bool)> {
    let snapshot = db.unchecked_transaction()?;
    let found = version(&snapshot)?;
    let is_ours = if found == 0 {
        snapshot.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?
    } else {
        let id: i64 = snapshot.pragma_query_value(None, "application_id", |row| row.get(0))?;
        id == APPLICATION_ID
    };
    Ok((found, is_ours))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::beside::with_suffix;

    const SECOND: Migration = Migration {
        from: 15,
        number: 16,
        sql: "ALTER TABLE operations ADD COLUMN host TEXT; CREATE TABLE hosts (name TEXT);",
        views: "CREATE TEMP VIEW operations AS SELECT *, NULL AS host FROM main.operations;",
    };
    const FAILING: Migration = Migration {
        sql: "ALTER TABLE operations ADD COLUMN host TEXT; INSERT INTO nowhere VALUES (1);",
        ..SECOND
    };

    fn with(second: Migration) -> [Migration; 2] {
        [MIGRATIONS[0], second]
    }

    /// A store as the first release makes it, open for writing.
    fn first(folder: &Path) -> (std::path::PathBuf, Connection) {
        let path = folder.join("m.db");
        let mut db = connection::open_writer(&path, |p, db| migrate(p, db, MIGRATIONS)).unwrap();
        migrate(&path, &mut db, MIGRATIONS).unwrap();
        (path, db)
    }

    fn has_host(db: &Connection) -> bool {
        db.prepare("SELECT host FROM operations").is_ok()
    }

    #[test]
    fn a_second_migration_runs_after_a_backup() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut db) = first(folder.path());
        assert!(!with_suffix(&path, ".backup-v0").exists(), "nothing to back up in a new file");

        let two = with(SECOND);
        // A backup that was being made when a process died is in nobody's way.
        std::fs::write(with_suffix(&path, ".backup-unfinished"), "half of it").unwrap();
        migrate(&path, &mut db, &two).unwrap();
        assert_eq!(schema(&path, &db, &two).unwrap(), Schema::Current);
        assert!(has_host(&db));
        let backup = Connection::open(with_suffix(&path, ".backup-v15")).unwrap();
        assert_eq!((version(&backup).unwrap(), has_host(&backup)), (15, false));
        assert!(!with_suffix(&path, ".backup-unfinished").exists());

        let refused = migrate(&path, &mut db, MIGRATIONS);
        assert!(matches!(refused, Err(StoreError::TooNew { found: 16, known: 15, .. })));
    }

    #[test]
    fn a_failing_migration_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut db) = first(folder.path());
        let two = with(FAILING);
        assert!(migrate(&path, &mut db, &two).is_err());
        assert_eq!(schema(&path, &db, &two).unwrap(), Schema::Older(15));
        assert!(!has_host(&db));
        migrate(&path, &mut db, &with(SECOND)).unwrap();
        assert!(has_host(&db));
    }

    /// What a kill leaves behind: the file and its log, with the transaction still open.
    #[test]
    fn stopped_within_a_step_the_store_is_old_and_opens() {
        let folder = tempfile::tempdir().unwrap();
        let (path, db) = first(folder.path());
        // A cache so small that unfinished pages go to the log.
        db.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE;").unwrap();
        for (n, statement) in SECOND.sql.split_inclusive(';').enumerate() {
            db.execute_batch(statement).unwrap();
            let killed = folder.path().join(format!("{n}.db"));
            std::fs::copy(&path, &killed).unwrap();
            std::fs::copy(with_suffix(&path, "-wal"), with_suffix(&killed, "-wal")).unwrap();
            let mut db = Connection::open(&killed).unwrap();
            assert_eq!((version(&db).unwrap(), has_host(&db)), (15, false));
            migrate(&killed, &mut db, &with(SECOND)).unwrap();
            assert!(has_host(&db));
        }
    }

    #[test]
    fn an_older_schema_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut writer) = first(folder.path());
        let two = with(SECOND);
        let reader = connection::open_reader(&path).unwrap().unwrap();
        assert_eq!(schema(&path, &reader, &two).unwrap(), Schema::Older(15));
        read_older(&path, &reader, 15, &two).unwrap();
        assert!(has_host(&reader) && !is_outdated(&reader, 15).unwrap());
        assert_eq!(version(&writer).unwrap(), 15, "reading migrates nothing");
        migrate(&path, &mut writer, &two).unwrap();
        assert!(is_outdated(&reader, 15).unwrap());
        assert!(has_host(&reader));
    }

    #[test]
    fn a_schema_that_no_step_starts_from_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut db) = first(folder.path());
        db.pragma_update(None, "user_version", 13).unwrap();
        let refused = migrate(&path, &mut db, MIGRATIONS).unwrap_err();
        assert!(matches!(refused, StoreError::TooOld { found: 13, oldest: 14, .. }), "{refused}");
        assert_eq!(version(&db).unwrap(), 13);
    }
}
