//! What is erased leaves the file and its log; who holds the store open is told.

use std::fs;

use crate::conformance::erase_cases::forgotten;
use crate::conformance::sample::{add_lesson, lesson, write};
use hardwon_store::{Access, SqliteStore, Store};
use rusqlite::Connection;

const SECRET: &str = "the merger with Quillfeather is off since the second of May";

fn is_in(path: &std::path::Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).contains("Quillfeather is off")
}

#[test]
fn the_file_and_its_log_are_clean() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let log = folder.path().join("memory.db-wal");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let doomed = lesson(SECRET);
    write(&mut store, vec![add_lesson(&doomed), add_lesson(&lesson("Socket left open"))]);
    assert!(is_in(&log) || is_in(&path));
    write(&mut store, forgotten(&doomed, &[], &[]));
    assert!(is_in(&log) || is_in(&path), "the log still has it");
    let scoured = store.scour(false).unwrap();
    assert_eq!(scoured.not_done, Vec::<String>::new());
    assert!(!is_in(&path) && !is_in(&log));
    assert!(scoured.files.contains(&path) && scoured.backups.is_empty());
    assert_eq!(store.scour(true).unwrap().not_done, Vec::<String>::new());
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn who_holds_the_store_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let doomed = lesson(SECRET);
    write(&mut store, vec![add_lesson(&doomed)]);
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM lessons").unwrap();
    let held: i64 = reader.query_row("SELECT count(*) FROM lessons", [], |row| row.get(0)).unwrap();
    assert_eq!(held, 1);
    write(&mut store, forgotten(&doomed, &[], &[]));
    let scoured = store.scour(false).unwrap();
    assert!(scoured.not_done[0].contains("another process holds the store"), "{scoured:?}");
    reader.execute_batch("COMMIT").unwrap();
    assert_eq!(store.scour(false).unwrap().not_done, Vec::<String>::new());
    assert!(!is_in(&path));
}
