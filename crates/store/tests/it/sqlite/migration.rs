//! A migration that is stopped: at every statement, and by killing the process at random.
//! The file has the old schema or the new one, the backup is whole, and the store opens.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::conformance::sample::{
    add_injection, add_lesson, batch, injection, lesson, lesson_of, project, write,
};
use hardwon_core::ids::ProjectId;
use hardwon_core::project::Project;
use hardwon_store::{Access, JournalQuery, LessonQuery, ProjectQuery, SqliteStore, Store};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection};

/// The schema of the old store, and the one that it gets.
const OLD: i64 = 5;
const NEW: i64 = 14;

/// A project that the old store knows, by the path of its checkout.
const KNOWN: &str = "/home/ada/shop";

/// Tells a process of this test binary to open that file for writing.
const OPENER: &str = "HARDWON_TEST_OPENER";

const N_KILLS: u32 = 50;

/// A file of this crate.
fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// A closed store as version 5 left it, with something in it.
fn old_store(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.execute_batch(&file("tests/golden/store-v5.sql")).unwrap();
}

fn version(path: &Path) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn knows_project(path: &Path, column: &str) -> bool {
    let connection = Connection::open(path).unwrap();
    let sql = format!("SELECT count(*) = 1 FROM projects WHERE {column} = ?1");
    connection.query_row(&sql, [KNOWN], |row| row.get(0)).unwrap()
}

/// Opens what is there, writes to it, and finds nothing wrong.
fn check_usable(path: &Path, when: &str) {
    let mut store = SqliteStore::open(path, Access::Write).unwrap();
    assert_eq!(store.check().unwrap(), [], "{when}");
    write(&mut store, vec![add_lesson(&lesson("one"))]);
    // Its own and the global one.
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 2, "{when}");
    assert_eq!(store.status(&ProjectId::new(KNOWN)).unwrap().run_number, 3, "{when}");
    assert_eq!(store.check().unwrap(), [], "{when}");
    drop(store);
    assert_eq!(version(path), NEW, "{when}");
    assert!(knows_project(path, "id"), "{when}");
}

/// A backup that is there is whole, and as old as it says.
fn check_backup(path: &Path, when: &str) {
    let backup = path.with_file_name("memory.db.backup-v5");
    if !backup.exists() {
        return;
    }
    let connection = Connection::open(&backup).unwrap();
    let verdict: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok", "{when}");
    assert_eq!(version(&backup), OLD, "{when}");
    assert!(knows_project(&backup, "name"), "{when}");
}

/// Runs so many statements of the migration; whether there are more.
fn run_statements(connection: &Connection, n_wanted: usize) -> bool {
    let scripts = [
        "0006_from_5",
        "0007_from_6",
        "0008_from_7",
        "0009_from_8",
        "0010_from_9",
        "0011_from_10",
        "0012_from_11",
        "0013_from_12",
        "0014_from_13",
        "0014_numbers",
    ];
    let sql = scripts.map(|name| file(&format!("migrations/sqlite/{name}.sql"))).concat();
    let mut batch = Batch::new(connection, &sql);
    let mut n_run = 0;
    while let Some(mut statement) = batch.next().unwrap() {
        if n_run == n_wanted {
            return true;
        }
        statement.raw_execute().unwrap();
        n_run += 1;
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
        assert_eq!(version(&killed), OLD, "{when}");
        check_usable(&killed, &when);
        check_backup(&killed, &when);
        assert!(killed.with_file_name("memory.db.backup-v5").exists(), "{when}");
        n_statements += 1;
    }
    assert!(n_statements > 3, "the migration has more than {n_statements} statements");
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
    assert!(path.with_file_name("memory.db.backup-v5").exists());
    assert!(!unfinished.exists());
}

