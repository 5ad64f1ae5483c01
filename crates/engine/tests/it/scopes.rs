//! Who gets to see what: projects, roles, domains, tools.

use hardwon_engine::lesson::Kind;
use hardwon_engine::need::Need;
use hardwon_engine::scope::Dimension;
use hardwon_engine::{AddRequest, EditRequest, Stated};

use serde_json::json;

use crate::harness::{Pipeline, WISH, finding, role, run, run_with, warning, warning_with, wish};

const TEXT: &str = "Escape user input before rendering templates";

fn with_scope(scope: &[(Dimension, &str)]) -> Pipeline {
    let mut p = Pipeline::on_memory();
    let scope = scope.iter().map(|(d, value)| (*d, (*value).to_owned())).collect();
    let stated = Stated { scope, ..Stated::default() };
    p.add(&AddRequest { stated, ..wish(TEXT) }).unwrap();
    p
}

fn is_shown(p: &mut Pipeline, need: Need) -> bool {
    !p.inject_for(None, need).block.is_empty()
}

#[test]
fn category_is_not_domain() {
    // Fact 17: a lesson of category security is for every domain its run names.
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        let finding = warning_with(TEXT, json!({"category": "security"}));
        p.learn_run(&(run_with(id, json!({"domain": "code"})) + &finding));
    }
    assert!(is_shown(&mut p, Need { domain: Some("code".into()), ..Need::default() }));
    assert!(!is_shown(&mut p, Need { domain: Some("writing".into()), ..Need::default() }));
}

#[test]
fn five_sightings_make_a_lesson_universal_for_domain_and_role() {
    let mut p = Pipeline::on_memory();
    let need = || Need { domain: Some("writing".into()), ..Need::default() };
    for n in 1..=5 {
        assert!(!is_shown(&mut p, need()), "after {} sightings", n - 1);
        p.learn_run(&(run_with(&format!("r{n}"), json!({"domain": "code"})) + &warning(TEXT)));
    }
    assert!(is_shown(&mut p, need()));
}

#[test]
fn projects_never_see_each_other_but_share_what_is_global() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let open = |project: &str| Pipeline::at(&path, project);
    let (mut a, mut b) = (open("a"), open("b"));
    a.confirm(&[TEXT]);
    assert!(!a.inject("r3").block.is_empty());
    assert_eq!(b.inject("r3").block, "");
    assert_eq!(b.lessons(), []);
    assert!(b.search("escape user input", 5, true).unwrap().body.lessons.is_empty());
    assert!(b.lesson_named(a.only_lesson().id.as_str()).is_err());
    // The same text in another project is another lesson.
    b.learn_finding("r1", TEXT);
    assert_ne!(a.only_lesson().id, b.only_lesson().id);
    assert_eq!(b.only_lesson().n_sightings, 1);
    let global = AddRequest { is_global: true, ..wish("Answer in British English spelling") };
    a.add(&global).unwrap();
    assert!(b.inject("r2").block.contains("British English"));
    b.assert_sound();
}

#[test]
fn a_preference_is_not_pushed_out_by_ten_frequent_lessons() {
    let mut p = Pipeline::on_memory();
    let things = [
        "Upload handler ignores the size limit",
        "Cache key leaves out the tenant",
        "Retry loop never backs off",
        "Migration drops the index on orders",
        "Login page leaks the user name",
        "Worker swallows the parse error",
        "Scheduler double books on daylight change",
        "Report sums money as floats",
        "Mailer sends before the commit",
        "Parser recurses on nested brackets",
        "Socket is never closed on timeout",
        "Template renders raw markup",
    ];
    for id in ["r1", "r2", "r3"] {
        let findings: String =
            things.iter().map(|text| finding("guardian", "critical", text)).collect();
        p.learn_run(&(run(id, &["guardian"]) + &findings));
    }
    p.wish(WISH);
    let injected = p.inject("r4");
    assert_eq!(injected.lessons.len(), 11, "it has room of its own");
    assert!(injected.block.contains(WISH));
    assert!(injected.lessons.iter().any(|shown| shown.lesson.kind == Kind::Preference));
}

#[test]
fn a_scope_widens_one_step_at_a_time() {
    // Row 39: from a task to the whole project in one step is refused.
    let mut p = with_scope(&[(Dimension::Task, "T-12")]);
    let id = p.only_lesson().id.to_string();
    let unscope = |dimensions: &[Dimension]| EditRequest {
        unscope: dimensions.to_vec(),
        ..EditRequest::default()
    };
    let refused = p.edit(&id, &unscope(&[Dimension::Task])).unwrap_err().to_string();
    assert!(refused.contains("cannot be made project-wide in one step"), "{refused}");
    assert_eq!(p.only_lesson().scope.0.len(), 1, "nothing changed");

    let session = vec![(Dimension::Session, "s-9".to_owned())];
    let stated = Stated { scope: session, ..Stated::default() };
    p.edit(&id, &EditRequest { stated, ..unscope(&[Dimension::Task]) }).unwrap();
    let need = |session: &str, task: &str| {
        let (session, task) = (Some(session.to_owned()), Some(task.to_owned()));
        Need { session, task, ..Need::default() }
    };
    assert!(is_shown(&mut p, need("s-9", "T-13")));
    assert!(!is_shown(&mut p, need("s-10", "T-12")));
    p.edit(&id, &unscope(&[Dimension::Session])).unwrap();
    assert!(is_shown(&mut p, need("s-10", "T-1")));
}

#[test]
fn what_one_role_alone_reports_is_its_hint_until_a_second_role_sees_it() {
    for mut p in Pipeline::on_both() {
        p.learn_finding("r1", TEXT);
        assert_eq!(p.only_lesson().kind, Kind::Pattern, "one run says nothing about roles");
        p.learn_run(&(run("r2", &["guardian", "sage"]) + &warning(TEXT)));
        assert_eq!(p.only_lesson().kind, Kind::Hint);
        let shown = p.inject_for(None, role("maker"));
        assert_eq!(shown.lessons.len(), 1, "who does the work needs it, too");
        p.learn_run(&(run("r3", &["guardian", "sage"]) + &finding("sage", "warning", TEXT)));
        assert_eq!((p.only_lesson().kind, p.only_lesson().n_sightings), (Kind::Pattern, 3));
        p.assert_sound();
    }
}

#[test]
fn a_kind_that_a_person_gave_stays() {
    let mut p = Pipeline::on_memory();
    p.learn_finding("r1", TEXT);
    let id = p.only_lesson().id.to_string();
    let kind = |kind| EditRequest { kind: Some(kind), ..EditRequest::default() };
    p.edit(&id, &kind(Kind::Fact)).unwrap();
    p.edit(&id, &kind(Kind::Pattern)).unwrap();
    p.learn_finding("r2", TEXT);
    assert_eq!(p.only_lesson().kind, Kind::Pattern);
}
