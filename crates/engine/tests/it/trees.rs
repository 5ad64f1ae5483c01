//! Runs within runs: what belongs to one root run counts once, whatever the order.

use hardwon_engine::answer::Status;
use hardwon_engine::lesson::State;
use hardwon_engine::run::Outcome;
use serde_json::json;

use crate::harness::{Pipeline, W, run, run_id, run_with, warning};

fn child(id: &str, parent: &str, detectors: &[&str]) -> String {
    run_with(id, json!({"parent": parent, "detectors": detectors}))
}

#[test]
fn a_parent_that_becomes_known_after_the_outcome() {
    let mut p = Pipeline::on_sqlite();
    p.wish("Run the importer on the sample invoices");
    assert!(!p.inject("c1").block.is_empty());
    p.outcome("c1", Outcome::Success, false).unwrap();
    p.learn_run(&(child("c1", "r1", &["guardian"]) + &warning(W)));
    p.learn_finding("r1", W);
    assert_eq!(p.lesson_saying(W).n_sightings, 1, "one root run");
    p.assert_sound();
}

/// A run that only asked for a block and got an empty one is not known, and a pipeline
/// that states how it ended must go on.
#[test]
fn an_outcome_makes_a_run_known_and_counts_once_it_is_learned() {
    let mut p = Pipeline::on_sqlite();
    p.learn_finding("r1", W);
    let number = |p: &mut Pipeline| p.runs_show(&run_id("r2")).unwrap().body.run.number;
    let answer = p.outcome("r2", Outcome::Failed, false).unwrap();
    assert_eq!(answer.status, Status::Degraded);
    assert!(answer.problems[0].reason.starts_with("not known before"), "{:?}", answer.problems);
    let again = p.outcome("r2", Outcome::Failed, false).unwrap();
    assert_eq!(again.status, Status::Ok, "now it is known");
    assert_eq!(number(&mut p), None);
    assert_eq!(p.only_lesson().n_sightings, 1);
    for _ in 0..2 {
        p.learn(&(run("r2", &["guardian"]) + &warning(W)));
        assert_eq!((number(&mut p), p.only_lesson().n_sightings), (Some(2), 2));
    }
    p.assert_sound();
}

#[test]
fn an_outcome_stays() {
    let mut p = Pipeline::on_sqlite();
    p.learn_finding("r1", W);
    p.outcome("r1", Outcome::Failed, false).unwrap();
    p.outcome("r1", Outcome::Failed, false).unwrap();
    let before = p.n_entries();
    let refused = p.outcome("r1", Outcome::Success, false).unwrap_err();
    assert_eq!(refused.to_string(), "r1 ended as failed already");
    assert_eq!(p.n_entries(), before, "nothing changed");
    p.outcome("r1", Outcome::Success, true).unwrap();
    assert_ne!(p.n_entries(), before);
}

#[test]
fn a_parent_that_becomes_known_after_learning_is_told_and_ignored() {
    let mut p = Pipeline::on_sqlite();
    p.learn_finding("c1", W);
    let late = warning("Response lacks a content type header");
    let answer = p.learn(&(child("c1", "r1", &["guardian"]) + &late));
    assert!(answer.problems[0].reason.contains("already learned"), "{:?}", answer.problems);
    assert_eq!(answer.body.runs[0].new.len(), 1, "the rest of the record is used");
    p.assert_sound();
}

#[test]
fn three_levels_in_any_order_are_one_root_run() {
    let grandchild = child("g", "c", &["guardian"]) + &warning(W);
    let middle = child("c", "r", &["guardian"]) + &warning(W);
    let root = run("r", &["guardian"]) + &warning(W);
    for record in [
        format!("{grandchild}{middle}{root}"),
        format!("{root}{middle}{grandchild}"),
        format!("{middle}{grandchild}{root}"),
    ] {
        let mut p = Pipeline::on_memory();
        p.learn(&record);
        assert_eq!((p.only_lesson().n_sightings, p.only_lesson().state), (1, State::Candidate));
        assert_eq!(p.memory.store.status(&p.call.project).unwrap().run_number, 1);
    }
}

#[test]
fn a_cycle_of_parents_is_told() {
    let mut p = Pipeline::on_memory();
    let record = child("a", "b", &[]) + &warning(W) + &child("b", "a", &[]) + &warning(W);
    let answer = p.learn(&record);
    assert!(answer.problems.iter().any(|p| p.reason.contains("its own ancestor")));
    assert_eq!(answer.body.runs.len(), 2);
}

#[test]
fn detectors_of_children_count_for_decay_wherever_the_root_line_stands() {
    let mut p = Pipeline::on_memory();
    p.learn_finding("r1", W);
    let n_runs = u64::from(p.memory.policy.decay.candidate_runs_per_step);
    for n in 2..=n_runs + 1 {
        let root = format!("r{n}");
        p.learn(&(run(&root, &[]) + &child(&format!("{root}.a"), &root, &["guardian"])));
    }
    assert_eq!(p.only_lesson().state, State::Decayed);
}

#[test]
fn what_a_child_saw_neither_fades_nor_helps() {
    let mut p = Pipeline::confirmed();
    p.learn_clean(3..=21);
    p.inject("r22");
    let record = run("r22", &["guardian"]) + &child("r22.a", "r22", &[]) + &warning(W);
    let answer = p.learn(&record);
    assert!(answer.body.runs.iter().all(|run| run.transitions.is_empty()), "{answer:?}");
    let lesson = p.only_lesson();
    assert_eq!((lesson.state, lesson.n_sightings), (State::Provisional, 3));
    assert_eq!((lesson.effects.n_helped, lesson.effects.n_no_help), (0, 1));
}

#[test]
fn an_end_in_the_future_does_not_make_later_runs_backfills() {
    let mut p = Pipeline::on_memory();
    let ended = |id: &str, year: u32| {
        let finished = format!("{year}-01-01T00:00:00Z");
        run_with(id, json!({"detectors": ["guardian"], "finished": finished})) + &warning(W)
    };
    assert!(p.learn(&ended("r1", 2999)).problems[0].reason.contains("future"));
    assert!(!p.learn_run(&ended("r2", 2026)).is_backfill);
}
