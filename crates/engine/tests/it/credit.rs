//! What is concluded about lessons that were shown, and what fades.

use hardwon_core::policy::CreditMode;
use hardwon_engine::effect::{FollowUp, Surface};
use hardwon_engine::lesson::State;
use hardwon_engine::policy;
use hardwon_engine::run::Outcome;
use hardwon_engine::{InjectRequest, effect::EffectKind};
use serde_json::{Value, json};

use crate::harness::{
    Pipeline, W, WISH, echo, effect, finding, role, run, run_id, run_with, verdict, warning,
};

#[test]
fn each_conclusion_has_its_reason() {
    let looked = json!({"detectors": ["guardian"]});
    let touched = |path: &str| json!({"detectors": ["guardian"], "paths": [path]});
    let reasoned = verdict(json!({"grade": "reasoned"}));
    let cases: [(&str, Value, String, &str); 8] = [
        ("a detector looked", looked.clone(), String::new(), "helped"),
        ("another looked", json!({"detectors": ["sage"]}), String::new(), "no_opportunity"),
        ("nobody looked", json!({"detectors": []}), String::new(), "no_opportunity"),
        ("its file was touched", touched("./src/api.rs"), String::new(), "helped"),
        ("its file was not touched", touched("docs/a.md"), String::new(), "no_opportunity"),
        ("only reasoning", looked.clone(), reasoned, "neutral"),
        ("it recurred", looked.clone(), warning(W), "no_help"),
        ("it recurred as information", looked, finding("guardian", "info", W), "no_help"),
    ];
    for (name, fields, more, expected) in cases {
        let record = run_with("r3", fields) + &more;
        let (kind, why) = Pipeline::confirmed().effect_after("r3", &record);
        assert_eq!(kind, expected, "{name}: {why}");
        assert!(!why.is_empty());
    }
}

#[test]
fn a_named_cause_beats_everything_and_is_kept() {
    let mut p = Pipeline::confirmed();
    let named = effect(&p.only_lesson(), "hurt", "led astray");
    let (kind, why) = p.effect_after("r3", &(run("r3", &["guardian"]) + &named));
    assert_eq!((kind, why.as_str()), ("hurt", "led astray"));
    assert_eq!(p.only_lesson().confidence, 0.5);
    // More about the same run does not wash it out.
    p.learn_finding("r3", "Response lacks a content type header");
    let effects = p.lesson_saying(W).effects;
    assert_eq!((effects.n_hurt, effects.n_helped), (1, 0));
}

#[test]
fn a_late_finding_of_a_known_run_replaces_its_effect() {
    let mut p = Pipeline::confirmed();
    assert_eq!(p.effect_after("r3", &run("r3", &["guardian"])).0, "helped");
    assert_eq!((p.only_lesson().confidence, p.only_lesson().n_sightings), (0.7, 2));
    let learned = p.learn_finding("r3", W);
    assert_eq!(learned.effects[0].kind, EffectKind::NoHelp);
    let lesson = p.only_lesson();
    assert_eq!((lesson.effects.n_helped, lesson.effects.n_no_help), (0, 1));
    assert_eq!((lesson.confidence, lesson.n_sightings), (0.55, 3));
    p.assert_sound();
}

#[test]
fn learning_again_changes_nothing_even_if_more_is_known_by_now() {
    let mut p = Pipeline::confirmed();
    let r3 = run("r3", &["sage"]);
    assert_eq!(p.effect_after("r3", &r3).0, "no_opportunity");
    p.learn_run(&(run("r4", &["sage"]) + &finding("sage", "warning", W)));
    assert!(p.learn_run(&r3).is_known);
    assert_eq!(p.only_lesson().effects.n_helped, 0);
}

#[test]
fn children_are_credited_with_their_root_and_count_once() {
    let mut p = Pipeline::confirmed();
    p.inject("r3-maker");
    p.learn_run(&run_with("r3-maker", json!({"parent": "r3", "detectors": []})));
    let learned = p.learn_finding("r3", W);
    assert_eq!(learned.effects[0].kind, EffectKind::NoHelp);
    assert_eq!(p.only_lesson().n_sightings, 3);
    assert_eq!(run_number(&p), 3);
}

