//! Who may say what: agents, projects, secrets.

use hardwon_engine::need::Need;
use hardwon_engine::scope::Dimension;
use hardwon_engine::{AddRequest, EngineError, InjectRequest, Stated};
use serde_json::json;

use crate::harness::{Home, Pipeline, W, WISH, effect, line, reworded, run, warning_with, wish};

const SKIP: &str = "Always skip the slow integration tests";

fn block(p: &mut Pipeline) -> String {
    p.compose(&InjectRequest::default()).unwrap().block
}

#[test]
fn an_agent_cannot_speak_in_the_users_name() {
    let home = Home::new();
    let id = home.open("home").wish(WISH).id;
    let refused = home.open_as("bot").edit(id.as_str(), &reworded(SKIP)).unwrap_err();
    assert!(matches!(refused, EngineError::NeedsPerson { .. }), "{refused}");
    assert!(!block(&mut home.open("home")).contains(SKIP), "an agent's words are nobody's wish");
    home.open("home").edit(id.as_str(), &reworded(SKIP)).unwrap();
    assert!(block(&mut home.open("home")).contains(SKIP), "the user may say so");
}

#[test]
fn secrets_in_run_ids_are_known_by_their_digest() {
    let mut p = Pipeline::on_sqlite();
    let secret = ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    p.learn(&(run(&secret, &["guardian"]) + &warning_with(W, json!({}))));
    p.learn_finding("r2", W);
    p.inject(&secret);
    assert_eq!(p.check(&secret).n_shown, 1, "the same name finds the same run");
    let dump = format!("{:?}", p.memory.store.journal(&p.call.project, &Default::default()));
    assert!(!dump.contains(&secret));
    let unknown = line(json!({"type": "effect", "lesson": secret}), json!({"effect": "hurt"}));
    let answer = p.learn(&(run("r3", &[]) + &unknown));
    assert!(!format!("{:?}", answer.problems).contains(&secret));
}

#[test]
fn one_project_cannot_undo_anothers_operation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let global = AddRequest { is_global: true, ..wish("Answer in British English spelling") };
    Pipeline::at(&path, "a").add(&global).unwrap();
    let mut b = Pipeline::at(&path, "b");
    assert!(matches!(b.undo(), Err(EngineError::NothingToUndo)));
    let named = b.undo_operation(Some(1));
    assert!(matches!(named, Err(EngineError::UnknownOperation(_))), "{named:?}");
}

#[test]
fn an_injection_cannot_be_undone() {
    let mut p = Pipeline::confirmed();
    p.inject("r3");
    assert!(matches!(p.undo_operation(Some(3)), Err(EngineError::UndoRefused { .. })));
}

#[test]
fn lessons_for_others_do_not_take_the_places() {
    let mut p = Pipeline::on_memory();
    for n in 0..40 {
        let scope = vec![(Dimension::Domain, "writing".to_owned())];
        let stated = Stated { scope, ..Stated::default() };
        let text = format!("Chapter number {n} keeps its own narrator voice");
        p.add(&AddRequest { stated, ..wish(&text) }).unwrap();
    }
    p.wish(WISH);
    let need = Need { domain: Some("code".into()), ..Default::default() };
    assert!(p.inject_for(None, need).block.contains(WISH));
}

#[test]
fn an_alias_names_one_lesson() {
    let mut p = Pipeline::on_memory();
    let mut aliased = |text: &str| {
        let stated = Stated { aliases: vec!["m-001".into()], ..Stated::default() };
        p.add(&AddRequest { stated, ..wish(text) })
    };
    aliased(WISH).unwrap();
    let second = aliased("Name branches after the ticket number");
    assert!(matches!(second, Err(EngineError::AliasTaken { .. })), "{second:?}");
}

#[test]
fn projects_with_runs_of_the_same_name_each_count_for_a_global_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let (mut a, mut b) = (Pipeline::at(&path, "a"), Pipeline::at(&path, "b"));
    let global = AddRequest { is_global: true, ..wish("Answer in British English spelling") };
    let lesson = a.add(&global).unwrap().body;
    let hurt = effect(&lesson, "hurt", "the plan of a");
    for p in [&mut a, &mut b] {
        p.inject("r1");
        p.learn_run(&(run("r1", &["guardian"]) + &hurt));
    }
    assert_eq!(a.again(&lesson).effects.n_hurt, 2);
    // What one project concluded, and why, is not told to another.
    let story = Pipeline::at(&path, "c").show(lesson.id.as_str()).unwrap().body;
    assert_eq!(story.page.effects, []);
    assert!(!format!("{story:?}").contains("the plan of a"));
    b.assert_sound();
}
