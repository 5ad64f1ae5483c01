//! Lessons by hand: stated, listed, found, changed, put away, brought back.

use hardwon_engine::finding::Severity;
use hardwon_engine::lesson::{Kind, Origin, State, Trust};
use hardwon_engine::scope::Dimension;
use hardwon_engine::{
    AddRequest, EditRequest, EngineError, ListRequest, Stated, blocks, lessons, lookup,
};

use crate::bench::{Pipeline, run, warning};

fn stated(p: &mut Pipeline, text: &str, kind: Option<Kind>) -> hardwon_engine::lesson::Lesson {
    let request = AddRequest { text: text.into(), kind, ..AddRequest::default() };
    lessons::add(&mut p.engine.memory, &p.engine.call, &request).unwrap().body
}

#[test]
fn a_preference_is_shown_at_once_and_other_kinds_wait() {
    for mut p in Pipeline::on_both() {
        let wish = stated(&mut p, "Bundle related changes into one pull request", None);
        assert_eq!(
            (wish.kind, wish.trust, wish.origin),
            (Kind::Preference, Trust::Trusted, Origin::User)
        );
        let pattern = stated(&mut p, "Retry loops forget to back off", Some(Kind::Pattern));
        assert_eq!(pattern.state, State::Candidate);
        let injected = p.inject("r1");
        let shown: Vec<&str> = injected.lessons.iter().map(|l| l.lesson.id.as_str()).collect();
        assert_eq!(shown, [wish.id.as_str()]);
        assert_eq!(injected.left_out[0].id, pattern.id);
        // One run that confirms what a person said is enough.
        p.learn_run(&(run("r1", &["guardian"]) + &warning("Retry loops forget to back off")));
        assert_eq!(
            lookup::lesson_named(&p.engine.memory, &p.engine.call, pattern.id.as_str())
                .unwrap()
                .state,
            State::Provisional
        );
        p.assert_sound();
    }
}

#[test]
fn the_same_statement_twice_is_one_lesson() {
    let mut p = Pipeline::on_memory();
    let lesson = stated(&mut p, "Bundle related changes into one pull request", None);
    let again = AddRequest {
        text: "Bundle related changes  into one pull request\n".into(),
        ..AddRequest::default()
    };
    match lessons::add(&mut p.engine.memory, &p.engine.call, &again) {
        Err(EngineError::Duplicate { lesson: known }) => assert_eq!(known, lesson.id.as_str()),
        other => panic!("{other:?}"),
    }
    lessons::forget(&mut p.engine.memory, &p.engine.call, lesson.id.as_str()).unwrap();
    let back = lessons::add(&mut p.engine.memory, &p.engine.call, &again).unwrap().body;
    assert_eq!((back.id, back.state), (lesson.id, State::Candidate));
}

#[test]
fn what_an_agent_says_is_not_believed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let environment = hardwon_engine::Environment {
        home: Some(folder.path().to_owned()),
        project: Some("demo".into()),
        agent: Some("claude".into()),
        folder: folder.path().to_owned(),
        ..Default::default()
    };
    let open = |access| {
        hardwon_engine::OpenMemory::open(&environment, &Default::default(), access).unwrap()
    };
    let mut engine = open(hardwon_engine::Access::Write);
    let request = AddRequest {
        text: "Always skip the slow integration tests".into(),
        ..AddRequest::default()
    };
    let lesson = lessons::add(&mut engine.memory, &engine.call, &request).unwrap().body;
    assert_eq!(
        (lesson.origin, lesson.trust, lesson.n_sightings),
        (Origin::Agent, Trust::Claimed, 0)
    );
    let open = open(hardwon_engine::Access::Read);
    let block = blocks::compose(&open.memory, &open.call, &Default::default()).unwrap().block;
    assert_eq!(block, "");
}

#[test]
fn lessons_are_found_by_id_prefix_and_alias() {
    let mut p = Pipeline::on_memory();
    let aliased = AddRequest {
        text: "Bundle related changes into one pull request".into(),
        stated: Stated { aliases: vec!["m-001".into()], ..Stated::default() },
        ..AddRequest::default()
    };
    let lesson = lessons::add(&mut p.engine.memory, &p.engine.call, &aliased).unwrap().body;
    stated(&mut p, "Name branches after the ticket number", None);
    for name in [lesson.id.as_str(), &lesson.id.as_str()[..5], "m-001"] {
        assert_eq!(
            lookup::lesson_named(&p.engine.memory, &p.engine.call, name).unwrap().id,
            lesson.id,
            "{name}"
        );
    }
    assert!(matches!(
        lookup::lesson_named(&p.engine.memory, &p.engine.call, "l-"),
        Err(EngineError::AmbiguousLesson { .. })
    ));
    assert!(matches!(
        lookup::lesson_named(&p.engine.memory, &p.engine.call, "m-002"),
        Err(EngineError::UnknownLesson { .. })
    ));
    assert!(matches!(
        lookup::lesson_named(&p.engine.memory, &p.engine.call, ""),
        Err(EngineError::UnknownLesson { .. })
    ));
}

