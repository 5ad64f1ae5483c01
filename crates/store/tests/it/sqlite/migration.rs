//! A migration that is stopped: at every statement, and by killing the process at random.
//! The file has the old schema or the new one, the backup is whole, and the store opens.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hardwon_core::ids::ProjectId;
use hardwon_store::conformance::sample::{add_lesson, lesson, project, write};
use hardwon_store::{Access, LessonQuery, SqliteStore, Store};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection};

/// "hwon", as the store marks its files.
const APPLICATION_ID: i64 = 0x6877_6f6e;

/// A project that an old store knows.
const KNOWN: &str = "from before";

/// Tells a process of this test binary to open that file for writing.
const OPENER: &str = "HARDWON_TEST_OPENER";

const N_KILLS: u32 = 50;

/// The statements of every migration, in order.
fn migrations() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// A closed store as the first release made it, with something in it.
fn old_store(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.execute_batch(&migrations()[0]).unwrap();
    connection.execute("INSERT INTO projects (name) VALUES (?1)", [KNOWN]).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
}

fn version(path: &Path) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn knows_project(path: &Path) -> bool {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT count(*) = 1 FROM projects WHERE name = ?1";
    connection.query_row(sql, [KNOWN], |row| row.get(0)).unwrap()
}

/// Opens what is there, writes to it, and finds nothing wrong.
fn check_usable(path: &Path, when: &str) {
    let mut store = SqliteStore::open(path, Access::Write).unwrap();
    assert_eq!(store.check().unwrap(), [], "{when}");
    write(&mut store, vec![add_lesson(&lesson("one"))]);
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 1, "{when}");
    assert!(store.status(&ProjectId::new(KNOWN)).is_ok(), "{when}");
    assert_eq!(store.check().unwrap(), [], "{when}");
    drop(store);
    assert_eq!(version(path), migrations().len() as i64, "{when}");
    assert!(knows_project(path), "{when}");
}

/// A backup that is there is whole, and as old as it says.
fn check_backup(path: &Path, when: &str) {
    let backup = path.with_file_name("memory.db.backup-v1");
    if !backup.exists() {
        return;
    }
    let connection = Connection::open(&backup).unwrap();
    let verdict: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok", "{when}");
    assert_eq!(version(&backup), 1, "{when}");
    assert!(knows_project(&backup), "{when}");
}

/// Runs so many statements of the migrations behind the first one; whether there are more.
fn run_statements(connection: &Connection, n_wanted: usize) -> bool {
    let mut n_run = 0;
    for sql in &migrations()[1..] {
        let mut batch = Batch::new(connection, sql);
        while let Some(mut statement) = batch.next().unwrap() {
            if n_run == n_wanted {
                return true;
            }
            statement.raw_execute().unwrap();
            n_run += 1;
        }
    }
    false
}

/// What a kill leaves behind: the files as they are, with the transaction still open.
fn copy_files(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let file = entry.unwrap().path();
        // Shared memory does not outlive a machine, and is made anew from the log.
        if !file.to_string_lossy().ends_with("-shm") {
            fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
        }
    }
}

#[test]
fn stopped_at_any_statement_the_store_is_old_and_opens() {
    let mut n_statements = 0;
    let mut has_more = true;
    while has_more {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store/memory.db");
        fs::create_dir(path.parent().unwrap()).unwrap();
        old_store(&path);
        let connection = Connection::open(&path).unwrap();
        // A cache so small that unfinished pages go to the log.
        connection.pragma_update(None, "cache_size", 1).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        has_more = run_statements(&connection, n_statements);
        let killed = folder.path().join("killed");
        copy_files(path.parent().unwrap(), &killed);
        let killed = killed.join("memory.db");
        let when = format!("after {n_statements} statements");
        assert_eq!(version(&killed), 1, "{when}");
        check_usable(&killed, &when);
        check_backup(&killed, &when);
        assert!(killed.with_file_name("memory.db.backup-v1").exists(), "{when}");
        n_statements += 1;
    }
    assert!(n_statements > 3, "the migrations have more than {n_statements} statements");
}

/// A backup that was being made when the process died is in nobody's way.
#[test]
fn an_unfinished_backup_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    old_store(&path);
    let unfinished = path.with_file_name("memory.db.backup-unfinished");
    fs::write(&unfinished, "half of it").unwrap();
    check_usable(&path, "with half a backup");
    check_backup(&path, "with half a backup");
    assert!(path.with_file_name("memory.db.backup-v1").exists());
    assert!(!unfinished.exists());
}

/// Not a test of its own: what the processes of the next test run.
#[test]
fn be_an_opener_if_told_to() {
    if let Some(path) = std::env::var_os(OPENER) {
        drop(SqliteStore::open(Path::new(&path), Access::Write).unwrap());
    }
}

fn start_opener(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sqlite::migration::be_an_opener_if_told_to"])
        .env(OPENER, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_at_random_the_store_is_old_or_new_and_opens() {
    let folder = tempfile::tempdir().unwrap();
    let usual = usual_duration(folder.path());
    for n in 0..N_KILLS {
        let path = folder.path().join(n.to_string()).join("memory.db");
        fs::create_dir(path.parent().unwrap()).unwrap();
        old_store(&path);
        let mut opener = start_opener(&path);
        // Spread evenly over the whole of the work, and a little beyond.
        std::thread::sleep(usual * (n + 1) / (N_KILLS - 5));
        opener.kill().unwrap();
        opener.wait().unwrap();
        let found = version(&path);
        let when = format!("kill {n}, schema {found}");
        assert!(found == 1 || found == migrations().len() as i64, "{when}");
        check_backup(&path, &when);
        check_usable(&path, &when);
    }
}

/// How long opening an old store takes when nobody disturbs it.
fn usual_duration(folder: &Path) -> Duration {
    let path = folder.join("undisturbed.db");
    old_store(&path);
    let from = Instant::now();
    assert!(start_opener(&path).wait().unwrap().success());
    let took = from.elapsed();
    assert_eq!(version(&path), migrations().len() as i64);
    took
}