/// Not a test of its own: what the processes of the next test run.
#[test]
fn be_an_opener_if_told_to() {
    if let Some(path) = std::env::var_os(OPENER) {
        SqliteStore::update_schema(Path::new(&path)).unwrap();
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
        assert!(found == OLD || found == NEW, "{when}");
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
    assert_eq!(version(&path), NEW);
    took
}

/// What everything is called and what it may hold, whatever order it was made in.
fn columns(path: &Path) -> BTreeSet<(String, String, String, bool, i64)> {
    let connection = Connection::open(path).unwrap();
    let sql = "
        SELECT tables.name, columns.name, columns.type, columns.\"notnull\", columns.pk
        FROM pragma_table_list AS tables, pragma_table_xinfo(tables.name) AS columns
        WHERE tables.name NOT LIKE 'sqlite_%'";
    let mut statement = connection.prepare(sql).unwrap();
    let read = |row: &rusqlite::Row<'_>| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    statement.query_map([], read).unwrap().collect::<Result<_, _>>().unwrap()
}

fn indexes(path: &Path) -> BTreeSet<(String, Option<String>)> {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index'";
    let mut statement = connection.prepare(sql).unwrap();
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    statement.query_map([], read).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn an_old_store_gets_the_schema_of_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    old_store(&old);
    for path in [&old, &new] {
        let mut store = SqliteStore::open(path, Access::Write).unwrap();
        write(&mut store, vec![add_lesson(&lesson("one"))]);
    }
    assert_eq!(columns(&old), columns(&new));
    assert_eq!(indexes(&old), indexes(&new));
}

/// What the store of version 5 holds, through whichever schema. Ids stay: of projects, and of the
/// lessons that were made from them.
fn check_content(store: &dyn Store) {
    let projects = store.projects(&ProjectQuery::All).unwrap();
    let bare = |id: &str| Project::bare(ProjectId::new(id));
    assert_eq!(projects, [bare(KNOWN), bare("bakery")]);
    let ids = |project: &str| -> BTreeSet<String> {
        let lessons = store.lessons(&ProjectId::new(project), &LessonQuery::default()).unwrap();
        lessons.iter().map(|lesson| lesson.id.to_string()).collect()
    };
    assert_eq!(ids(KNOWN), ["l-8064y09", "l-bdrvz1v", "l-wek8nhm"].map(str::to_owned).into());
    assert_eq!(ids("bakery"), ["l-bdrvz1v", "l-xnkhtx1"].map(str::to_owned).into());
    assert_eq!(store.tombstones(&ProjectId::new(KNOWN)).unwrap().len(), 1);
    assert_eq!(store.journal(&ProjectId::new(KNOWN), &JournalQuery::default()).unwrap().len(), 18);
    let operations = [1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 6, 6, 7, 7, 7, 7, 7];
    let counted: Vec<_> = (1..).zip(operations).map(|(n, id)| (n, id, None)).collect();
    assert_eq!(numbers(store, KNOWN), counted);
    assert_eq!(numbers(store, "bakery"), [(1, 1, None)]);
    assert_eq!(store.check().unwrap(), []);
}

/// Entry, operation, and what it undoes, of all that a project wrote.
fn numbers(store: &dyn Store, project: &str) -> Vec<(u64, u64, Option<u64>)> {
    let project = ProjectId::new(project);
    let entries = store.journal(&project, &JournalQuery::default()).unwrap().into_iter();
    let own = entries.filter(|entry| entry.project == project);
    own.map(|it| (it.sequence, it.operation.0, it.head.undoes.map(|id| id.0))).collect()
}

#[test]
fn an_old_store_keeps_its_projects_and_lessons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    old_store(&path);
    SqliteStore::update_schema(&path).unwrap();
    assert_eq!(version(&path), NEW);
    check_content(&SqliteStore::open(&path, Access::Read).unwrap());
}

/// Issue 14, number 14: after an upgrade reads work at once, before anybody has written.
#[test]
fn an_old_store_is_read_at_once_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    old_store(&path);
    let before = fs::read(&path).unwrap();
    for access in [Access::Read, Access::Record, Access::Write] {
        check_content(&SqliteStore::open(&path, access).unwrap());
    }
    check_content(&SqliteStore::open_copy(&path).unwrap());
    assert_eq!(fs::read(&path).unwrap(), before, "nobody migrates by reading");
    assert!(!path.with_file_name("memory.db.backup-v5").exists());
}

