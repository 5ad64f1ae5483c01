//! Several writers at once, and writers whose connection is cut: everything that was acknowledged is
//! there, once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::conformance::sample::{
    add_injection, add_lesson, add_run, batch, injection, lesson_of, run,
};
use hardwon_core::ids::ProjectId;
use hardwon_store::{Access, JournalQuery, PostgresStore, RunQuery, Store};

use crate::server;

const N_WRITERS: usize = 8;
const N_BATCHES: usize = 12;

fn open(database: &str) -> PostgresStore {
    PostgresStore::open(&server::url_of(database), Access::Write).unwrap()
}

/// Writes runs, and now and then something that all projects see.
fn write(store: &mut PostgresStore, project: &ProjectId, writer: usize) {
    for n in 0..N_BATCHES {
        let id = format!("w{writer}-{n}");
        let mut changes = vec![add_run(&run(&id, (writer * N_BATCHES + n) as u64 + 1))];
        if n % 4 == 0 {
            changes.push(add_lesson(&lesson_of(None, &format!("told by {project} {id}"))));
        }
        store.apply(&batch(project, changes), None).unwrap();
        let shown = add_injection(&injection(&id, "maker", &[]));
        // Who records a block waits a moment only.
        let _ = store.apply(&batch(project, vec![shown]), None);
    }
}

#[test]
fn writers_of_one_project_and_of_many_lose_nothing() {
    let database = server::database();
    let projects = |writer: usize| ProjectId::new(["one", "two", "three"][writer % 3]);
    thread::scope(|scope| {
        for writer in 0..N_WRITERS {
            let database = &database;
            scope.spawn(move || write(&mut open(database), &projects(writer), writer));
        }
    });
    let store = open(&database);
    let all: usize =
        (0..3).map(|n| store.runs(&projects(n), &RunQuery::default()).unwrap().len()).sum();
    assert_eq!(all, N_WRITERS * N_BATCHES);
    assert_eq!(store.check().unwrap(), []);
    for n in 0..3 {
        let project = projects(n);
        let entries = store.journal(&project, &JournalQuery::default()).unwrap();
        let own = entries.iter().filter(|entry| entry.project == project);
        assert!(own.map(|entry| entry.sequence).eq(1..=own_count(&entries, &project)), "no gap");
    }
}

fn own_count(entries: &[hardwon_core::change::Entry], project: &ProjectId) -> u64 {
    entries.iter().filter(|entry| entry.project == *project).count() as u64
}

/// Ends the cutting also where the test fails: a scope waits for its threads.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Adding the same run twice is refused: a batch that is written twice cannot go unnoticed.
#[test]
fn a_cut_connection_neither_loses_nor_doubles_a_batch() {
    let database = server::database();
    let is_over = AtomicBool::new(false);
    let mut n_cut = 0;
    // Who opens a store is told of a cut and tries again; this is about who has one open.
    let mut store = open(&database);
    thread::scope(|scope| {
        let cutter = scope.spawn(|| {
            let mut client = server::client("postgres");
            let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
            let mut n_cut = 0;
            while !is_over.load(Ordering::Relaxed) {
                n_cut += client.query(sql, &[&database]).unwrap().len();
                thread::sleep(Duration::from_millis(150));
            }
            n_cut
        });
        let over = Over(&is_over);
        let project = ProjectId::new("shop");
        let mut n_acknowledged = 0;
        for n in 1..=200 {
            match store.apply(&batch(&project, vec![add_run(&run(&format!("r{n}"), n))]), None) {
                Ok(_) => n_acknowledged += 1,
                Err(error) => assert!(error.to_string().contains("cannot be used"), "{error}"),
            }
        }
        drop(over);
        n_cut += cutter.join().unwrap();
        let left = open(&database);
        assert_eq!(left.runs(&project, &RunQuery::default()).unwrap().len(), n_acknowledged);
        assert!(n_acknowledged > 100, "{n_acknowledged} of 200");
        assert_eq!(left.check().unwrap(), []);
    });
    assert!(n_cut > 0, "nothing was cut");
}
