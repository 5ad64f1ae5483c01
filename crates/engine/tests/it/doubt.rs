//! What is in doubt, withdrawn or contradicted: it leaves every block at once, and no way
//! back leads higher than where it stood.

use hardwon_core::lesson::{Decision, State};
use hardwon_engine::AddRequest;
use hardwon_engine::lesson::Kind;

use crate::harness::{Pipeline, W, effect, finding, reworded, run, run_with, wish};
use serde_json::json;

const SESSIONS: &str = "Sessions survive a restart of the worker";

#[test]
fn doubt_never_ends_higher_than_it_began() {
    let mut p = Pipeline::on_memory();
    let candidate = p.state("Retry uploads after a timeout", Kind::Pattern);
    p.doubt(candidate.id.as_str(), "is it so").unwrap();
    assert_eq!(p.review(&candidate, Decision::Weaken).unwrap().state, State::Candidate);
    assert_eq!(p.inject("r1").block, "");
}

#[test]
fn a_block_is_not_served_again_once_a_lesson_in_it_is_withdrawn() {
    for decision in [Decision::Reject, Decision::Archive] {
        let mut p = Pipeline::confirmed();
        p.state(SESSIONS, Kind::Pattern);
        assert!(p.inject("r3").block.contains(W));
        assert!(p.inject("r3").is_repeat);
        p.review(&p.lesson_saying(W), decision).unwrap();
        let again = p.inject("r3");
        assert!(!again.block.contains(W) && !again.is_repeat, "{decision}");
        p.assert_sound();
    }
}

#[test]
fn a_reworded_lesson_is_served_in_its_new_words_and_both_blocks_are_recorded() {
    let mut p = Pipeline::confirmed();
    let id = p.only_lesson().id;
    p.inject("r3");
    p.edit(id.as_str(), &reworded("Bind the search terms as parameters of the query")).unwrap();
    let second = p.inject("r3");
    assert!(second.block.contains("Bind the search terms") && !second.is_repeat);
    assert!(p.inject("r3").is_repeat, "from then on the second one holds");
    assert_eq!(p.memory.store.injections(&p.call.project, &id).unwrap().len(), 2);
    p.assert_sound();
}

#[test]
fn an_effect_of_what_was_not_shown_is_told_and_not_applied() {
    let mut p = Pipeline::confirmed();
    let before = p.only_lesson();
    for id in ["r3", "r4"] {
        let answer = p.learn(&(run(id, &["guardian"]) + &effect(&before, "hurt", "astray")));
        assert!(answer.problems[0].reason.contains("was not shown in this run"));
    }
    assert_eq!((p.only_lesson().effects, p.only_lesson().state), (before.effects, before.state));
}

#[test]
fn a_second_record_does_not_change_how_a_run_ended() {
    let mut p = Pipeline::on_memory();
    p.learn_run(&run_with("r1", json!({"outcome": "failed"})));
    let answer = p.learn(&run_with("r1", json!({"outcome": "success"})));
    let reason = &answer.problems[0].reason;
    assert!(reason.contains("ended as failed already"), "{reason}");
    assert!(reason.contains("hardwon outcome r1 success --correct"), "{reason}");
}

#[test]
fn what_holds_for_all_projects_fades_by_days_alone() {
    let mut p = Pipeline::on_memory();
    let kind = Some(Kind::Pattern);
    let global = AddRequest { kind, is_global: true, ..wish(SESSIONS) };
    let lesson = p.add(&global).unwrap().body;
    p.review(&lesson, Decision::Approve).unwrap();
    p.later(31);
    assert_eq!(p.decay().unwrap().body.transitions.len(), 1, "no run of any project is needed");
}

/// Learns a finding twice and lets its lesson help three times, by a role of its own.
fn established(p: &mut Pipeline, role: &str, text: &str) {
    let seen = |n: usize| run(&format!("{role}-{n}"), &[role]);
    for n in 1..=2 {
        p.learn_run(&(seen(n) + &finding(role, "warning", text)));
    }
    for n in 3..=5 {
        p.inject(&format!("{role}-{n}"));
        p.learn_run(&seen(n));
    }
}

#[test]
fn two_established_lessons_that_tell_opposite_things_are_both_doubted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    // So that both can rise: what is opposed to a stable lesson would not be shown.
    let mut rules = hardwon_engine::policy::load("hardwon").unwrap();
    rules.ranking.conflicts = false;
    rules.budget.near_duplicate = 2.0;
    let mut p = Pipeline::at(&file, "demo");
    p.memory.policy = rules;
    established(&mut p, "guardian", "Always retry failed payment requests in the worker");
    established(&mut p, "sage", "Never retry failed payment requests in the worker");
    let states: Vec<State> = p.lessons().iter().map(|lesson| lesson.state).collect();
    assert_eq!(states, [State::Stable, State::Stable]);
    let mut p = Pipeline::at(&file, "demo");
    let swept = p.decay().unwrap().body;
    assert_eq!(swept.transitions.len(), 2);
    assert!(swept.transitions[0].reason.contains("which is stable too"));
    assert_eq!(p.inject("r9").block, "");
    p.assert_sound();
}
