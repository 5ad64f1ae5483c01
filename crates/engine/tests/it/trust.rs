//! Who may say what: agents, projects, secrets, and what is concluded from rulings.

use hardwon_engine::ids::{OperationId, RunId};
use hardwon_engine::lesson::State;
use hardwon_engine::{
    Access, AddRequest, EditRequest, EngineError, Environment, InjectRequest, OpenMemory, Stated,
    blocks, history, lessons, lookup, runs,
};

use crate::bench::{Pipeline, run, warning};

const W: &str = "Query built by string concatenation in the user search";

fn wish(text: &str) -> AddRequest {
    AddRequest { text: text.into(), ..AddRequest::default() }
}

fn confirmed() -> Pipeline {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
    }
    p
}

#[test]
fn an_agent_cannot_speak_in_the_users_name() {
    let folder = tempfile::tempdir().unwrap();
    let open = |agent: Option<&str>| {
        let environment = Environment {
            home: Some(folder.path().to_owned()),
            project: Some("demo".into()),
            agent: agent.map(str::to_owned),
            folder: folder.path().to_owned(),
            ..Environment::default()
        };
        OpenMemory::open(&environment, &Default::default(), Access::Write).unwrap()
    };
    let mut mine = open(None);
    let id = lessons::add(
        &mut mine.memory,
        &mine.call,
        &wish("Bundle related changes into one pull request"),
    )
    .unwrap()
    .body
    .id;
    let reword = EditRequest {
        text: Some("Always skip the slow integration tests".into()),
        ..EditRequest::default()
    };
    let mut bot = open(Some("bot"));
    let refused = lessons::edit(&mut bot.memory, &bot.call, id.as_str(), &reword).unwrap_err();
    assert!(matches!(refused, EngineError::NeedsPerson { .. }), "{refused}");
    let mine = open(None);
    let block = blocks::compose(&mine.memory, &mine.call, &InjectRequest::default()).unwrap().block;
    assert!(!block.contains("skip the slow"), "an agent's words are nobody's wish");
    let mut mine = open(None);
    lessons::edit(&mut mine.memory, &mine.call, id.as_str(), &reword).unwrap();
    let mine = open(None);
    let block = blocks::compose(&mine.memory, &mine.call, &InjectRequest::default()).unwrap().block;
    assert!(block.contains("skip the slow"), "the user may say so");
}

#[test]
fn an_agents_claim_does_not_stand_in_a_reviewers_way() {
    let mut p = confirmed();
    let id = p.only_lesson().id;
    lessons::forget(&mut p.engine.memory, &p.engine.call, id.as_str()).unwrap();
    let mut lesson = p.only_lesson();
    lesson.origin = hardwon_engine::lesson::Origin::Agent;
    lesson.author = "bot".into();
    lesson.grade = None;
    lesson.state = State::Candidate;
    let policy = hardwon_engine::policy::load("hardwon").unwrap().promotion;
    let step = hardwon_core::lifecycle::promotion(&lesson, &[], &policy);
    assert_eq!(step.unwrap().to, State::Provisional, "bot and guardian are two voices");
}

#[test]
fn what_a_person_states_was_seen_in_no_run() {
    let mut p = Pipeline::on_memory();
    let request = AddRequest {
        kind: Some(hardwon_engine::lesson::Kind::Pattern),
        ..wish("Retry loops forget to back off")
    };
    let lesson = lessons::add(&mut p.engine.memory, &p.engine.call, &request).unwrap().body;
    assert_eq!((lesson.n_sightings, lesson.standing), (0, 1));
    let learned =
        p.learn_run(&(run("r1", &["guardian"]) + &warning("Retry loops forget to back off")));
    assert_eq!(learned.transitions[0].1.reason, "stated by a person and seen in a run");
    assert_eq!(p.only_lesson().n_sightings, 1);
}

#[test]
fn a_ruling_against_a_shown_lesson_contradicts_it() {
    let mut p = confirmed();
    p.inject("r3");
    let ruling = format!(
        "{{\"type\":\"verdict\",\"author\":\"judge\",\"grade\":\"executed\",\"false_positives\":[\"{W}\"]}}\n"
    );
    let learned = p.learn_run(&(run("r3", &["guardian"]) + &warning(W) + &ruling));
    assert_eq!(learned.effects[0].1.kind.word(), "contradicted");
    assert_eq!((p.only_lesson().n_sightings, p.only_lesson().confidence), (2, 0.4));
}

