//! The repair that a reviewer names: kept with the finding, shown with the lesson, never lent by
//! somebody who is believed less, and no part of what a finding is recognized by.

use hardwon_engine::lesson::Trust;
use serde_json::json;

use crate::harness::{Home, LEAK, Pipeline, W, reworded, run, warning, warning_with};

const BIND: &str = "Bind the name as a parameter";

fn with(repair: &str) -> String {
    warning_with(W, json!({"repair": repair}))
}

fn learn_twice(p: &mut Pipeline, first: &str, second: &str) {
    p.learn_run(&(run("r1", &["guardian"]) + first));
    p.learn_run(&(run("r2", &["guardian"]) + second));
}

#[test]
fn a_repair_is_kept_and_shown() {
    for mut p in Pipeline::on_both() {
        learn_twice(&mut p, &with(BIND), &with("Use a query builder"));
        let lesson = p.only_lesson();
        assert_eq!(lesson.guidance.repair.as_deref(), Some(BIND), "the first one stays");
        let block = p.inject("r3").block;
        assert!(block.contains(&format!("- {W}; repair: {BIND} (")), "{block}");
        let page = p.show(lesson.id.as_str()).unwrap().body;
        assert_eq!(page.page.lesson.repair.as_deref(), Some(BIND));
        let kept: Vec<_> = page.page.evidence.iter().map(|one| one.repair.clone()).collect();
        assert_eq!(kept.iter().flatten().count(), 2);
        p.assert_sound();
    }
}

#[test]
fn a_finding_is_recognized_whatever_its_repair() {
    let mut p = Pipeline::on_memory();
    learn_twice(&mut p, &with(LEAK), &with("Delete the search"));
    assert_eq!(p.only_lesson().n_sightings, 2);
    p.learn_run(&(run("r3", &["guardian"]) + &warning_with(LEAK, json!({"repair": BIND}))));
    assert_eq!(p.lessons().len(), 2, "what is said to do is not what is wrong");
}

/// Other writers have other names for it; a later one is taken over.
#[test]
fn a_later_repair_is_taken_over_by_whatever_name() {
    for name in ["repair", "fix", "suggestion", "recommendation"] {
        let mut p = Pipeline::on_memory();
        learn_twice(&mut p, &warning(W), &warning_with(W, json!({name: BIND})));
        assert_eq!(p.only_lesson().guidance.repair.as_deref(), Some(BIND), "{name}");
    }
}

/// An agent's repair would be read as the reviewers' advice.
#[test]
fn who_is_believed_less_lends_no_repair() {
    let home = Home::new();
    let mut reviewers = home.open("home");
    learn_twice(&mut reviewers, &warning(W), &warning(W));
    drop(reviewers);
    let mut agent = home.open_as("claude");
    agent.learn_run(&(run("r3", &["claude"]) + &with(BIND)));
    assert_eq!(agent.only_lesson().guidance.repair, None);
}

/// Who states the words of an agent's lesson again confirms these words only.
#[test]
fn stating_the_text_confirms_no_agents_repair() {
    let home = Home::new();
    let mut agent = home.open_as("claude");
    agent.learn_run(&(run("r1", &["claude"]) + &with(BIND)));
    drop(agent);
    let mut person = home.open("home");
    let lesson = person.only_lesson();
    assert_eq!(lesson.guidance.repair.as_deref(), Some(BIND));
    let edited = person.edit(lesson.id.as_str(), &reworded(&format!("{W} form"))).unwrap().body;
    assert_eq!((edited.trust, edited.guidance.repair), (Trust::Trusted, None));
}

#[test]
fn an_erased_lesson_takes_its_repair_along() {
    let home = Home::new();
    for mut p in Pipeline::on_both() {
        learn_twice(&mut p, &with(BIND), &with(BIND));
        let id = p.only_lesson().id;
        p.forget_for_good(&home.environment("home"), id.as_str()).unwrap();
        let page = format!("{:?}", p.history(None, None).unwrap().body);
        assert!(!page.contains("Bind the name"), "{page}");
        p.assert_sound();
    }
}
