//! What does a role see that owns nothing? Its project and what all projects see, whatever it asks for.

use std::collections::BTreeSet;

use crate::conformance::erase_cases::forgotten;
use crate::conformance::sample::{
    add_effect, add_finding, add_injection, add_lesson, add_run, batch, describe, effect, finding,
    injection, lesson_of, other_project, project, project_at, run, run_id,
};
use hardwon_core::change::{Change, Erasure};
use hardwon_core::effect::EffectKind;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_store::{
    Access, ConsultationQuery, LessonQuery, PostgresStore, ProjectQuery, Store, StoreError,
};
use postgres::Client;

use crate::server;

/// Two projects with rows in most tables, written by the role that owns nothing.
fn filled() -> (String, PostgresStore) {
    let database = server::database();
    let mut store =
        PostgresStore::open(&server::url_as("worker", &database), Access::Write).unwrap();
    for owner in [project(), other_project()] {
        let known = lesson_of(Some(owner.clone()), &format!("known to {owner} alone"));
        let at = project_at(owner.as_str(), &format!("/home/{owner}"), Some(owner.as_str()));
        let mut seen = finding("r1", "seen");
        seen.lesson = Some(known.id.clone());
        let changes = vec![
            add_run(&run("r1", 1)),
            add_finding(&seen),
            add_lesson(&known),
            add_injection(&injection("r1", "maker", &[&known])),
            add_effect(&effect(&known, "r1", 1, EffectKind::Helped)),
            describe(&at),
        ];
        store.apply(&batch(&owner, changes), None).unwrap();
    }
    (database, store)
}

/// A connection of that role, inside a transaction for a project.
fn working(database: &str, project: &ProjectId) -> Client {
    let mut client = server::client_as("worker", database);
    client.batch_execute("BEGIN").unwrap();
    let sql = "SELECT set_config('hardwon.project', $1, true)";
    client.query(sql, &[&project.as_str()]).unwrap();
    client
}