#[test]
fn an_echo_is_no_success_either() {
    let mut p = confirmed();
    let need = hardwon_engine::need::Need { role: Some("Guardian".into()), ..Default::default() };
    p.inject_for(Some("r3"), need);
    let echo = format!(
        "{{\"type\":\"finding\",\"author\":\"guardian\",\"severity\":\"warning\",\"text\":\"{W}\",\"grade\":\"reasoned\"}}\n"
    );
    let answer = p.learn(&(run("r3", &["guardian"]) + &echo));
    assert_eq!(answer.body.runs[0].effects[0].1.kind.word(), "neutral");
    assert_eq!((p.only_lesson().n_sightings, p.only_lesson().confidence), (2, 0.6));
}

#[test]
fn a_stated_effect_survives_more_news_about_the_run() {
    let mut p = confirmed();
    let id = p.only_lesson().id;
    p.inject("r3");
    let stated = format!(
        "{{\"type\":\"effect\",\"lesson\":\"{id}\",\"effect\":\"helped\",\"because\":\"saw it\"}}\n"
    );
    p.learn_run(&(run("r3", &[]) + &stated));
    p.learn_run(&(run("r3", &[]) + &warning("Response lacks a content type header")));
    runs::check(&mut p.engine.memory, &p.engine.call, &RunId::parse("r3").unwrap()).unwrap();
    let lesson = lookup::lesson_named(&p.engine.memory, &p.engine.call, id.as_str()).unwrap();
    assert_eq!((lesson.effects.n_helped, lesson.effects.n_no_opportunity), (1, 0));
}

#[test]
fn learning_again_changes_nothing_even_if_more_is_known_by_now() {
    let mut p = confirmed();
    p.inject("r3");
    let r3 = run("r3", &["sage"]);
    assert_eq!(p.learn_run(&r3).effects[0].1.kind.word(), "no_opportunity");
    p.learn_run(&(run("r4", &["sage"]) + &warning(W).replace("guardian", "sage")));
    assert!(p.learn_run(&r3).is_known);
    assert_eq!(p.only_lesson().effects.n_helped, 0);
}

#[test]
fn secrets_in_run_ids_are_known_by_their_digest() {
    let mut p = Pipeline::on_sqlite();
    let secret = ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    p.learn(&(run(&secret, &["guardian"]) + &warning(W)));
    p.learn(&(run("r2", &["guardian"]) + &warning(W)));
    p.inject(&secret);
    let id = RunId::parse(&secret).unwrap();
    let checked = runs::check(&mut p.engine.memory, &p.engine.call, &id).unwrap();
    assert_eq!(checked.body.n_shown, 1, "the same name finds the same run");
    let dump = format!(
        "{:?}",
        p.engine.memory.store().journal(&p.engine.call.project, &Default::default())
    );
    assert!(!dump.contains(&secret));
    let unknown = format!("{{\"type\":\"effect\",\"lesson\":\"{secret}\",\"effect\":\"hurt\"}}\n");
    let answer = p.learn(&(run("r3", &[]) + &unknown));
    assert!(!format!("{:?}", answer.problems).contains(&secret));
}

#[test]
fn one_project_cannot_undo_anothers_operation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let open = |project: &str| Pipeline::at(&path, project).engine;
    let global = AddRequest { is_global: true, ..wish("Answer in British English spelling") };
    let mut a = open("a");
    lessons::add(&mut a.memory, &a.call, &global).unwrap();
    let mut b = open("b");
    let newest = history::undo(&mut b.memory, &b.call, None);
    assert!(matches!(newest, Err(EngineError::NothingToUndo)));
    let named = history::undo(&mut b.memory, &b.call, Some(OperationId(1)));
    assert!(matches!(named, Err(EngineError::UnknownOperation(_))), "{named:?}");
}

#[test]
fn an_injection_cannot_be_undone() {
    let mut p = confirmed();
    p.inject("r3");
    assert!(matches!(
        history::undo(&mut p.engine.memory, &p.engine.call, Some(OperationId(3))),
        Err(EngineError::UndoRefused { .. })
    ));
}

