//! Who gets to see what: projects, roles, domains, tools.

use hardwon_engine::lesson::Kind;
use hardwon_engine::need::Need;
use hardwon_engine::scope::Dimension;
use hardwon_engine::{AddRequest, EditRequest, Stated, lessons, lookup};

use crate::bench::{Pipeline, finding, run, warning};

const TEXT: &str = "Escape user input before rendering templates";

fn with_scope(scope: &[(Dimension, &str)]) -> Pipeline {
    let mut p = Pipeline::on_memory();
    let scope = scope.iter().map(|(d, value)| (*d, (*value).to_owned())).collect();
    let stated = Stated { scope, ..Stated::default() };
    let request = AddRequest { text: TEXT.into(), stated, ..AddRequest::default() };
    lessons::add(&mut p.engine.memory, &p.engine.call, &request).unwrap();
    p
}

fn is_shown(p: &mut Pipeline, need: Need) -> bool {
    !p.inject_for(None, need).block.is_empty()
}

fn role(role: &str) -> Need {
    Need { role: Some(role.into()), ..Need::default() }
}

#[test]
fn a_different_value_excludes_and_an_open_one_does_not() {
    let mut p = with_scope(&[(Dimension::Role, "guardian"), (Dimension::Tool, "bash")]);
    assert!(is_shown(&mut p, Need::default()));
    assert!(is_shown(&mut p, role("guardian")));
    assert!(!is_shown(&mut p, role("sage")));
    assert!(!is_shown(&mut p, Need { tool: Some("grep".into()), ..Need::default() }));
    let left_out = p.inject_for(None, role("sage")).left_out;
    assert_eq!(left_out[0].reason, "scope: role is guardian, not sage");
}

#[test]
fn category_is_not_domain() {
    // Fact 17: a lesson of category security is for every domain its run names.
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        let record = format!("{{\"type\":\"run\",\"id\":\"{id}\",\"domain\":\"code\"}}\n");
        let finding = warning(TEXT).replace("\"grade\"", "\"category\":\"security\",\"grade\"");
        p.learn_run(&(record + &finding));
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
        let record = format!("{{\"type\":\"run\",\"id\":\"r{n}\",\"domain\":\"code\"}}\n");
        p.learn_run(&(record + &warning(TEXT)));
    }
    assert!(is_shown(&mut p, need()));
}

#[test]
fn projects_never_see_each_other_but_share_what_is_global() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let open = |project: &str| Pipeline::at(&path, project);
    let (mut a, mut b) = (open("a"), open("b"));
    for id in ["r1", "r2"] {
        a.learn_run(&(run(id, &["guardian"]) + &warning(TEXT)));
    }
    assert!(!a.inject("r3").block.is_empty());
    assert_eq!(b.inject("r3").block, "");
    assert_eq!(b.lessons(), []);
    assert_eq!(
        lessons::search(&b.engine.memory, &b.engine.call, "escape user input", 5, true)
            .unwrap()
            .body
            .lessons,
        []
    );
    assert!(
        lookup::lesson_named(&b.engine.memory, &b.engine.call, a.only_lesson().id.as_str())
            .is_err()
    );
    // The same text in another project is another lesson.
    b.learn_run(&(run("r1", &["guardian"]) + &warning(TEXT)));
    assert_ne!(a.only_lesson().id, b.only_lesson().id);
    assert_eq!(b.only_lesson().n_sightings, 1);
    let global = AddRequest {
        text: "Answer in British English spelling".into(),
        is_global: true,
        ..AddRequest::default()
    };
    lessons::add(&mut a.engine.memory, &a.engine.call, &global).unwrap();
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
    let wish = AddRequest {
        text: "Bundle related changes into one pull request".into(),
        ..AddRequest::default()
    };
    lessons::add(&mut p.engine.memory, &p.engine.call, &wish).unwrap();
    let injected = p.inject("r4");
    assert_eq!(injected.lessons.len(), 10);
    assert!(injected.block.contains("Bundle related changes"));
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
    let refused =
        lessons::edit(&mut p.engine.memory, &p.engine.call, &id, &unscope(&[Dimension::Task]))
            .unwrap_err()
            .to_string();
    assert!(refused.contains("cannot be made project-wide in one step"), "{refused}");
    assert_eq!(p.only_lesson().scope.0.len(), 1, "nothing changed");

    let session = vec![(Dimension::Session, "s-9".to_owned())];
    let stated = Stated { scope: session, ..Stated::default() };
    lessons::edit(
        &mut p.engine.memory,
        &p.engine.call,
        &id,
        &EditRequest { stated, ..unscope(&[Dimension::Task]) },
    )
    .unwrap();
    let need = |session: &str, task: &str| Need {
        session: Some(session.into()),
        task: Some(task.into()),
        ..Need::default()
    };
    assert!(is_shown(&mut p, need("s-9", "T-13")));
    assert!(!is_shown(&mut p, need("s-10", "T-12")));
    lessons::edit(&mut p.engine.memory, &p.engine.call, &id, &unscope(&[Dimension::Session]))
        .unwrap();
    assert!(is_shown(&mut p, need("s-10", "T-1")));
}

#[test]
fn what_one_role_alone_reports_is_its_hint_until_a_second_role_sees_it() {
    for mut p in Pipeline::on_both() {
        p.learn_run(&(run("r1", &["guardian"]) + &warning(TEXT)));
        assert_eq!(p.only_lesson().kind, Kind::Pattern, "one run says nothing about roles");
        p.learn_run(&(run("r2", &["guardian", "sage"]) + &warning(TEXT)));
        assert_eq!(p.only_lesson().kind, Kind::Hint);
        let shown = p.inject_for(None, role("maker"));
        assert_eq!(shown.lessons.len(), 1, "who does the work needs it, too");
        p.learn_run(
            &(run("r3", &["guardian", "sage"]) + &warning(TEXT).replace("guardian", "sage")),
        );
        assert_eq!((p.only_lesson().kind, p.only_lesson().n_sightings), (Kind::Pattern, 3));
        p.assert_sound();
    }
}

#[test]
fn a_kind_that_a_person_gave_stays() {
    let mut p = Pipeline::on_memory();
    p.learn_run(&(run("r1", &["guardian"]) + &warning(TEXT)));
    let id = p.only_lesson().id.to_string();
    let kind = |kind| EditRequest { kind: Some(kind), ..EditRequest::default() };
    lessons::edit(&mut p.engine.memory, &p.engine.call, &id, &kind(Kind::Fact)).unwrap();
    lessons::edit(&mut p.engine.memory, &p.engine.call, &id, &kind(Kind::Pattern)).unwrap();
    p.learn_run(&(run("r2", &["guardian"]) + &warning(TEXT)));
    assert_eq!(p.only_lesson().kind, Kind::Pattern);
}
