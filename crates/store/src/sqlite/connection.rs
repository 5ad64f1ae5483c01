//! How is a database file opened, and what do its errors mean to a caller? Reading
//! never writes: no file is made, no schema statement is run. Writing makes the folder
//! and the file, both for the user alone.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::SqliteStore;
use super::beside::{self, log_path, with_suffix};
use crate::error::{damaged, place_of, unusable};
use crate::files::{self, Mode, NewFile};
use crate::{Result, StoreError};

/// How long a write waits for another writer. Injections are written on the way to a
/// run and must not delay it.
pub(super) const BUSY_LIMIT: Duration = Duration::from_secs(10);
pub(super) const INJECTION_BUSY_LIMIT: Duration = Duration::from_millis(100);

/// Readers wait only while another process recovers the log after a crash.
const READ_BUSY_LIMIT: Duration = Duration::from_secs(1);

/// Statements kept ready; there are fewer different ones in this crate.
const N_CACHED_STATEMENTS: usize = 64;

/// Pages of one connection are kept in at most this much memory. The file is not mapped: a block
/// looks at some 400 pages all over it, and to map what lies around each costs more than to read it.
const CACHE_KIB: i64 = 8 * 1024;

/// Opens for reading. `None` if there is no file.
pub(super) fn open_reader(path: &Path) -> Result<Option<Connection>> {
    if !is_there(path)? {
        return Ok(None);
    }
    match opened(path, read_flags(), set_up_reader) {
        Ok(db) => Ok(Some(db)),
        // The log's shared memory cannot be made in a folder that is not writable. Such a
        // file cannot change under us as long as it has no log.
        Err(error) if cannot_make_log(&error) && !has_log(path) => {
            open_immutable(path).map(Some).map_err(|error| trouble(path, error))
        }
        Err(error) => Err(trouble(path, error)),
    }
}

/// Opens for reading, with one connection that can also write where the file system lets
/// it: a second connection would read the schema a second time. `None` if there is no file.
pub(super) fn open_recorder(path: &Path) -> Result<Option<Connection>> {
    if !is_there(path)? {
        return Ok(None);
    }
    let opened = opened(path, write_flags(), |db| {
        // A process that only read must not empty the log of others when it closes.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        set_up_reader(db)
    });
    opened.map_or_else(|_| open_reader(path), |db| Ok(Some(db)))
}

fn opened(
    path: impl AsRef<Path>,
    flags: OpenFlags,
    set_up: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<Connection> {
    let db = Connection::open_with_flags(path, flags)?;
    set_up(&db)?;
    Ok(db)
}

/// What a connection of `open_recorder` still needs before it writes.
pub(super) fn prepare_to_record(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "foreign_keys", true)
}

/// Whether there is a file to open. Anything but a regular file is refused before it is
/// opened: a pipe would block for ever.
fn is_there(path: &Path) -> Result<bool> {
    let refuse = |what: &str| Err(unusable(path, format!("it is {what}, not a regular file")));
    match fs::metadata(path) {
        // A new store gets its name only with its schema in it, and SQLite would remove the log
        // beside an empty file: what was there is gone, and that is not a fresh start.
        Ok(about) if about.is_file() && about.len() == 0 => {
            Err(damaged(path, "it is empty (0 bytes): what it held is gone"))
        }
        Ok(about) if about.is_file() => Ok(true),
        Ok(about) if about.is_dir() => refuse("a folder"),
        Ok(_) => refuse("a pipe, a socket or a device"),
        // To begin anew would cost the copies, one a day.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match SqliteStore::dated_copies(path).iter().any(|copy| copy.day.is_some()) {
                true => Err(damaged(path, "it is gone, and backups of it lie beside its place")),
                false => Ok(false),
            }
        }
        // A file that cannot be reached is not a missing file, which reads as empty.
        Err(error) => Err(unusable(path, error)),
    }
}

/// Opens a backup, to which no process writes: no file is made beside it. A log beside it
/// would be ignored that way, so such a file is opened like a store.
pub(super) fn open_copy(path: &Path) -> Result<Connection> {
    let missing = || unusable(path, "it is gone");
    if !is_there(path)? {
        Err(missing())
    } else if beside::is_compressed(path) {
        open_compressed(path)
    } else if has_log(path) {
        open_reader(path)?.ok_or_else(missing)
    } else {
        open_immutable(path).map_err(|error| trouble(path, error))
    }
}

/// Opens for writing; a missing file is made, with its folder, by `fill` under another name
/// first: whoever finds a file finds a store in it.
pub(super) fn open_writer(
    path: &Path,
    fill: impl FnOnce(&Path, &mut Connection) -> Result<()>,
) -> Result<Connection> {
    if !is_there(path)? {
        make_file(path, fill)?;
    }
    open_existing(path)
}

/// Opens a file for writing that is there, be it empty.
pub(super) fn open_existing(path: &Path) -> Result<Connection> {
    opened(path, write_flags(), set_up_writer).map_err(|error| trouble(path, error))
}

/// Opens as a writer would, to check whether it could write; makes no file, and leaves an
/// existing log as it is.
pub(super) fn open_to_probe(path: &Path) -> Result<Connection> {
    is_there(path)?;
    let had_log = has_log(path);
    let keep = |db: &Connection| {
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, had_log).map(drop)
    };
    opened(path, write_flags(), keep).map_err(|error| trouble(path, error))
}

