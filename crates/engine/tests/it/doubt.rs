//! What is in doubt, withdrawn or contradicted: it leaves every block at once, and no way
//! back leads higher than where it stood.

use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::{Decision, Lesson, State};
use hardwon_core::time::Timestamp;
use hardwon_engine::lesson::Kind;
use hardwon_engine::{AddRequest, DecideRequest, EditRequest, lessons, runs};

use crate::bench::{Pipeline, finding, run, warning};

const W: &str = "Search query is glued together from strings";
const DAY: i64 = 86_400_000;

fn confirmed() -> Pipeline {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
    }
    p
}

fn stated(p: &mut Pipeline, text: &str, is_global: bool) -> Lesson {
    let kind = Some(Kind::Pattern);
    let request = AddRequest { text: text.to_owned(), kind, is_global, ..AddRequest::default() };
    lessons::add(&mut p.engine.memory, &p.engine.call, &request).unwrap().body
}

fn decide(p: &mut Pipeline, lesson: &Lesson, decision: Decision) -> Result<Lesson, String> {
    let request = DecideRequest {
        lesson: lesson.id.to_string(),
        decision,
        because: "looked at it".to_owned(),
        by: None,
        with: None,
    };
    lessons::decide(&mut p.engine.memory, &p.engine.call, &request)
        .map(|answer| answer.body)
        .map_err(|error| error.to_string())
}

fn later(p: &mut Pipeline, days: i64) {
    let now = p.engine.call.now;
    p.engine.call.now = Timestamp(now.0 + days * DAY);
}

#[test]
fn doubt_never_ends_higher_than_it_began() {
    let mut p = Pipeline::on_memory();
    let candidate = stated(&mut p, "Retry uploads after a timeout", false);
    lessons::doubt(&mut p.engine.memory, &p.engine.call, candidate.id.as_str(), "is it so")
        .unwrap();
    let weakened = decide(&mut p, &candidate, Decision::Weaken).unwrap();
    assert_eq!(weakened.state, State::Candidate);
    assert_eq!(p.inject("r1").block, "");
}

#[test]
fn a_block_is_not_served_again_once_a_lesson_in_it_is_withdrawn() {
    for decision in [Decision::Reject, Decision::Archive] {
        let mut p = confirmed();
        stated(&mut p, "Sessions survive a restart of the worker", false);
        let served = p.inject("r3");
        assert!(served.block.contains(W));
        let lesson = served.lessons[0].lesson.clone();
        assert!(p.inject("r3").is_repeat);
        decide(&mut p, &lesson, decision).unwrap();
        let again = p.inject("r3");
        assert!(!again.block.contains(W) && !again.is_repeat, "{decision}");
        p.assert_sound();
    }
}

#[test]
fn a_reworded_lesson_is_served_in_its_new_words_and_both_blocks_are_recorded() {
    let mut p = confirmed();
    let id = p.only_lesson().id;
    p.inject("r3");
    let text = Some("Bind the search terms as parameters of the query".to_owned());
    lessons::edit(
        &mut p.engine.memory,
        &p.engine.call,
        id.as_str(),
        &EditRequest { text, ..EditRequest::default() },
    )
    .unwrap();
    let second = p.inject("r3");
    assert!(second.block.contains("Bind the search terms") && !second.is_repeat);
    assert!(p.inject("r3").is_repeat, "from then on the second one holds");
    let injections = p.engine.memory.store().injections(&ProjectId::new("demo"), &id).unwrap();
    assert_eq!(injections.len(), 2);
    p.assert_sound();
}

#[test]
fn an_effect_of_what_was_not_shown_is_told_and_not_applied() {
    let mut p = confirmed();
    let before = p.only_lesson();
    let line =
        format!("{{\"type\":\"effect\",\"lesson\":\"{}\",\"effect\":\"hurt\"}}\n", before.id);
    for id in ["r3", "r4"] {
        let answer = p.learn(&(run(id, &["guardian"]) + &line));
        assert!(answer.problems[0].reason.contains("was not shown in this run"));
    }
    assert_eq!((p.only_lesson().effects, p.only_lesson().state), (before.effects, before.state));
}

#[test]
fn a_second_record_does_not_change_how_a_run_ended() {
    let mut p = Pipeline::on_memory();
    p.learn_run("{\"type\":\"run\",\"id\":\"r1\",\"outcome\":\"failed\"}\n");
    let answer = p.learn("{\"type\":\"run\",\"id\":\"r1\",\"outcome\":\"success\"}\n");
    let reason = &answer.problems[0].reason;
    assert!(reason.contains("ended as failed already"), "{reason}");
    assert!(reason.contains("hardwon outcome r1 success --correct"), "{reason}");
}

#[test]
fn learning_ends_reviews_and_review_dates_in_time() {
    let mut p = confirmed();
    let doubted = stated(&mut p, "Sessions survive a restart of the worker", false);
    lessons::doubt(&mut p.engine.memory, &p.engine.call, doubted.id.as_str(), "it misled us")
        .unwrap();
    later(&mut p, 61);
    for n in 3..=14 {
        p.learn_run(&run(&format!("r{n}"), &["nobody"]));
    }
    let states: Vec<State> = p.lessons().iter().map(|lesson| lesson.state).collect();
    assert!(states.contains(&State::Archived) && states.contains(&State::Decayed), "{states:?}");
}

#[test]
fn what_holds_for_all_projects_fades_by_days_alone() {
    let mut p = Pipeline::on_memory();
    let lesson = stated(&mut p, "Sessions survive a restart of the worker", true);
    decide(&mut p, &lesson, Decision::Approve).unwrap();
    later(&mut p, 31);
    let swept = runs::decay(&mut p.engine.memory, &p.engine.call).unwrap().body;
    assert_eq!(swept.transitions.len(), 1, "no run of any project is needed");
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
    rules.ranking.conflict_words = 2.0;
    rules.budget.near_duplicate = 2.0;
    let mut p = Pipeline::at_with(&file, rules);
    established(&mut p, "guardian", "Always retry failed payment requests in the worker");
    established(&mut p, "sage", "Never retry failed payment requests in the worker");
    let states: Vec<State> = p.lessons().iter().map(|lesson| lesson.state).collect();
    assert_eq!(states, [State::Stable, State::Stable]);
    let mut p = Pipeline::at(&file, "demo");
    let swept = runs::decay(&mut p.engine.memory, &p.engine.call).unwrap().body;
    assert_eq!(swept.transitions.len(), 2);
    assert!(swept.transitions[0].1.reason.contains("which is stable too"));
    assert_eq!(p.inject("r9").block, "");
    p.assert_sound();
}
