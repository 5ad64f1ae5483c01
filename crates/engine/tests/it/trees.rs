//! Runs within runs: what belongs to one root run counts once, whatever the order.

use hardwon_engine::answer::Status;
use hardwon_engine::ids::RunId;
use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::run::Outcome;
use hardwon_engine::{AddRequest, history, lessons, runs};

use crate::bench::{Pipeline, run, warning};

const W: &str = "Query built by string concatenation in the user search";

fn child(id: &str, parent: &str, detectors: &str) -> String {
    format!(
        "{{\"type\":\"run\",\"id\":\"{id}\",\"parent\":\"{parent}\",\"detectors\":[{detectors}]}}\n"
    )
}

#[test]
fn a_parent_that_becomes_known_after_the_outcome() {
    let mut p = Pipeline::on_sqlite();
    let c1 = RunId::parse("c1").unwrap();
    let wish =
        AddRequest { text: "Run the importer on the sample invoices".into(), ..Default::default() };
    lessons::add(&mut p.engine.memory, &p.engine.call, &wish).unwrap();
    assert!(!p.inject("c1").block.is_empty());
    runs::outcome(&mut p.engine.memory, &p.engine.call, &c1, Outcome::Success, false).unwrap();
    p.learn_run(&(child("c1", "r1", "\"guardian\"") + &warning(W)));
    p.learn_run(&(run("r1", &["guardian"]) + &warning(W)));
    let is_found = |lesson: &&Lesson| lesson.text.as_str() == W;
    let lessons = p.lessons();
    assert_eq!(lessons.iter().find(is_found).unwrap().n_sightings, 1, "one root run");
    p.assert_sound();
}

/// A run that only asked for a block and got an empty one is not known, and a pipeline
/// that states how it ended must go on.
#[test]
fn an_outcome_makes_a_run_known_and_counts_once_it_is_learned() {
    let mut p = Pipeline::on_sqlite();
    p.learn_run(&(run("r1", &["guardian"]) + &warning(W)));
    let number = |p: &Pipeline, run: &RunId| {
        runs::runs_show(&p.engine.memory, &p.engine.call, run).unwrap().body.run.number
    };
    let r2 = RunId::parse("r2").unwrap();
    let end = |p: &mut Pipeline| {
        runs::outcome(&mut p.engine.memory, &p.engine.call, &r2, Outcome::Failed, false).unwrap()
    };
    let answer = end(&mut p);
    assert_eq!(answer.status, Status::Degraded);
    assert!(answer.problems[0].reason.starts_with("not known before"), "{:?}", answer.problems);
    assert_eq!(end(&mut p).status, Status::Ok, "now it is known");
    assert_eq!(number(&p, &r2), None);
    assert_eq!(p.only_lesson().n_sightings, 1);
    for _ in 0..2 {
        p.learn(&(run("r2", &["guardian"]) + &warning(W)));
        assert_eq!((number(&p, &r2), p.only_lesson().n_sightings), (Some(2), 2));
    }
    p.assert_sound();
}

#[test]
fn an_outcome_stays() {
    let mut p = Pipeline::on_sqlite();
    let r1 = RunId::parse("r1").unwrap();
    p.learn_run(&(run("r1", &["guardian"]) + &warning(W)));
    runs::outcome(&mut p.engine.memory, &p.engine.call, &r1, Outcome::Failed, false).unwrap();
    runs::outcome(&mut p.engine.memory, &p.engine.call, &r1, Outcome::Failed, false).unwrap();
    let before =
        history::history(&p.engine.memory, &p.engine.call, None, None).unwrap().body.entries.len();
    let refused = runs::outcome(&mut p.engine.memory, &p.engine.call, &r1, Outcome::Success, false)
        .unwrap_err();
    assert_eq!(refused.to_string(), "r1 ended as failed already");
    assert_eq!(
        history::history(&p.engine.memory, &p.engine.call, None, None).unwrap().body.entries.len(),
        before,
        "nothing changed"
    );
    runs::outcome(&mut p.engine.memory, &p.engine.call, &r1, Outcome::Success, true).unwrap();
    assert_ne!(
        history::history(&p.engine.memory, &p.engine.call, None, None).unwrap().body.entries.len(),
        before
    );
}