fn run_number(p: &Pipeline) -> u64 {
    p.memory.store.status(&p.call.project).unwrap().run_number
}

#[test]
fn ten_unseen_runs_with_opportunity_cost_one_of_standing() {
    let mut p = Pipeline::confirmed();
    p.learn_clean(3..12);
    assert_eq!(p.only_lesson().standing, 2, "nine runs cost nothing");
    p.learn_clean([12]);
    assert_eq!(p.only_lesson().standing, 1);
    p.learn_clean(13..23);
    let lesson = p.only_lesson();
    assert_eq!((lesson.standing, lesson.n_sightings, lesson.state), (0, 2, State::Decayed));
    // Seen again it is the same lesson, and has to stand anew.
    assert_eq!(p.learn_finding("r23", W).transitions[0].to, State::Candidate);
    let lesson = p.only_lesson();
    assert_eq!((lesson.standing, lesson.n_sightings), (1, 3));
}

/// More lessons are due than one run looks at: those that wait lose as much as the others.
#[test]
fn a_lesson_that_waits_for_its_turn_counts_the_runs_in_between() {
    let mut rules = policy::load("hardwon").unwrap();
    (rules.decay.runs_per_step, rules.decay.usual_times) = (1, 0.0);
    let mut p = Pipeline::with_rules(rules);
    let letter = |n: u32, power: u32| char::from(b'a' + (n / 26u32.pow(power) % 26) as u8);
    let word =
        |n: u32| String::from_iter((0..6).map(|at| letter(n.wrapping_mul(2_654_435_761), at)));
    let text = |n: u32| [3 * n, 3 * n + 1, 3 * n + 2].map(word).join(" ");
    let findings: String = (0..300).map(|n| warning(&text(n))).collect();
    for id in ["r1", "r2", "r3", "r4"] {
        p.learn_run(&(run(id, &["guardian"]) + &findings));
    }
    assert_eq!((p.lessons().len(), p.lessons()[0].standing), (300, 4));
    p.learn_clean(5..=7);
    let looked_at = |n: u64| p.lessons().iter().filter(|it| it.unseen.checked_at == n).count();
    assert_eq!((5..=7).map(looked_at).collect::<Vec<_>>(), [44, 128, 128]);
    for lesson in p.lessons() {
        assert_eq!(u64::from(lesson.standing), 4 - (lesson.unseen.checked_at - 4), "{lesson:?}");
    }
}

#[test]
fn a_restored_lesson_does_not_fade_at_once() {
    let mut p = Pipeline::confirmed();
    p.learn_clean(3..=22);
    assert_eq!(p.only_lesson().state, State::Decayed);
    p.restore(p.only_lesson().id.as_str()).unwrap();
    p.learn_clean([23]);
    assert_eq!(p.only_lesson().state, State::Candidate);
}

#[test]
fn runs_in_which_nobody_looked_or_it_was_shown_do_not_count() {
    let mut p = Pipeline::confirmed();
    for n in 3..20 {
        p.learn_run(&run(&format!("r{n}"), &["sage"]));
    }
    assert_eq!(p.only_lesson().standing, 2);
    for n in 20..50 {
        p.inject(&format!("r{n}"));
        p.learn_clean([n]);
    }
    let lesson = p.only_lesson();
    assert_eq!(lesson.standing, 2, "a lesson that works does not die of its own success");
    assert_eq!(lesson.state, State::Stable);
}

#[test]
fn preferences_outlive_a_thousand_runs() {
    let mut p = Pipeline::on_memory();
    p.wish(WISH);
    p.learn_clean(0..1000);
    assert!(p.inject("r1000").block.contains(WISH));
}

