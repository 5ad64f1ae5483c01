//! Runs that are looked back upon: what they teach, that it counts once, and that it is
//! put to the test like any other lesson.

use hardwon_core::effect::EffectKind;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::reflect::AUTHOR;
use hardwon_engine::answer::RunLearned;
use hardwon_engine::{About, ReflectRequest, runs};
use serde_json::json;

use crate::harness::{Pipeline, line, run_with};

/// One thing that was done.
fn step(tool: &str, action: &str, ok: bool, output: &str) -> String {
    let kind = if tool == "edit" { "edit" } else { "command" };
    line(
        json!({"type": "step", "kind": kind, "tool": tool, "action": action}),
        json!({"ok": ok, "output": output}),
    )
}

fn run(id: &str, agent: &str, outcome: &str) -> String {
    let session = format!("s-{id}");
    let of_task = json!({"agent": agent, "outcome": outcome, "session": session, "task": "T-1"});
    run_with(id, of_task)
}

const FAILED: &str = "test totals ... FAILED\ntest result: FAILED. 3 passed; 1 failed";

fn failing(id: &str) -> String {
    run(id, "maker", "failed")
        + &step("edit", "src/totals.rs", true, "")
        + &step("bash", "make test", false, FAILED)
}

fn passing(id: &str) -> String {
    run(id, "maker", "success")
        + &step("edit", "src/totals.rs", true, "")
        + &step("bash", "make test", true, "")
}

fn about_tests(p: &Pipeline) -> Lesson {
    let all = p.lessons();
    let is_it = |lesson: &&Lesson| lesson.text.as_str().contains("before committing");
    let found: Vec<&Lesson> = all.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{all:#?}");
    found[0].clone()
}

fn kinds(learned: &RunLearned) -> Vec<EffectKind> {
    learned.effects.iter().map(|effect| effect.kind.0).collect()
}

#[test]
fn what_fails_again_is_a_lesson_in_the_next_block() {
    for mut p in Pipeline::on_both() {
        p.learn(&failing("r1"));
        assert!(p.lessons().is_empty(), "one failure is none: {:#?}", p.lessons());
        p.learn(&failing("r2"));
        p.learn(&passing("r3"));
        let lesson = about_tests(&p);
        assert_eq!((lesson.state, lesson.author.as_str()), (State::Provisional, AUTHOR));
        assert!(lesson.guidance.rule.as_deref().is_some_and(|rule| rule.starts_with("IF ")));
        let shown = p.inject("r4");
        assert!(shown.block.contains("before committing"), "{}", shown.block);
        let after = p.learn_run(&passing("r4"));
        assert_eq!(kinds(&after), [EffectKind::Helped]);
        p.inject("r5");
        let again = p.learn_run(&failing("r5"));
        assert_eq!(kinds(&again), [EffectKind::NoHelp]);
        p.assert_sound();
    }
}

#[test]
fn each_run_counts_once_however_often_it_is_looked_at() {
    let mut p = Pipeline::on_memory();
    p.learn(&failing("r1"));
    p.learn(&failing("r2"));
    let before = about_tests(&p);
    assert_eq!(before.n_sightings, 2);
    for _ in 0..2 {
        p.learn(&failing("r2"));
        let request = ReflectRequest::of(About::Days(36_500));
        let answer = p.reflect(&request).unwrap();
        assert!(answer.body.created.is_empty(), "{:?}", answer.body.created);
        assert_eq!(answer.body.runs.len(), 2);
        assert_eq!(about_tests(&p), before);
    }
}

#[test]
fn what_an_agent_tells_of_its_steps_teaches_nothing() {
    let mut p = Pipeline::on_memory();
    p.set_caller(Some("claude"));
    for id in ["r1", "r2", "r3"] {
        let mistake = step("bash", "npm test", false, "npm error Missing script: test");
        p.learn(&(run(id, "maker", "failed") + &mistake + &step("bash", "pnpm test", true, "")));
    }
    // It could have written every line; a host that kept the session saw it.
    assert!(p.lessons().is_empty(), "{:#?}", p.lessons());
}

#[test]
fn switched_off_it_leaves_everything_as_it_is() {
    let mut rules = hardwon_engine::policy::load("hardwon").unwrap();
    rules.reflection.is_enabled = false;
    let mut p = Pipeline::with_rules(rules);
    p.learn(&failing("r1"));
    p.learn(&failing("r2"));
    assert!(p.lessons().is_empty());
    let (call, about) = (p.call.clone(), About::Session("s-r2".to_owned()));
    let reflected = runs::reflect(&mut p.memory, &call, &ReflectRequest::of(about)).unwrap();
    let skipped = reflected.body.skipped.unwrap_or_default();
    assert!(skipped.contains("switched off"), "{skipped}");
}

#[test]
fn a_warning_goes_when_what_it_warns_of_works() {
    let install = |id: &str, ok: bool| {
        let output = if ok { "" } else { "npm ERR! code ENOTFOUND: getaddrinfo failed" };
        run(id, "maker", if ok { "success" } else { "failed" })
            + &step("bash", "npm install", ok, output)
    };
    let mut p = Pipeline::on_memory();
    p.learn(&install("r1", false));
    p.learn(&install("r2", false));
    let warned = p.only_lesson();
    assert_eq!(warned.state, State::Provisional, "{warned:#?}");
    p.learn(&install("r3", true));
    assert_eq!(p.only_lesson().state, State::Provisional, "once may be luck");
    let fourth = p.learn_run(&install("r4", true));
    assert_eq!(p.only_lesson().state, State::Decayed);
    let reason = &fourth.transitions[0].reason;
    assert!(reason.contains("went well"), "{reason}");
    // It fails again: the lesson is back, and has to stand anew.
    p.learn(&install("r5", false));
    assert_eq!(p.only_lesson().state, State::Candidate);
    p.assert_sound();
}

#[test]
fn a_run_that_did_not_try_it_says_nothing_about_it() {
    let mut p = Pipeline::on_memory();
    p.learn(&failing("r1"));
    p.learn(&failing("r2"));
    p.inject("r3");
    let other = run("r3", "maker", "success") + &step("bash", "cargo doc", true, "");
    let learned = p.learn_run(&other);
    assert_eq!(kinds(&learned), [EffectKind::NoOpportunity]);
}
