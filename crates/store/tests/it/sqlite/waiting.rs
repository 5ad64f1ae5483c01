//! Injections that a busy store could not take: none is lost, none is written twice, and none
//! brings back what was erased meanwhile.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::conformance::erase_cases::forgotten;
use crate::conformance::sample::{
    add_injection, add_lesson, batch, injection, lesson, other_project, project, run_id, text,
    write,
};
use hardwon_core::change::Batch;
use hardwon_core::effect::Injection;
use hardwon_store::queue::{aside_folder, waiting};
use hardwon_store::turn::attempt;
use hardwon_store::{Access, JournalQuery, MemoryStore, SqliteStore, Store, StoreError};

struct Place {
    folder: tempfile::TempDir,
    shown: hardwon_core::lesson::Lesson,
}

impl Place {
    /// A store with one lesson.
    fn new(text: &str) -> Self {
        let place = Place { folder: tempfile::tempdir().unwrap(), shown: lesson(text) };
        write(&mut place.open(), vec![add_lesson(&place.shown)]);
        place
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(self.path(), Access::Write).unwrap()
    }

    fn lock(&self) -> PathBuf {
        self.folder.path().join("memory.db-lock")
    }

    fn queue(&self) -> PathBuf {
        SqliteStore::queue_folder(self.path())
    }

    fn injection(&self, run: &str) -> Injection {
        let block = text(&format!("Known: {}", self.shown.text.as_str()));
        Injection { block, ..injection(run, "", &[&self.shown]) }
    }

    fn batch(&self, run: &str) -> Batch {
        batch(&project(), vec![add_injection(&self.injection(run))])
    }

    fn recorded(&self, run: &str) -> Vec<Injection> {
        self.open().tree(&project(), &run_id(run)).unwrap().injections
    }
}

#[test]
fn an_injection_into_a_busy_store_is_left_and_written_by_the_next_writer() {
    let place = Place::new("Query built by concatenation");
    let held = attempt(&place.lock(), true);
    let mut recorder = SqliteStore::open(place.path(), Access::Record).unwrap();
    let left = place.batch("r1");
    assert!(matches!(recorder.apply(&left, None), Err(StoreError::Busy { .. })));
    assert!(recorder.leave(&left).unwrap());
    assert_eq!(recorder.n_waiting(), 1);
    let files = waiting(&place.queue());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&files[0]), mode(&place.queue())), (0o600, 0o700));
    // Whoever reads the run sees it at once, another run and another project do not.
    assert_eq!(place.recorded("r1"), [place.injection("r1")]);
    assert!(place.recorded("r2").is_empty());
    assert!(recorder.tree(&other_project(), &run_id("r1")).unwrap().injections.is_empty());
    drop(held);
    let mut store = place.open();
    let turn = store.take_turn().unwrap();
    assert!(attempt(&place.lock(), true).is_none(), "it has the turn");
    assert_eq!((store.n_waiting(), place.recorded("r1")), (0, vec![place.injection("r1")]));
    drop(turn);
    let journal = store.journal(&project(), &JournalQuery::default()).unwrap();
    assert_eq!(journal.last().unwrap().head, left.head, "who, when and by which command");
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn an_injection_that_is_left_twice_is_written_once() {
    let place = Place::new("Query built by concatenation");
    let mut store = place.open();
    let left = place.batch("r1");
    store.apply(&left, None).unwrap();
    for _ in 0..2 {
        assert!(store.leave(&left).unwrap());
    }
    assert_eq!(place.recorded("r1").len(), 1);
    store.take_turn().unwrap();
    assert_eq!((store.n_waiting(), place.recorded("r1").len()), (0, 1));
    assert!(waiting(&aside_folder(&place.queue())).is_empty());
    let journal = store.journal(&project(), &JournalQuery::default()).unwrap();
    assert_eq!(journal.len(), 2, "a lesson and an injection");
}

#[test]
fn an_injection_takes_those_before_it_along() {
    let place = Place::new("Query built by concatenation");
    place.open().leave(&place.batch("r1")).unwrap();
    let mut recorder = SqliteStore::open(place.path(), Access::Record).unwrap();
    recorder.apply(&place.batch("r2"), None).unwrap();
    assert_eq!(recorder.n_waiting(), 0);
    assert_eq!(place.recorded("r1").len(), 1);
}

#[test]
fn only_an_injection_can_wait() {
    let place = Place::new("Query built by concatenation");
    let mut store = place.open();
    let lesson = batch(&project(), vec![add_lesson(&lesson("Another one"))]);
    assert!(!store.leave(&lesson).unwrap());
    assert!(!place.queue().exists());
}