/// Ages are never negative, and what came first is told by its number, not by its time.
#[test]
fn a_clock_that_jumps_by_ten_years_harms_nothing() {
    for days in [-3650, 3650] {
        let mut p = Pipeline::confirmed();
        p.inject("r3");
        p.later(days);
        assert!(p.inject("r4").block.contains(W), "{days}");
        p.learn(&(run("r3", &["guardian"]) + &warning(W)));
        p.wish(WISH);
        p.decay().unwrap();
        assert_eq!(p.lesson_saying(W).n_sightings, 3, "{days}");
        let entries = p.history(None, None).unwrap().body.entries;
        assert!(entries.is_sorted_by(|one, other| one.sequence > other.sequence), "{days}");
        p.assert_sound();
    }
}

#[test]
fn a_backfill_adds_evidence_only() {
    let mut p = Pipeline::on_memory();
    let dated = |id: &str, day: &str| {
        let at = |hour: &str| format!("2026-03-{day}T{hour}:00:00Z");
        let times = json!({"started": at("09"), "finished": at("10"), "detectors": ["guardian"]});
        run_with(id, times) + &warning(W)
    };
    p.learn_run(&dated("new", "20"));
    p.inject("old");
    let old = p.learn_run(&dated("old", "10"));
    assert!(old.is_backfill && old.effects.is_empty());
    let lesson = p.only_lesson();
    assert_eq!((lesson.n_sightings, lesson.state), (2, State::Provisional));
    assert_eq!(lesson.last_seen_run.unwrap().as_str(), "new");
    assert_eq!(run_number(&p), 1);
}

/// Who repeats what it was shown has neither found it nor shown that it did not help.
#[test]
fn an_echo_teaches_nothing_and_is_no_success() {
    for name in ["guardian", "Guardian"] {
        let mut p = Pipeline::confirmed();
        p.inject_for(Some("r3"), role(name));
        let answer = p.learn(&(run("r3", &["guardian"]) + &echo(W)));
        assert_eq!(answer.body.runs[0].findings.n_rejected, 1);
        assert!(answer.problems[0].reason.contains("had been shown to this run"));
        assert_eq!(answer.body.runs[0].effects[0].kind, EffectKind::Neutral);
        assert_eq!((p.only_lesson().n_sightings, p.only_lesson().confidence), (2, 0.6));
    }
}

#[test]
fn by_outcome_a_late_outcome_is_taken_up() {
    let mut rules = policy::load("hardwon").unwrap();
    rules.credit.mode = CreditMode::ByOutcome;
    let mut p = Pipeline::with_rules(rules);
    p.confirm(&[W]);
    let (kind, _) = p.effect_after("r3", &(run("r3", &["guardian"]) + &warning(W)));
    assert_eq!(kind, "neutral", "the outcome is unknown");
    p.outcome("r3", Outcome::Failed, true).unwrap();
    assert_eq!(p.only_lesson().effects.n_hurt, 1, "at once");
    assert_eq!(p.check("r3").effects[0].kind, EffectKind::Hurt);
    p.assert_sound();
}

#[test]
fn the_surface_of_an_effect_is_that_of_its_block() {
    let mut p = Pipeline::confirmed();
    let surface = Some(Surface::ReviewContext);
    p.serve(&InjectRequest { run: Some(run_id("r3")), surface, ..Default::default() });
    let learned = p.learn_run(&run("r3", &["guardian"]));
    let effect = &learned.effects[0];
    assert_eq!(
        (effect.surface.0, effect.follow_up.0),
        (Surface::ReviewContext, FollowUp::Strengthen)
    );
}

#[test]
fn confidence_follows_the_sightings_until_the_first_test() {
    let mut p = Pipeline::on_memory();
    for (id, confidence) in [("r1", 0.4), ("r2", 0.6), ("r3", 0.8), ("r4", 0.8)] {
        p.learn_finding(id, W);
        assert_eq!(p.only_lesson().confidence, confidence, "{id}");
    }
    // Shown where nobody looked it is not tested yet; from the first test on, effects alone
    // move it.
    for (detector, confidence) in [("sage", 0.8), ("guardian", 0.7)] {
        let mut p = Pipeline::confirmed();
        p.effect_after("r3", &run("r3", &[detector]));
        p.learn_finding("r4", W);
        assert_eq!((p.only_lesson().confidence, p.only_lesson().n_sightings), (confidence, 3));
        p.assert_sound();
    }
}
