//! Is what is said of lessons true? Sessions and histories of which it is known what became of
//! them, and how often a verdict is false.

use hardwon_core::lift::{self, Pool};
use hardwon_engine::effect::EffectKind;
use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::voice::Speaker;
use serde_json::json;

use crate::ended::ran;
use crate::harness::{Pipeline, Random, W, run_with, warning};

const MISSING: &str = "npm error Missing script: \"test\"";

fn fails() -> String {
    ran(1, "npm test", MISSING, true)
}

fn works(n: usize, command: &str) -> String {
    ran(n, command, "9 pass", false)
}

/// Two sessions in which `npm test` failed and `bun test` worked.
fn warned() -> Pipeline {
    let mut p = Pipeline::on_memory();
    for id in ["a", "b"] {
        p.keep(id, &(fails() + &works(2, "bun test")));
    }
    assert_eq!(p.only_lesson().state, State::Provisional);
    p
}

/// Shows the lesson to a session and learns what was done in it: the effect.
fn effect_of(p: &mut Pipeline, id: &str, turns: &str) -> Option<EffectKind> {
    p.inject(&format!("claude-{id}"));
    let learned = p.keep(id, turns).body.runs.remove(0);
    learned.effects.first().map(|effect| effect.kind.0)
}

#[test]
fn a_command_that_is_warned_of_is_looked_at_itself() {
    use EffectKind::*;
    for (name, turns, kind) in [
        ("heeded", works(1, "bun test"), Helped),
        ("failed again, and nothing repaired it", fails(), NoHelp),
        ("failed again, and was repaired", fails() + &works(2, "bun test"), NoHelp),
        ("failed again in a line", ran(1, "bun install && npm test", MISSING, true), NoHelp),
        ("works by now", works(1, "npm test"), Contradicted),
        ("another subcommand", works(1, "npm --version"), NoOpportunity),
        ("nothing of it", works(1, "git status"), NoOpportunity),
    ] {
        let mut p = warned();
        assert_eq!(effect_of(&mut p, "s", &turns), Some(kind), "{name}");
        p.assert_sound();
    }
}

#[test]
fn what_works_again_in_two_sessions_is_archived_as_outdated_and_told() {
    let mut p = warned();
    effect_of(&mut p, "s1", &works(1, "npm test"));
    assert_eq!(p.only_lesson().state, State::Provisional);
    p.inject("claude-s2");
    let learned = p.keep("s2", &works(1, "npm test")).body.runs.remove(0);
    let reason = "outdated: what it warns of worked in 2 sessions";
    assert_eq!(learned.transitions[0].reason, reason);
    assert_eq!(p.only_lesson().state, State::Archived);
    let report = p.report().unwrap().body;
    assert_eq!(report.given_up[0].because, reason);
    assert!(report.survived.is_empty() && report.contradicted.is_empty());
    // It fails again: the same lesson, which has to stand anew.
    for id in ["s3", "s4", "s5"] {
        p.keep(id, &(fails() + &works(2, "bun test")));
    }
    effect_of(&mut p, "s6", &works(1, "bun test"));
    assert_eq!(p.only_lesson().state, State::Provisional);
    p.assert_sound();
}

#[test]
fn what_is_never_heeded_stands_under_one_heading_and_is_given_up() {
    let mut p = Pipeline::confirmed();
    let back =
        |n: u32| run_with(&format!("r{n}"), json!({"detectors": ["guardian"]})) + &warning(W);
    for n in [3, 4] {
        p.inject(&format!("r{n}"));
        p.learn_run(&back(n));
    }
    let report = p.report().unwrap().body;
    let others = [&report.survived, &report.contradicted, &report.untested];
    assert_eq!(report.came_back.len(), 1);
    assert!(others.iter().all(|list| list.is_empty()) && report.given_up.is_empty());
    p.inject("r5");
    let learned = p.learn_run(&back(5));
    let reason = "given up: put to the test in 3 runs and never heeded";
    assert_eq!(learned.transitions[0].reason, reason);
    let report = p.report().unwrap().body;
    assert_eq!((report.given_up.len(), report.came_back.len()), (1, 0));
    assert_eq!(report.given_up[0].because, reason);
    assert_eq!(p.inject("r6").block, "");
}

/// What is known about a history, and what it is called in the figures.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    Heeded,
    Ignored,
    Outdated,
    Impossible,
    Rarer,
    NoEffect,
}

/// One session or run of a history.
fn next(truth: Truth, n: u32, random: &mut Random) -> String {
    let is_likely = random.below(10) < 9;
    let (share, path) = match truth {
        Truth::Heeded if is_likely => return works(1, "bun test"),
        Truth::Ignored if is_likely => return fails(),
        Truth::Outdated if is_likely => return works(1, "npm test"),
        Truth::Heeded | Truth::Ignored | Truth::Outdated => return works(1, "git status"),
        Truth::Impossible => (0, "src/other.rs"),
        Truth::Rarer => (60 / n as usize, "src/api.rs"),
        Truth::NoEffect => (20, "src/api.rs"),
    };
    let looked = json!({"detectors": ["guardian"], "paths": [path]});
    let back = if random.below(100) < share { warning(W) } else { String::new() };
    run_with(&format!("r{n}"), looked) + &back
}

fn played(truth: Truth, random: &mut Random) -> Pipeline {
    let is_session = matches!(truth, Truth::Heeded | Truth::Ignored | Truth::Outdated);
    let mut p = if is_session { warned() } else { Pipeline::confirmed() };
    p.call.speaker = Speaker::default();
    for n in 3..13 {
        let record = next(truth, n, random);
        if is_session {
            p.inject(&format!("claude-s{n}"));
            p.keep(&format!("s{n}"), &record);
        } else {
            p.inject(&format!("r{n}"));
            p.learn(&record);
        }
    }
    p
}

/// Whether something is said of a lesson that is not so.
fn is_false(truth: Truth, lesson: &Lesson) -> bool {
    let effects = &lesson.effects;
    let is_worth_told =
        lift::of_all(&Pool::of([&lesson.arms])).is_some_and(|lift| lift.works().is_some());
    let is_refuted = effects.n_contradicted + effects.n_hurt > 0;
    let is_gone = matches!(lesson.state, State::Archived | State::Decayed | State::UnderReview);
    is_worth_told
        || match truth {
            Truth::Heeded => is_refuted || is_gone || effects.n_no_help > 0,
            Truth::Ignored => is_refuted || effects.n_helped > 0 || lesson.state == State::Stable,
            Truth::Outdated => effects.n_helped + effects.n_no_help > 0 || !is_gone,
            Truth::Impossible => effects.n_tried() > 0 || lesson.state == State::Stable,
            Truth::Rarer | Truth::NoEffect => is_refuted || is_gone,
        }
}

#[test]
fn no_verdict_is_false_in_more_than_one_history_of_twenty() {
    use Truth::*;
    let n = if std::env::var_os("HARDWON_TEST_FULL").is_some() { 200 } else { 20 };
    let mut random = Random(42);
    for truth in [Heeded, Ignored, Outdated, Impossible, Rarer, NoEffect] {
        let lessons = (0..n).map(|_| played(truth, &mut random).only_lesson());
        let wrong: Vec<Lesson> = lessons.filter(|lesson| is_false(truth, lesson)).collect();
        assert!(wrong.len() * 20 <= n, "{truth:?}: {} of {n}: {:?}", wrong.len(), wrong[0].effects);
    }
}
