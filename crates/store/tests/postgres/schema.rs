//! Which databases are taken, and what is found when somebody else wrote to one.

use std::thread;

use crate::conformance::sample::{add_lesson, add_run, batch, lesson, project, run};
use hardwon_store::{Access, LessonQuery, PostgresStore, Store, StoreError};

use crate::server;

#[test]
fn a_database_without_tables_is_told_how_to_get_them() {
    let url = server::url_of(&server::empty_database());
    let said = PostgresStore::open(&url, Access::Read).unwrap_err().to_string();
    assert!(said.contains("hardwon config store migrate"), "{said}");
    let made: Vec<(i64, i64)> = thread::scope(|scope| {
        let migrate = || PostgresStore::migrate(&url, None).unwrap();
        let both = [scope.spawn(migrate), scope.spawn(migrate)];
        both.map(|one| one.join().unwrap()).into()
    });
    assert!(made.iter().all(|(_, now)| *now == made[0].1), "{made:?}");
    assert_eq!(PostgresStore::migrate(&url, None).unwrap(), (made[0].1, made[0].1));
    let mut store = PostgresStore::open(&url, Access::Write).unwrap();
    store.apply(&batch(&project(), vec![add_run(&run("r1", 1))]), None).unwrap();
}

#[test]
fn what_is_not_there_is_told_in_words() {
    let said = |url: &str| PostgresStore::open(url, Access::Read).unwrap_err().to_string();
    let said_of_database = said(&server::url_of("no_such_database"));
    assert!(said_of_database.contains("does not exist"), "{said_of_database}");
    let nobody = said("postgres://ada:secret@127.0.0.1:9/team");
    assert!(nobody.contains("ada@127.0.0.1:9/team") && !nobody.contains("secret"), "{nobody}");
    let readable = server::database();
    let mut store = PostgresStore::open(&server::url_of(&readable), Access::Read).unwrap();
    let refused = store.apply(&batch(&project(), vec![add_run(&run("r1", 1))]), None);
    assert!(matches!(refused, Err(StoreError::Unusable { .. })), "{refused:?}");
}

#[test]
fn a_newer_schema_is_read_and_never_written() {
    let database = server::database();
    let mut store = PostgresStore::open(&server::url_of(&database), Access::Write).unwrap();
    let known = lesson("known");
    store.apply(&batch(&project(), vec![add_lesson(&known)]), None).unwrap();
    server::client(&database).batch_execute("INSERT INTO hardwon.versions VALUES (99)").unwrap();
    let refused = store.apply(&batch(&project(), vec![add_run(&run("r1", 1))]), None);
    assert!(matches!(refused, Err(StoreError::TooNew { found: 99, .. })), "{refused:?}");
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap(), [known]);
    let migrated = PostgresStore::migrate(&server::url_of(&database), None);
    assert!(matches!(migrated, Err(StoreError::TooNew { .. })), "{migrated:?}");
}

#[test]
fn an_older_schema_is_read_and_never_written() {
    let database = server::database();
    let mut store = PostgresStore::open(&server::url_of(&database), Access::Write).unwrap();
    let known = lesson("known");
    store.apply(&batch(&project(), vec![add_lesson(&known)]), None).unwrap();
    server::client(&database).batch_execute("DELETE FROM hardwon.versions").unwrap();
    let refused = store.apply(&batch(&project(), vec![add_run(&run("r1", 1))]), None);
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("hardwon config store migrate"), "{said}");
    assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap(), [known]);
}

#[test]
fn rows_of_a_project_are_looked_for_where_they_lie() {
    let database = server::database();
    let wrong = "
        SELECT project FROM unnest(ARRAY['', 'shop', 'bakery', 'ä', 'p-' || repeat('x', 300)])
            AS given (project)
        WHERE NOT satisfies_hash_partition(
            'hardwon.runs'::regclass, 16, hardwon.part_of(project)::integer, project)
        UNION ALL SELECT n::text FROM generate_series(1, 500) AS n
        WHERE NOT satisfies_hash_partition(
            'hardwon.runs'::regclass, 16, hardwon.part_of(n::text)::integer, n::text)";
    assert!(server::client(&database).query(wrong, &[]).unwrap().is_empty());
}

#[test]
fn what_was_edited_in_the_database_is_found_and_written_anew() {
    let database = server::database();
    let mut store = PostgresStore::open(&server::url_of(&database), Access::Write).unwrap();
    let (one, two) = (lesson("Query built by concatenation"), lesson("Socket left open"));
    store.apply(&batch(&project(), vec![add_lesson(&one), add_lesson(&two)]), None).unwrap();
    let damages = [
        (
            "tables",
            "DELETE FROM hardwon.lessons WHERE body LIKE '%' || (SELECT min(id) FROM hardwon.lessons) || '%'",
        ),
        ("texts", "UPDATE hardwon.lessons SET bodies = replace(bodies, 'Socket', 'Pocket')"),
        ("index", "DELETE FROM hardwon.lesson_terms WHERE term LIKE 'socket%'"),
    ];
    for (check, sql) in damages {
        server::client(&database).batch_execute(sql).unwrap();
        let faults = store.check().unwrap();
        assert!(faults.iter().any(|fault| fault.check == check), "{check}: {faults:?}");
        store.rebuild().unwrap();
        assert_eq!(store.check().unwrap(), [], "{check}");
        assert_eq!(store.lessons(&project(), &LessonQuery::default()).unwrap().len(), 2);
    }
    let gap = "DELETE FROM hardwon.journal WHERE sequence = 1";
    server::client(&database).batch_execute(gap).unwrap();
    let faults = store.check().unwrap();
    assert!(faults.iter().any(|fault| fault.check == "journal"), "{faults:?}");
}