#[test]
fn a_parent_that_becomes_known_after_learning_is_told_and_ignored() {
    let mut p = Pipeline::on_sqlite();
    p.learn_run(&(run("c1", &["guardian"]) + &warning(W)));
    let late = warning("Response lacks a content type header");
    let answer = p.learn(&(child("c1", "r1", "\"guardian\"") + &late));
    assert!(answer.problems[0].reason.contains("already learned"), "{:?}", answer.problems);
    assert_eq!(answer.body.runs[0].new.len(), 1, "the rest of the record is used");
    p.assert_sound();
}

#[test]
fn three_levels_in_any_order_are_one_root_run() {
    let grandchild = child("g", "c", "\"guardian\"") + &warning(W);
    let middle = child("c", "r", "\"guardian\"") + &warning(W);
    let root = run("r", &["guardian"]) + &warning(W);
    for record in [
        format!("{grandchild}{middle}{root}"),
        format!("{root}{middle}{grandchild}"),
        format!("{middle}{grandchild}{root}"),
    ] {
        let mut p = Pipeline::on_memory();
        p.learn(&record);
        assert_eq!((p.only_lesson().n_sightings, p.only_lesson().state), (1, State::Candidate));
        let status = p.engine.memory.store().status(&p.engine.call.project).unwrap();
        assert_eq!(status.run_number, 1);
    }
}

#[test]
fn a_cycle_of_parents_is_told() {
    let mut p = Pipeline::on_memory();
    let record = child("a", "b", "") + &warning(W) + &child("b", "a", "") + &warning(W);
    let answer = p.learn(&record);
    assert!(answer.problems.iter().any(|p| p.reason.contains("its own ancestor")));
    assert_eq!(answer.body.runs.len(), 2);
}

#[test]
fn detectors_of_children_count_for_decay_wherever_the_root_line_stands() {
    let mut p = Pipeline::on_memory();
    p.learn_run(&(run("r1", &["guardian"]) + &warning(W)));
    for n in 2..=11 {
        let root = run(&format!("r{n}"), &[]);
        let child = child(&format!("r{n}.a"), &format!("r{n}"), "\"guardian\"");
        p.learn(&(root + &child));
    }
    assert_eq!(p.only_lesson().state, State::Decayed);
}

#[test]
fn what_a_child_saw_neither_fades_nor_helps() {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
    }
    for n in 3..=21 {
        p.learn_run(&run(&format!("r{n}"), &["guardian"]));
    }
    p.inject("r22");
    let record = run("r22", &["guardian"]) + &child("r22.a", "r22", "") + &warning(W);
    let answer = p.learn(&record);
    let transitions: usize = answer.body.runs.iter().map(|run| run.transitions.len()).sum();
    assert_eq!(transitions, 0, "{answer:?}");
    let lesson = p.only_lesson();
    assert_eq!((lesson.state, lesson.n_sightings), (State::Provisional, 3));
    assert_eq!((lesson.effects.n_helped, lesson.effects.n_no_help), (0, 1));
}

#[test]
fn an_end_in_the_future_does_not_make_later_runs_backfills() {
    let mut p = Pipeline::on_memory();
    let ended = |id: &str, year: u32| {
        format!(
            "{{\"type\":\"run\",\"id\":\"{id}\",\"detectors\":[\"guardian\"],\
             \"finished\":\"{year}-01-01T00:00:00Z\"}}\n"
        )
    };
    let answer = p.learn(&(ended("r1", 2999) + &warning(W)));
    assert!(answer.problems[0].reason.contains("future"));
    assert!(!p.learn_run(&(ended("r2", 2026) + &warning(W))).is_backfill);
}