/// Whichever step a file stopped at, it is read through the views of that step.
#[test]
fn every_older_schema_is_read_at_once() {
    for (number, script) in [(6, "0006_from_5"), (7, "0007_from_6"), (8, "0008_from_7")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        old_store(&path);
        let connection = Connection::open(&path).unwrap();
        let scripts = ["0006_from_5", "0007_from_6", "0008_from_7"];
        let n_done = scripts.iter().position(|name| *name == script).unwrap() + 1;
        for name in &scripts[..n_done] {
            connection.execute_batch(&file(&format!("migrations/sqlite/{name}.sql"))).unwrap();
        }
        connection.pragma_update(None, "user_version", number).unwrap();
        let store = SqliteStore::open(&path, Access::Read).unwrap();
        let lessons = store.lessons(&ProjectId::new(KNOWN), &LessonQuery::default()).unwrap();
        assert_eq!(lessons.len(), 3, "schema {number}");
        let run = hardwon_core::ids::RunId::parse("r1").unwrap();
        let findings = store.tree(&ProjectId::new(KNOWN), &run).unwrap().findings;
        assert!(findings.iter().all(|finding| finding.ruled_by.is_none()), "schema {number}");
        assert_eq!(version(&path), number);
    }
}

/// Brings a file back to what version 13 would have written.
fn without_numbers(path: &Path) {
    let sql = "
        DROP INDEX operations_by_number;
        ALTER TABLE operations DROP COLUMN number;
        ALTER TABLE journal DROP COLUMN number;
        PRAGMA user_version = 13;";
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Version 13 counted through all projects, also what was undone.
#[test]
fn a_store_of_several_projects_gets_the_numbers_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let names = ["shop", "bakery", "shop", "yard", "bakery", "bakery", "shop"];
    for (n, name) in names.into_iter().enumerate() {
        let added = add_lesson(&lesson_of(Some(ProjectId::new(name)), &format!("lesson {n}")));
        let undoes = store.apply(&batch(&ProjectId::new(name), vec![added.clone()]), None).unwrap();
        let mut undo = batch(&ProjectId::new(name), vec![added.inverse()]);
        undo.head.undoes = Some(undoes);
        store.apply(&undo, None).unwrap();
    }
    let all = |store: &dyn Store| ["shop", "bakery", "yard"].map(|name| numbers(store, name));
    let before = all(&store);
    assert_eq!(before[2], [(1, 1, None), (2, 2, Some(1))]);
    assert_eq!(before[1].last(), Some(&(6, 6, Some(5))));
    drop(store);
    without_numbers(&path);
    assert_eq!(all(&SqliteStore::open(&path, Access::Read).unwrap()), before, "read as it is");
    assert_eq!(version(&path), 13);
    let mut store = SqliteStore::open(&path, Access::Write).unwrap();
    let next = batch(&ProjectId::new("yard"), vec![add_lesson(&lesson_of(None, "for all"))]);
    assert_eq!(store.apply(&next, None).unwrap().0, 3);
    let after = all(&store);
    assert_eq!(after[..2], before[..2]);
    assert_eq!(after[2], [&before[2][..], &[(3, 3, None)]].concat());
    assert_eq!(store.check().unwrap(), []);
}

/// Numbers that come after an entry that is missing do not close the gap.
#[test]
fn what_an_old_store_had_lost_is_missing_still() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    old_store(&path);
    let lost = "DELETE FROM journal WHERE sequence = 2";
    Connection::open(&path).unwrap().execute(lost, []).unwrap();
    let faults = || {
        let found = SqliteStore::open(&path, Access::Read).unwrap().check().unwrap();
        found.into_iter().map(|fault| fault.detail).collect::<Vec<_>>()
    };
    let before = faults();
    assert!(before.contains(&format!("entry 2 of project {KNOWN} is missing")), "{before:?}");
    SqliteStore::update_schema(&path).unwrap();
    assert_eq!(faults(), before);
}

/// On the way to a block nobody waits for a migration: the injection is not recorded.
#[test]
fn who_records_leaves_an_old_schema_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    old_store(&path);
    let mut store = SqliteStore::open(&path, Access::Record).unwrap();
    let shown = add_injection(&injection("r9", "", &[]));
    let refused = store.apply(&batch(&ProjectId::new(KNOWN), vec![shown]), None).unwrap_err();
    assert!(refused.to_string().contains("older schema"), "{refused}");
    assert_eq!(version(&path), OLD);
    check_content(&store);
}

/// A process that reads for long sees through its views only as long as the file is old.
#[test]
fn who_reads_an_old_store_goes_on_when_another_updates_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    old_store(&path);
    let reader = SqliteStore::open(&path, Access::Read).unwrap();
    check_content(&reader);
    SqliteStore::update_schema(&path).unwrap();
    check_content(&reader);
}