#[test]
fn a_restored_lesson_does_not_fade_at_once() {
    let mut p = confirmed();
    for n in 3..=22 {
        p.learn_run(&run(&format!("r{n}"), &["guardian"]));
    }
    assert_eq!(p.only_lesson().state, State::Decayed);
    let id = p.only_lesson().id;
    lessons::restore(&mut p.engine.memory, &p.engine.call, id.as_str()).unwrap();
    p.learn_run(&run("r23", &["guardian"]));
    assert_eq!(p.only_lesson().state, State::Candidate);
}

#[test]
fn lessons_for_others_do_not_take_the_places() {
    let mut p = Pipeline::on_memory();
    for n in 0..40 {
        let scope = vec![(hardwon_engine::scope::Dimension::Domain, "writing".to_owned())];
        let stated = Stated { scope, ..Stated::default() };
        let text = format!("Chapter number {n} keeps its own narrator voice");
        lessons::add(&mut p.engine.memory, &p.engine.call, &AddRequest { stated, ..wish(&text) })
            .unwrap();
    }
    lessons::add(
        &mut p.engine.memory,
        &p.engine.call,
        &wish("Bundle related changes into one pull request"),
    )
    .unwrap();
    let need = hardwon_engine::need::Need { domain: Some("code".into()), ..Default::default() };
    assert!(p.inject_for(None, need).block.contains("Bundle related"));
}

#[test]
fn an_alias_names_one_lesson() {
    let mut p = Pipeline::on_memory();
    let aliased = |text: &str| AddRequest {
        stated: Stated { aliases: vec!["m-001".into()], ..Stated::default() },
        ..wish(text)
    };
    lessons::add(
        &mut p.engine.memory,
        &p.engine.call,
        &aliased("Bundle related changes into one pull request"),
    )
    .unwrap();
    let second = lessons::add(
        &mut p.engine.memory,
        &p.engine.call,
        &aliased("Name branches after the ticket number"),
    );
    assert!(matches!(second, Err(EngineError::AliasTaken { .. })), "{second:?}");
}

#[test]
fn two_tools_fingerprints_are_two_findings() {
    let mut p = Pipeline::on_memory();
    let with = |text: &str, print: &str| {
        warning(text).replace("\"grade\"", &format!("\"fingerprint\":\"{print}\",\"grade\""))
    };
    let record = run("r1", &["guardian"])
        + &with("Cache key leaves out the tenant", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY")
        + &with("Mailer sends before the commit", "zY8xW6vU4tS2rQ0pN8mL6kJ4hG2fE0dC");
    assert_eq!(p.learn_run(&record).new.len(), 2);
    // The same print in quite other words is the same finding.
    let again = with("tenant id missing when computing keys", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY");
    assert_eq!(p.learn_run(&(run("r2", &["guardian"]) + &again)).matched.len(), 1);
}

#[test]
fn a_large_limit_is_no_trouble() {
    let p = confirmed();
    assert_eq!(
        lessons::search(&p.engine.memory, &p.engine.call, "query", 5000, true)
            .unwrap()
            .body
            .lessons
            .len(),
        1
    );
    let request = InjectRequest { budget: Some(u32::MAX), ..InjectRequest::default() };
    assert!(!blocks::compose(&p.engine.memory, &p.engine.call, &request).unwrap().block.is_empty());
}

#[test]
fn projects_with_runs_of_the_same_name_each_count_for_a_global_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let open = |project: &str| Pipeline::at(&path, project);
    let (mut a, mut b) = (open("a"), open("b"));
    let global = AddRequest { is_global: true, ..wish("Answer in British English spelling") };
    let id = lessons::add(&mut a.engine.memory, &a.engine.call, &global).unwrap().body.id;
    let hurt = format!(
        "{{\"type\":\"effect\",\"lesson\":\"{id}\",\"effect\":\"hurt\",\"because\":\"the plan of a\"}}\n"
    );
    for p in [&mut a, &mut b] {
        p.inject("r1");
        p.learn_run(&(run("r1", &["guardian"]) + &hurt));
    }
    assert_eq!(
        lookup::lesson_named(&a.engine.memory, &a.engine.call, id.as_str()).unwrap().effects.n_hurt,
        2
    );
    // What one project concluded, and why, is not told to another.
    let c = open("c").engine;
    let story = lessons::show(&c.memory, &c.call, id.as_str()).unwrap().body;
    assert_eq!(story.effects, []);
    assert!(!format!("{story:?}").contains("the plan of a"));
    b.assert_sound();
}
