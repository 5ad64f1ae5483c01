//! What a person does with lessons: stated, listed, found, changed, put away, brought back.

use hardwon_engine::finding::Severity;
use hardwon_engine::lesson::{Kind, Origin, State, Trust};
use hardwon_engine::scope::Dimension;
use hardwon_engine::{AddRequest, EditRequest, EngineError, ListRequest, Stated};

use serde_json::json;

use crate::harness::{Pipeline, W, WISH, line, reworded, run_with, wish};

const TICKET: &str = "Name branches after the ticket number";

#[test]
fn a_preference_is_shown_at_once_and_other_kinds_wait() {
    for mut p in Pipeline::on_both() {
        let wished = p.wish(WISH);
        let stated = (wished.kind, wished.trust, wished.origin);
        assert_eq!(stated, (Kind::Preference, Trust::Trusted, Origin::User));
        let pattern = p.state("Retry loops forget to back off", Kind::Pattern);
        assert_eq!(pattern.state, State::Candidate);
        let injected = p.inject("r1");
        let shown: Vec<&str> = injected.lessons.iter().map(|l| l.lesson.id.as_str()).collect();
        assert_eq!(shown, [wished.id.as_str()]);
        assert_eq!(injected.left_out[0].id, pattern.id);
        // One run that confirms what a person said is enough.
        p.learn_finding("r1", "Retry loops forget to back off");
        assert_eq!(p.again(&pattern).state, State::Provisional);
        p.assert_sound();
    }
}

#[test]
fn the_same_statement_twice_is_one_lesson() {
    let mut p = Pipeline::on_memory();
    let lesson = p.wish(WISH);
    let again = wish(&WISH.replace("changes into", "changes  into\n"));
    match p.add(&again) {
        Err(EngineError::Duplicate { lesson: known }) => assert_eq!(known, lesson.id.as_str()),
        other => panic!("{other:?}"),
    }
    p.forget(lesson.id.as_str()).unwrap();
    let back = p.add(&again).unwrap().body;
    assert_eq!((back.id, back.state), (lesson.id, State::Candidate));
}

#[test]
fn lessons_are_found_by_id_prefix_and_alias() {
    let mut p = Pipeline::on_memory();
    let stated = Stated { aliases: vec!["m-001".into()], ..Stated::default() };
    let lesson = p.add(&AddRequest { stated, ..wish(WISH) }).unwrap().body;
    p.wish(TICKET);
    for name in [lesson.id.as_str(), &lesson.id.as_str()[..5], "m-001"] {
        assert_eq!(p.lesson_named(name).unwrap().id, lesson.id, "{name}");
    }
    assert!(matches!(p.lesson_named("l-"), Err(EngineError::AmbiguousLesson { .. })));
    for name in ["m-002", ""] {
        assert!(matches!(p.lesson_named(name), Err(EngineError::UnknownLesson { .. })), "{name}");
    }
}

#[test]
fn list_filters() {
    let mut p = Pipeline::on_memory();
    let (tags, scope) = (vec!["Security".into()], vec![(Dimension::Role, "guardian".into())]);
    let stated = Stated { tags, scope, ..Stated::default() };
    let text = "Escape user input before rendering templates";
    p.add(&AddRequest { kind: Some(Kind::Rule), stated, ..wish(text) }).unwrap();
    p.wish(WISH);
    let gone = p.wish(TICKET);
    p.forget(gone.id.as_str()).unwrap();
    let base = ListRequest::default;
    let role = vec![(Dimension::Role, "Guardian".to_owned())];
    let cases: [(ListRequest, &[&str]); 7] = [
        (base(), &[WISH, text]),
        (ListRequest { is_all: true, ..base() }, &[WISH, text, TICKET]),
        (ListRequest { states: vec![State::Archived], ..base() }, &[TICKET]),
        (ListRequest { kinds: vec![Kind::Rule], ..base() }, &[text]),
        (ListRequest { tags: vec!["security".into()], ..base() }, &[text]),
        (ListRequest { scope: role, ..base() }, &[text]),
        (ListRequest { text: Some("PULL request".into()), ..base() }, &[WISH]),
    ];
    for (request, expected) in cases {
        let listed = p.list(&request).unwrap().body.lessons;
        let mut texts: Vec<&str> = listed.iter().map(|lesson| lesson.text.as_str()).collect();
        texts.sort();
        assert_eq!(texts, expected);
    }
    let one = p.list(&ListRequest { limit: Some(1), ..base() }).unwrap().body;
    assert!(one.lessons.len() == 1 && one.has_more);
}

#[test]
fn edit_changes_what_it_names_and_approves() {
    let mut p = Pipeline::on_memory();
    p.learn_finding("r1", W);
    let before = p.only_lesson();
    assert_eq!(before.trust, Trust::Pipeline);
    let (severity, tags) = (Some(Severity::Bug), vec!["sql".into()]);
    let scope = vec![(Dimension::Tool, "psql".into())];
    let stated = Stated { severity, tags, scope, ..Stated::default() };
    let request = EditRequest {
        kind: Some(Kind::AntiPattern),
        stated,
        unpath: vec!["src/api.rs".into()],
        ..reworded("Bind values instead of building queries from strings")
    };
    let after = p.edit(before.id.as_str(), &request).unwrap().body;
    assert_eq!(after.id, before.id, "an id is for life");
    let stated = (after.kind, after.severity, after.trust);
    assert_eq!(stated, (Kind::AntiPattern, Severity::Bug, Trust::Trusted));
    assert_eq!((after.tags.as_slice(), after.paths.len()), (["sql".to_owned()].as_slice(), 0));
    assert_eq!(after.scope.0[&Dimension::Tool], "psql");
    let refused = p.edit(before.id.as_str(), &reworded("of the"));
    assert!(matches!(refused, Err(EngineError::Refused(_))));
    // The reworded lesson is found under its new words.
    assert_eq!(p.search("bind values", 5, false).unwrap().body.lessons[0].lesson.id, before.id);
}

#[test]
fn forget_keeps_and_restore_brings_back_the_former_state() {
    let mut p = Pipeline::on_sqlite();
    p.confirm(&[W]);
    let id = p.only_lesson().id;
    p.forget(id.as_str()).unwrap();
    assert_eq!(p.inject("r3").block, "");
    assert_eq!(p.restore(id.as_str()).unwrap().body.state, State::Provisional);
    assert!(matches!(p.restore(id.as_str()), Err(EngineError::WrongState { .. })));
    p.assert_sound();
}

/// `list --task` is how a person asks what a task taught.
#[test]
fn lessons_of_a_task_are_also_those_that_its_runs_showed() {
    for mut p in Pipeline::on_both() {
        let found = |text: &str| {
            let finding = json!({"type": "finding", "author": "guardian", "severity": "bug"});
            line(finding, json!({"text": text}))
        };
        let (limit, retry) =
            ("Upload handler forgets the size limit", "Retry loops forget to back off");
        p.learn(&(run_with("r1", json!({"task": "T-1"})) + &found(limit)));
        p.learn(&(run_with("r2", json!({"task": "T-2"})) + &found(retry)));
        for (task, expected) in [("t-1", vec![limit]), ("T-2", vec![retry]), ("T-3", vec![])] {
            let scope = vec![(Dimension::Task, task.to_owned())];
            let listed = p.list(&ListRequest { scope, ..ListRequest::default() }).unwrap();
            let texts = listed.body.lessons.iter().map(|lesson| lesson.text.as_str());
            assert_eq!(texts.collect::<Vec<_>>(), expected, "{task}");
        }
    }
}