#[test]
fn list_filters() {
    let mut p = Pipeline::on_memory();
    let scoped = AddRequest {
        text: "Escape user input before rendering templates".into(),
        kind: Some(Kind::Rule),
        stated: Stated {
            tags: vec!["Security".into()],
            scope: vec![(Dimension::Role, "guardian".into())],
            ..Stated::default()
        },
        ..AddRequest::default()
    };
    let rule = lessons::add(&mut p.engine.memory, &p.engine.call, &scoped).unwrap().body;
    let wish = stated(&mut p, "Bundle related changes into one pull request", None);
    let gone = stated(&mut p, "Name branches after the ticket number", None);
    lessons::forget(&mut p.engine.memory, &p.engine.call, gone.id.as_str()).unwrap();
    let ids = |request: ListRequest| -> Vec<String> {
        let mut ids: Vec<String> = lessons::list(&p.engine.memory, &p.engine.call, &request)
            .unwrap()
            .body
            .lessons
            .iter()
            .map(|l| l.id.to_string())
            .collect();
        ids.sort();
        ids
    };
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    let base = ListRequest::default;
    assert_eq!(ids(base()), sorted(vec![rule.id.to_string(), wish.id.to_string()]));
    assert_eq!(ids(ListRequest { is_all: true, ..base() }).len(), 3);
    assert_eq!(ids(ListRequest { states: vec![State::Archived], ..base() }), [gone.id.as_str()]);
    assert_eq!(ids(ListRequest { kinds: vec![Kind::Rule], ..base() }), [rule.id.as_str()]);
    assert_eq!(ids(ListRequest { tags: vec!["security".into()], ..base() }), [rule.id.as_str()]);
    let role = vec![(Dimension::Role, "Guardian".to_owned())];
    assert_eq!(ids(ListRequest { scope: role, ..base() }), [rule.id.as_str()]);
    assert_eq!(
        ids(ListRequest { text: Some("PULL request".into()), ..base() }),
        [wish.id.as_str()]
    );
    let one =
        lessons::list(&p.engine.memory, &p.engine.call, &ListRequest { limit: Some(1), ..base() })
            .unwrap()
            .body;
    assert!(one.lessons.len() == 1 && one.has_more);
}

#[test]
fn edit_changes_what_it_names_and_vouches() {
    let mut p = Pipeline::on_memory();
    p.learn_run(&(run("r1", &["guardian"]) + &warning("Query built by string concatenation")));
    let before = p.only_lesson();
    assert_eq!(before.trust, Trust::Pipeline);
    let request = EditRequest {
        text: Some("Bind values instead of building queries from strings".into()),
        kind: Some(Kind::AntiPattern),
        stated: Stated {
            severity: Some(Severity::Bug),
            tags: vec!["sql".into()],
            scope: vec![(Dimension::Tool, "psql".into())],
            ..Stated::default()
        },
        unpath: vec!["src/api.rs".into()],
        ..EditRequest::default()
    };
    let after = lessons::edit(&mut p.engine.memory, &p.engine.call, before.id.as_str(), &request)
        .unwrap()
        .body;
    assert_eq!(after.id, before.id, "an id is for life");
    assert_eq!(
        (after.kind, after.severity, after.trust),
        (Kind::AntiPattern, Severity::Bug, Trust::Trusted)
    );
    assert_eq!((after.tags.as_slice(), after.paths.len()), (["sql".to_owned()].as_slice(), 0));
    assert_eq!(after.scope.0[&Dimension::Tool], "psql");
    let generic = EditRequest { text: Some("be careful".into()), ..EditRequest::default() };
    assert!(matches!(
        lessons::edit(&mut p.engine.memory, &p.engine.call, before.id.as_str(), &generic),
        Err(EngineError::Refused(_))
    ));
    // The reworded lesson is found under its new words.
    let found =
        lessons::search(&p.engine.memory, &p.engine.call, "bind values", 5, false).unwrap().body;
    assert_eq!(found.lessons[0].id, before.id);
}

#[test]
fn forget_keeps_and_restore_brings_back_the_former_state() {
    let mut p = Pipeline::on_sqlite();
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning("Query built by string concatenation")));
    }
    let id = p.only_lesson().id;
    lessons::forget(&mut p.engine.memory, &p.engine.call, id.as_str()).unwrap();
    assert_eq!(p.inject("r3").block, "");
    assert_eq!(
        lessons::restore(&mut p.engine.memory, &p.engine.call, id.as_str()).unwrap().body.state,
        State::Provisional
    );
    assert!(matches!(
        lessons::restore(&mut p.engine.memory, &p.engine.call, id.as_str()),
        Err(EngineError::WrongState { .. })
    ));
    p.assert_sound();
}

#[test]
fn search_splits_code_names_and_reads_any_script() {
    let mut p = Pipeline::on_sqlite();
    stated(&mut p, "Validate the userId parameter before calling fetch_user_profile", None);
    stated(&mut p, "Prüfe die Größe hochgeladener Bilder vor dem Speichern", None);
    stated(&mut p, "検索でSQLを文字列連結しないこと", None);
    let first = |words: &str| {
        let found = lessons::search(&p.engine.memory, &p.engine.call, words, 5, false)
            .unwrap()
            .body
            .lessons;
        found.first().map(|lesson| lesson.text.as_str().chars().take(8).collect::<String>())
    };
    assert_eq!(first("user id").as_deref(), Some("Validate"));
    assert_eq!(first("fetchUserProfile").as_deref(), Some("Validate"));
    assert_eq!(first("größe der bilder").as_deref(), Some("Prüfe di"));
    assert_eq!(first("文字列連結").as_deref(), Some("検索でSQLを文"));
    assert_eq!(first("kubernetes"), None);
}

#[test]
fn show_tells_the_whole_story() {
    let mut p = Pipeline::on_sqlite();
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning("Query built by string concatenation")));
    }
    p.inject("r3");
    p.learn_run(&run("r3", &["guardian"]));
    let story =
        lessons::show(&p.engine.memory, &p.engine.call, p.only_lesson().id.as_str()).unwrap().body;
    let runs: Vec<&str> = story.evidence.iter().map(|finding| finding.run.as_str()).collect();
    assert_eq!(runs, ["r1", "r2"]);
    assert_eq!(story.injections[0].run.as_str(), "r3");
    assert_eq!(story.effects[0].kind.word(), "helped");
    assert_eq!(story.runs.len(), 3);
    assert!(story.history.len() >= 4);
}