/// An agent's tool may write anything into the folder: what is not an injection of ours changes
/// nothing, stops nobody, and is kept.
#[test]
fn what_is_not_an_injection_is_put_aside() {
    let place = Place::new("Query built by concatenation");
    let mut store = place.open();
    store.leave(&place.batch("r1")).unwrap();
    let good = fs::read_to_string(&waiting(&place.queue())[0]).unwrap();
    let planted = good.replace("add_injection", "remove_injection");
    assert_ne!(planted, good);
    let nameless = good.replace("\"project\":\"shop\"", "\"project\":\"\"");
    assert_ne!(nameless, good);
    let odd = ["", "{}", nameless.as_str(), "\n\n", "{\"version\":99}", planted.as_str()];
    for (n, bytes) in odd.iter().enumerate() {
        fs::write(place.queue().join(format!("0-{n}.json")), bytes).unwrap();
    }
    std::os::unix::fs::symlink("/etc/hostname", place.queue().join("0-link.json")).unwrap();
    store.take_turn().unwrap();
    assert_eq!(store.n_waiting(), 0);
    assert_eq!(waiting(&aside_folder(&place.queue())).len(), odd.len() + 1);
    assert_eq!(place.recorded("r1").len(), 1);
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn what_waits_does_not_bring_back_what_was_erased() {
    const SECRET: &str = "the merger with Quillfeather is off since the second of May";
    let place = Place::new(SECRET);
    let mut store = place.open();
    store.leave(&place.batch("r1")).unwrap();
    write(&mut store, forgotten(&place.shown, &[], &[]));
    // Left while the erasure was written.
    let scoured = store.scour(true).unwrap();
    assert_eq!(scoured.not_done, Vec::<String>::new());
    let recorded = place.recorded("r1");
    assert_eq!((recorded.len(), recorded[0].block.body()), (1, None), "the fact stays");
    for file in fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = if file.is_file() { fs::read(&file).unwrap() } else { Vec::new() };
        assert!(!String::from_utf8_lossy(&bytes).contains("Quillfeather"), "{}", file.display());
    }
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn what_was_put_aside_is_looked_at_by_an_erasure() {
    let place = Place::new("Query built by concatenation");
    let mut store = place.open();
    fs::create_dir_all(place.queue()).unwrap();
    fs::write(place.queue().join("1.json"), "not one of ours").unwrap();
    store.take_turn().unwrap();
    let aside = waiting(&aside_folder(&place.queue()));
    assert!(store.scour(false).unwrap().files.contains(&aside[0]));
}

/// No lock can be had where the lock file cannot be made or opened: writing goes on as SQLite
/// alone has it.
#[test]
fn a_store_whose_lock_cannot_be_had_is_written_all_the_same() {
    let place = Place::new("Query built by concatenation");
    let _ = fs::remove_file(place.lock());
    fs::create_dir(place.lock()).unwrap();
    let (mut one, mut other) = (place.open(), place.open());
    let _turns = (one.take_turn().unwrap(), other.take_turn().unwrap());
    one.apply(&place.batch("r1"), None).unwrap();
    other.apply(&place.batch("r2"), None).unwrap();
    assert_eq!((place.recorded("r1").len(), place.recorded("r2").len()), (1, 1));
}

#[test]
fn reading_takes_no_turn_and_writes_nothing_that_waits() {
    let place = Place::new("Query built by concatenation");
    place.open().leave(&place.batch("r1")).unwrap();
    let held = attempt(&place.lock(), true);
    let mut reader = SqliteStore::open(place.path(), Access::Read).unwrap();
    reader.take_turn().unwrap();
    assert_eq!(reader.n_waiting(), 1);
    assert_eq!(reader.tree(&project(), &run_id("r1")).unwrap().injections.len(), 1);
    drop(held);
}

#[test]
fn what_a_copy_showed_is_handed_over_once_and_without_what_was_erased() {
    let place = Place::new("Query built by concatenation");
    let mut server = MemoryStore::new();
    write(&mut server, vec![add_lesson(&place.shown)]);
    let mut copy = SqliteStore::open(place.path(), Access::Copy).unwrap();
    for run in ["r1", "r2"] {
        let shown = place.batch(run);
        assert!(matches!(copy.apply(&shown, None), Err(StoreError::Busy { .. })));
        assert!(copy.leave(&shown).unwrap());
        assert_eq!(copy.tree(&project(), &run_id(run)).unwrap().injections.len(), 1);
        assert!(matches!(copy.apply(&shown, None), Err(StoreError::Busy { .. })), "not taken in");
    }
    // Another process handed the first over and was interrupted before it could remove the file.
    server.apply(&place.batch("r1"), None).unwrap();
    let shown = [&place.injection("r1").block];
    write(&mut server, forgotten(&place.shown, &shown, &["Query built by concatenation"]));
    assert_eq!(SqliteStore::hand_over(place.path(), &mut server).unwrap(), 2);
    assert_eq!(SqliteStore::hand_over(place.path(), &mut server).unwrap(), 0);
    assert!(waiting(&place.queue()).is_empty());
    for run in ["r1", "r2"] {
        let there = server.tree(&project(), &run_id(run)).unwrap().injections;
        assert_eq!(there.len(), 1);
        assert_eq!(there[0].block.body(), None, "{run} shows what was erased");
    }
}