/// Lets the log stay when the connection closes, unless it has grown beyond a limit.
///
/// Emptying it costs the closing process two disk syncs and the next writer one; a log
/// that stays costs every process that finds itself alone half a millisecond a mebibyte,
/// because it reads the whole before its first row. An open connection empties the log
/// as SQLite does by default, after a thousand pages.
pub(super) fn keep_log_below(path: &Path, db: &Connection, limit: u64) -> rusqlite::Result<()> {
    let is_small = fs::metadata(log_path(path)).is_ok_and(|log| log.len() <= limit);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_small)?;
    Ok(())
}

/// Empties the log at once if it has grown beyond a limit, and lets it stay when the
/// connection closes. A process that finds itself alone reads the whole log and would
/// copy all of it into the file once more: one that only ever grows makes every start
/// slower.
pub(super) fn empty_log_above(path: &Path, db: &Connection, limit: u64) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    if fs::metadata(log_path(path)).is_ok_and(|log| log.len() > limit) {
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    }
    Ok(())
}

/// What an SQLite error means to a caller.
pub(super) fn trouble(path: &Path, error: rusqlite::Error) -> StoreError {
    let place = place_of(path);
    let detail = error.to_string();
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy { place },
            ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => {
                StoreError::Damaged { place, detail }
            }
            // A foreign enum that may grow: whatever else SQLite reports comes from the
            // disk, the file system or its limits.
            _ => StoreError::Unusable { place, detail },
        },
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => StoreError::Damaged { place, detail },
        _ => StoreError::Unusable { place, detail },
    }
}

/// Turns on the write-ahead log. SQLite does not always wait for others here, so this
/// does; it happens once in the life of a file.
pub(super) fn turn_on_log(db: &Connection) -> rusqlite::Result<()> {
    let give_up_at = Instant::now() + BUSY_LIMIT;
    loop {
        let set = db.pragma_update(None, "journal_mode", "wal");
        match set {
            Err(rusqlite::Error::SqliteFailure(failure, _))
                if failure.code == ErrorCode::DatabaseBusy && Instant::now() < give_up_at =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}

fn read_flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn write_flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let Some(path) = path.to_str() else {
        return Err(rusqlite::Error::InvalidPath(path.to_owned()));
    };
    let escaped = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let uri = format!("file:{escaped}?immutable=1");
    let flags = read_flags() | OpenFlags::SQLITE_OPEN_URI;
    opened(uri, flags, set_up_reader)
}

/// Opens a compressed copy in memory.
fn open_compressed(path: &Path) -> Result<Connection> {
    let mut bytes = Vec::new();
    let read = beside::read_copy(path).and_then(|mut copy| copy.read_to_end(&mut bytes));
    read.map_err(|error| damaged(path, error))?;
    let opened = Connection::open_in_memory().and_then(|mut db| {
        db.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), true)?;
        set_up_reader(&db)?;
        Ok(db)
    });
    opened.map_err(|error| trouble(path, error))
}

fn set_up_reader(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(READ_BUSY_LIMIT)?;
    set_up_statements(db)?;
    // The first read is what meets a missing log, a foreign file or a damaged header.
    db.pragma_query_value(None, "user_version", |_| Ok(()))
}

fn set_up_writer(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY_LIMIT)?;
    set_up_statements(db)?;
    prepare_to_record(db)
}

fn set_up_statements(db: &Connection) -> rusqlite::Result<()> {
    db.set_prepared_statement_cache_capacity(N_CACHED_STATEMENTS);
    db.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // Without this the planner looks at bound values, and plans a cached statement anew
    // whenever one changes: that was most of the time of a short read.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn cannot_make_log(error: &rusqlite::Error) -> bool {
    let codes = [ErrorCode::CannotOpen, ErrorCode::ReadOnly, ErrorCode::PermissionDenied];
    // A disk that is full, or files that may not grow (`ulimit -f`).
    let of_shared =
        [ffi::SQLITE_IOERR_SHMOPEN, ffi::SQLITE_IOERR_SHMSIZE, ffi::SQLITE_IOERR_SHMMAP];
    error.sqlite_error().is_some_and(|error| {
        codes.contains(&error.code) || of_shared.contains(&error.extended_code)
    })
}

fn has_log(path: &Path) -> bool {
    fs::metadata(log_path(path)).is_ok_and(|log| log.len() > 0)
}

fn make_file(path: &Path, fill: impl FnOnce(&Path, &mut Connection) -> Result<()>) -> Result<()> {
    let failed = |error: std::io::Error| unusable(path, error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        files::make_private_folder(folder).map_err(failed)?;
    }
    let new = NewFile::write(path, b"", Mode::PRIVATE).map_err(failed)?;
    let mut db = open_existing(&new.written())?;
    // Closed it is one file, without a log.
    let filled =
        fill(path, &mut db).and_then(|()| db.close().map_err(|(_, error)| trouble(path, error)));
    if let Err(error) = filled {
        let beside = ["-wal", "-shm"].map(|end| with_suffix(&new.written(), end));
        beside.iter().for_each(|file| drop(fs::remove_file(file)));
        return Err(error);
    }
    match new.place_if_new() {
        // Another process was faster, and has perhaps written more by now.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        placed => placed.map_err(failed),
    }
}