/// Tables with rows of projects: those that are asked, or the parts that rows lie in.
fn tables(client: &mut Client, are_parts: bool) -> Vec<String> {
    let kind = if are_parts { "r" } else { "p" };
    let sql = format!(
        "SELECT oid::regclass::text FROM pg_class
         WHERE relnamespace = 'hardwon'::regnamespace AND relkind = '{kind}'
           AND relname <> 'versions'"
    );
    client.query(&sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

#[test]
fn raw_sql_neither_reads_nor_counts_nor_writes_another_projects_rows() {
    let (database, _) = filled();
    let other = other_project();
    let mut owner = server::client(&database);
    let mut client = working(&database, &project());
    let mut n_filled = 0;
    for table in tables(&mut owner, false) {
        let of_other = format!("SELECT count(*) FROM {table} WHERE project = $1");
        let count = |client: &mut Client| -> i64 {
            client.query_one(&of_other, &[&other.as_str()]).unwrap().get(0)
        };
        n_filled += i64::from(count(&mut owner) > 0);
        assert_eq!(count(&mut client), 0, "{table}");
        let all = format!("SELECT count(*) FROM {table} WHERE project NOT IN ('', $1)");
        let foreign: i64 = client.query_one(&all, &[&project().as_str()]).unwrap().get(0);
        assert_eq!(foreign, 0, "{table}");
        let delete = format!("DELETE FROM {table} WHERE project = $1");
        assert_eq!(client.execute(&delete, &[&other.as_str()]).unwrap(), 0, "{table}");
        let update = format!("UPDATE {table} SET project = project WHERE project = $1");
        assert_eq!(client.execute(&update, &[&other.as_str()]).unwrap(), 0, "{table}");
    }
    assert!(n_filled > 10, "{n_filled} tables have rows of the other project");
    let insert = "INSERT INTO hardwon.tombstones VALUES ('bakery', 'l-1', '{}')";
    let refused = client.batch_execute(insert).unwrap_err();
    let said = refused.as_db_error().unwrap().message();
    assert!(said.contains("row-level security"), "{said}");
}

#[test]
fn saying_that_one_works_for_all_projects_is_not_enough() {
    let (database, store) = filled();
    let mut client = working(&database, &project());
    client.batch_execute("SELECT set_config('hardwon.reach', 'everything', true)").unwrap();
    let sql = "SELECT count(*) FROM hardwon.lessons WHERE project = 'bakery'";
    assert_eq!(client.query_one(sql, &[]).unwrap().get::<_, i64>(0), 0);
    for refused in [
        store.check().map(drop),
        store.every_text(&mut |_| {}),
        store.consultations(&ConsultationQuery::default()).map(drop),
    ] {
        let said = refused.unwrap_err().to_string();
        assert!(said.contains("owner"), "{said}");
    }
    assert_eq!(store.projects(&ProjectQuery::All).unwrap(), [], "only who knows a checkout");
    let (_, standing, examined) =
        PostgresStore::examine(&server::url_as("worker", &database)).unwrap();
    assert_eq!((standing.role.as_str(), standing.is_owner), ("worker", false));
    assert!(!standing.is_unbound && standing.n_tables > 10, "{standing:?}");
    assert_eq!(standing.open_tables, [""; 0]);
    assert!(examined.checks.is_empty());
    let (_, standing, examined) = PostgresStore::examine(&server::url_of(&database)).unwrap();
    assert!(standing.is_owner && !standing.is_unbound, "{standing:?}");
    let open = "ALTER TABLE hardwon.runs NO FORCE ROW LEVEL SECURITY";
    server::client(&database).batch_execute(open).unwrap();
    let (_, standing, _) = PostgresStore::examine(&server::url_as("owner", &database)).unwrap();
    assert!(standing.is_unbound, "a superuser: {standing:?}");
    assert_eq!(standing.open_tables, ["runs"]);
    assert!(!examined.checks.is_empty() && examined.faults.is_empty(), "{examined:?}");
}

#[test]
fn parts_of_tables_are_no_other_door() {
    let (database, _) = filled();
    let mut owner = server::client(&database);
    let parts = tables(&mut owner, true);
    assert!(parts.len() > 300, "{}", parts.len());
    let (other, mut n_filled) = (other_project(), 0);
    let mut client = working(&database, &project());
    for part in parts {
        let of_other = format!("SELECT count(*) FROM {part} WHERE project = $1");
        let count = |client: &mut Client| -> i64 {
            client.query_one(&of_other, &[&other.as_str()]).unwrap().get(0)
        };
        n_filled += i64::from(count(&mut owner) > 0);
        assert_eq!(count(&mut client), 0, "{part}");
        let update = format!("UPDATE {part} SET project = project WHERE project = $1");
        assert_eq!(client.execute(&update, &[&other.as_str()]).unwrap(), 0, "{part}");
        let delete = format!("DELETE FROM {part} WHERE project NOT IN ('', $1)");
        assert_eq!(client.execute(&delete, &[&project().as_str()]).unwrap(), 0, "{part}");
    }
    assert!(n_filled > 10, "{n_filled} parts have rows of the other project");
    let part = "SELECT hardwon.part_of('bakery')";
    let part: i64 = owner.query_one(part, &[]).unwrap().get(0);
    let insert = format!("INSERT INTO hardwon.tombstones_{part} VALUES ('bakery', 'l-1', '{{}}')");
    let refused = client.batch_execute(&insert).unwrap_err();
    let said = refused.as_db_error().unwrap().message();
    assert!(said.contains("row-level security"), "{said}");
    client.batch_execute("ROLLBACK").unwrap();
    let look = format!(
        "BEGIN; SELECT set_config('hardwon.project', 'shop', true);
         SELECT hardwon.advance_{part}('bakery', 1, 100, 100)"
    );
    client.batch_execute(&look).unwrap();
    client.batch_execute("COMMIT").unwrap();
    let entries = "SELECT n_entries < 100 FROM hardwon.projects WHERE project = 'bakery'";
    assert!(owner.query_one(entries, &[]).unwrap().get::<_, bool>(0));
    let sql = "
        SELECT count(*) FROM pg_class
        WHERE relnamespace = 'hardwon'::regnamespace AND relkind IN ('p', 'r')
          AND relname <> 'versions' AND NOT (relrowsecurity AND relforcerowsecurity)";
    assert_eq!(owner.query_one(sql, &[]).unwrap().get::<_, i64>(0), 0);
    assert!(client.batch_execute("CREATE TABLE hardwon.mine (a int)").is_err());
    assert!(client.batch_execute("DELETE FROM hardwon.versions").is_err());
    assert!(
        client.batch_execute("ALTER TABLE hardwon.lessons DISABLE ROW LEVEL SECURITY").is_err()
    );
}

#[test]
fn a_role_that_owns_nothing_works_as_usual() {
    let (database, mut store) = filled();
    let own = store.lessons(&project(), &LessonQuery::default()).unwrap();
    assert_eq!(own.len(), 1);
    let (path, ids) = (format!("/home/{}", project()), ["x", "y"].map(ProjectId::new));
    let near = ProjectQuery::Near { path, mark: None, ids };
    let found = store.projects(&near).unwrap()[0].clone();
    assert_eq!(found.id, project());
    let ids = [project(), ProjectId::new("y")];
    let by_id = ProjectQuery::Near { path: String::new(), mark: None, ids };
    assert_eq!(store.projects(&by_id).unwrap(), [found], "with what was said of it");
    let global = lesson_of(None, "for everybody");
    store.apply(&batch(&project(), vec![add_lesson(&global)]), None).unwrap();
    let seen = store.lessons(&other_project(), &LessonQuery::default()).unwrap();
    assert!(seen.contains(&global), "{seen:?}");
    // What is struck while runs are learned is the project's own; the other one has the same text.
    let text = finding("r1", "seen").text;
    let struck = Erasure {
        lesson: LessonId::given(""),
        is_global: false,
        texts: BTreeSet::from([text.id().clone()]),
        words: BTreeSet::new(),
        takes_remarks: false,
    };
    let struck = vec![Change::Erase { erasure: struck }];
    store.apply(&batch(&project(), struck), None).unwrap();
    let text_in = |owner| store.tree(owner, &run_id("r1")).unwrap().findings[0].text.clone();
    assert_eq!((text_in(&project()).body(), text_in(&other_project())), (None, text));
    for lesson in [&own[0], &global] {
        let refused = store.apply(&batch(&project(), forgotten(lesson, &[], &[])), None);
        assert!(matches!(refused, Err(StoreError::Unusable { .. })), "{refused:?}");
    }
    let keeper = PostgresStore::open(&server::url_of(&database), Access::Write).unwrap();
    assert_eq!(keeper.check().unwrap(), []);
}
