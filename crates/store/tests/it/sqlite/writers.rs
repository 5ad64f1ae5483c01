//! Several writers at once: none fails, and nothing that was acknowledged is lost.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::conformance::sample::{
    add_injection, add_lesson, batch, injection, lesson, project, write,
};
use hardwon_store::{Access, JournalQuery, LessonQuery, SqliteStore, Store, StoreError};
use rusqlite::Connection;

const N_WRITERS: usize = 8;
const N_WRITES: usize = 12;

/// Tells a process of this test binary to be a writer on that file.
const WRITER: &str = "HARDWON_TEST_WRITER";

/// Writes as one of many: each write reads what is there, expects it to be so still,
/// and begins again when somebody else was faster.
fn add_some(path: &Path, name: &str) {
    for n in 0..N_WRITES {
        let mut store = SqliteStore::open(path, Access::Write).unwrap();
        let batch = batch(&project(), vec![add_lesson(&lesson(&format!("{name} says {n}")))]);
        loop {
            let expected = store.status(&project()).unwrap().revision;
            match store.apply(&batch, Some(expected)) {
                Ok(_) => break,
                Err(StoreError::Conflict) => continue,
                Err(error) => panic!("{name} {n}: {error}"),
            }
        }
    }
}

/// Not a test of its own: what the processes of the next test run.
#[test]
fn be_a_writer_if_told_to() {
    if let Some(path) = std::env::var_os(WRITER) {
        add_some(Path::new(&path), &format!("process {}", std::process::id()));
    }
}

fn start_writer(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sqlite::writers::be_a_writer_if_told_to"])
        .env(WRITER, path)
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

#[test]
fn eight_processes_write_and_none_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/memory.db");
    let writers: Vec<Child> = (0..N_WRITERS).map(|_| start_writer(&path)).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let store = SqliteStore::open(&path, Access::Read).unwrap();
    let lessons = store.lessons(&project(), &LessonQuery::default()).unwrap();
    assert_eq!(lessons.len(), N_WRITERS * N_WRITES);
    let journal = store.journal(&project(), &JournalQuery::default()).unwrap();
    assert_eq!(journal.len(), N_WRITERS * N_WRITES);
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn an_injection_does_not_wait_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let one = lesson("one");
    write(&mut store, vec![add_lesson(&one)]);
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let quick = batch(&project(), vec![add_injection(&injection("r1", "", &[&one]))]);
    assert!(matches!(store.apply(&quick, None), Err(StoreError::Busy { .. })));
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 1);
    holder.execute_batch("ROLLBACK").unwrap();
    store.apply(&quick, None).unwrap();
}

#[test]
fn a_killed_writer_leaves_whole_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    for _ in 0..4 {
        let mut writer = start_writer(&path);
        let n_before = n_lessons(&path);
        // Killed in the midst of its work, whenever that is.
        while n_lessons(&path) < n_before + 3 && writer.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let store = SqliteStore::open(&path, Access::Read).unwrap();
        assert_eq!(store.check().unwrap(), []);
    }
}

fn n_lessons(path: &Path) -> usize {
    let store = SqliteStore::open(path, Access::Read).unwrap();
    store.lessons(&project(), &LessonQuery::default()).unwrap().len()
}
