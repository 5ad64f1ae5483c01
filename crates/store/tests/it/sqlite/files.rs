//! What happens to files: which are made, when, and for whom; and what is refused.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::conformance::sample::{
    add_injection, add_lesson, batch, injection, lesson, project, write,
};
use hardwon_store::{Access, LessonQuery, SqliteStore, Store, StoreError};
use rusqlite::Connection;
use tempfile::TempDir;

use super::place;

fn filled() -> (TempDir, PathBuf) {
    let (folder, path) = place();
    fill(&path);
    (folder, path)
}

fn fill(path: &Path) {
    let mut store = SqliteStore::open(path, Access::Write).unwrap();
    write(&mut store, vec![add_lesson(&lesson("one"))]);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_made_by_the_first_write_for_the_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/memory.db");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    assert!(store.lessons(&project(), &LessonQuery::default()).unwrap().is_empty());
    assert_eq!(store.check().unwrap(), []);
    assert!(!folder.path().join("deep").exists(), "reading makes nothing");

    write(&mut store, vec![add_lesson(&lesson("one"))]);
    assert_eq!(mode(&folder.path().join("deep")), 0o700);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for name in names(path.parent().unwrap()) {
        assert_eq!(mode(&path.with_file_name(&name)), 0o600, "{name}");
    }
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 1);
}

#[test]
fn reading_writes_nothing() {
    let (_folder, path) = place();
    // A writer that is still there keeps its log.
    let mut writer = SqliteStore::open(&path, Access::Write).unwrap();
    write(&mut writer, vec![add_lesson(&lesson("one"))]);
    let log = path.with_file_name("memory.db-wal");
    let look = || {
        [&path, &log].map(|file| {
            let mtime = fs::metadata(file).unwrap();
            (fs::read(file).unwrap(), mtime.mtime(), mtime.mtime_nsec())
        })
    };
    let before = look();
    for access in [Access::Read, Access::Record, Access::Write] {
        let store = SqliteStore::open(&path, access).unwrap();
        assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 1);
        assert_eq!(store.check().unwrap(), []);
    }
    assert_eq!(look(), before);
}

/// Who records injections reads and writes through one connection, and makes no store.
#[test]
fn who_records_opens_once_and_makes_no_file() {
    let (_folder, path) = place();
    let mut store = SqliteStore::open(&path, Access::Record).unwrap();
    let shown = add_injection(&injection("r1", "maker", &[&lesson("one")]));
    assert!(store.apply(&batch(&project(), vec![shown.clone()]), None).is_err());
    assert!(!path.exists());

    fill(&path);
    let mut store = SqliteStore::open(&path, Access::Record).unwrap();
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 1);
    store.apply(&batch(&project(), vec![shown]), None).unwrap();
    let injections = store.injections(&project(), &lesson("one").id).unwrap();
    assert_eq!(injections.len(), 1, "what was written is read through the same connection");
}

#[test]
fn a_file_without_a_log_is_read_without_being_written() {
    let (_folder, path) = filled();
    without_log(&path);
    let look = || (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().mtime_nsec());
    let before = look();
    let store = SqliteStore::open(&path, Access::Read).unwrap();
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 1);
    drop(store);
    assert_eq!(look(), before);
    // SQLite makes an empty log to share with writers; there is nothing in it.
    let log = path.with_file_name("memory.db-wal");
    assert_eq!(fs::metadata(log).map_or(0, |log| log.len()), 0);
}

#[test]
fn the_log_stays_small() {
    let (_folder, path) = place();
    let log = path.with_file_name("memory.db-wal");
    let one = lesson("one");
    let mut largest = 0;
    // Short processes that only record injections: none of them may leave it to others.
    for n in 0..150 {
        let mut store = SqliteStore::open(&path, Access::Write).unwrap();
        write(&mut store, vec![add_injection(&injection(&format!("r{n}"), "", &[&one; 8]))]);
        drop(store);
        largest = largest.max(fs::metadata(&log).map_or(0, |log| log.len()));
    }
    assert!((1 << 20..3 << 20).contains(&largest), "{largest}");
}

/// As a checkpoint leaves it.
fn without_log(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    assert!(!path.with_file_name("memory.db-wal").exists());
}

#[test]
fn a_store_opened_for_reading_refuses_writes() {
    let (_folder, path) = place();
    let mut store = SqliteStore::open(&path, Access::Read).unwrap();
    let refused = store.apply(&batch(&project(), vec![add_lesson(&lesson("two"))]), None);
    assert!(matches!(refused, Err(StoreError::Unusable { .. })));
    assert!(!path.exists());
    // What others write in the meantime is seen.
    fill(&path);
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 1);
}

/// Says something only where the user is not root, whom no mode stops.
#[test]
fn a_read_only_folder_can_be_read() {
    let (folder, path) = filled();
    let set = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    let n_read = || {
        set(0o500);
        let store = SqliteStore::open(&path, Access::Read);
        let lessons = store.and_then(|store| store.lessons(&project(), &LessonQuery::default()));
        set(0o700);
        lessons.unwrap().len()
    };
    assert_eq!(n_read(), 1, "with its log");
    without_log(&path);
    assert_eq!(n_read(), 1, "without a log");
}

#[test]
fn an_injection_survives_the_end_of_its_process() {
    let (_folder, path) = filled();
    let one = lesson("one");
    for n in 0..3 {
        let mut store = SqliteStore::open(&path, Access::Write).unwrap();
        write(&mut store, vec![add_injection(&injection(&format!("r{n}"), "", &[&one]))]);
    }
    let store = SqliteStore::open(&path, Access::Read).unwrap();
    assert_eq!(store.injections(&project(), &one.id).unwrap().len(), 3);
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn a_newer_schema_is_read_and_not_written() {
    let (_folder, path) = filled();
    let mut open = SqliteStore::open(&path, Access::Write).unwrap();
    write(&mut open, vec![add_lesson(&lesson("two"))]);
    Connection::open(&path)
        .unwrap()
        .execute_batch("ALTER TABLE lessons ADD COLUMN mood TEXT; PRAGMA user_version = 99;")
        .unwrap();
    let mut fresh = SqliteStore::open(&path, Access::Write).unwrap();
    for store in [&mut open, &mut fresh] {
        assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 2);
        let refused = store.apply(&batch(&project(), vec![add_lesson(&lesson("three"))]), None);
        assert!(matches!(refused, Err(StoreError::TooNew { found: 99, .. })));
    }
}

#[test]
fn another_programs_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "this is no database, and long enough to be looked at ".repeat(99)).unwrap();
    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE cookies (x)").unwrap();
    for path in [text, foreign] {
        let before = fs::read(&path).unwrap();
        for access in [Access::Read, Access::Write] {
            let refused = SqliteStore::open(&path, access);
            assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{path:?}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn an_unusable_path_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for access in [Access::Read, Access::Write] {
        let refused = SqliteStore::open(file.join("memory.db"), access);
        assert!(matches!(refused, Err(StoreError::Unusable { .. })), "{refused:?}");
    }
    let of_folder = SqliteStore::open(folder.path(), Access::Read);
    assert!(matches!(of_folder, Err(StoreError::Unusable { .. })), "{of_folder:?}");
}
