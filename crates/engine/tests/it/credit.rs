//! What is concluded about lessons that were shown, and what fades.

use hardwon_engine::answer::RunLearned;
use hardwon_engine::lesson::State;
use hardwon_engine::{blocks, history, lessons, runs};

use crate::bench::{Pipeline, finding, run, warning};

pub const W: &str = "Query built by string concatenation in the user search";

/// A pipeline whose lesson W was seen in two runs.
pub fn confirmed() -> Pipeline {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
    }
    p
}

pub fn effect_after(p: &mut Pipeline, id: &str, record: &str) -> (&'static str, String) {
    p.inject(id);
    let learned: RunLearned = p.learn_run(record);
    let (_, effect) = &learned.effects[0];
    (effect.kind.word(), effect.why.clone())
}

#[test]
fn each_conclusion_has_its_reason() {
    let run_with = |fields: &str| format!("{{\"type\":\"run\",\"id\":\"r3\",{fields}}}\n");
    let reasoned = "{\"type\":\"verdict\",\"author\":\"guardian\",\"grade\":\"reasoned\"}\n";
    let cases = [
        ("a detector looked", run_with("\"detectors\":[\"guardian\"]"), "helped"),
        ("another looked", run_with("\"detectors\":[\"sage\"]"), "no_opportunity"),
        ("nobody looked", run_with("\"detectors\":[]"), "no_opportunity"),
        (
            "its file was touched",
            run_with("\"detectors\":[\"guardian\"],\"paths\":[\"./src/api.rs\"]"),
            "helped",
        ),
        (
            "its file was not touched",
            run_with("\"detectors\":[\"guardian\"],\"paths\":[\"docs/a.md\"]"),
            "no_opportunity",
        ),
        ("only reasoning", run_with("\"detectors\":[\"guardian\"]") + reasoned, "neutral"),
        ("it recurred", run_with("\"detectors\":[\"guardian\"]") + &warning(W), "no_help"),
        (
            "it recurred as information only",
            run_with("\"detectors\":[\"guardian\"]") + &finding("guardian", "info", W),
            "no_help",
        ),
    ];
    for (name, record, expected) in cases {
        let (kind, why) = effect_after(&mut confirmed(), "r3", &record);
        assert_eq!(kind, expected, "{name}: {why}");
        assert!(!why.is_empty());
    }
}

#[test]
fn a_named_cause_beats_everything_and_is_kept() {
    let mut p = confirmed();
    let lesson = p.only_lesson().id;
    let named = format!(
        "{{\"type\":\"effect\",\"lesson\":\"{lesson}\",\"effect\":\"hurt\",\"because\":\"led astray\"}}\n"
    );
    let (kind, why) = effect_after(&mut p, "r3", &(run("r3", &["guardian"]) + &named));
    assert_eq!((kind, why.as_str()), ("hurt", "led astray"));
    assert_eq!(p.only_lesson().confidence, 0.5);
    // More about the same run does not wash it out.
    p.learn_run(&(run("r3", &["guardian"]) + &warning("Response lacks a content type header")));
    let lessons = p.lessons();
    let lesson = lessons.iter().find(|l| l.id == lesson).unwrap();
    assert_eq!((lesson.effects.n_hurt, lesson.effects.n_helped), (1, 0));
}

#[test]
fn a_late_finding_of_a_known_run_replaces_its_effect() {
    let mut p = confirmed();
    let (kind, _) = effect_after(&mut p, "r3", &run("r3", &["guardian"]));
    assert_eq!(kind, "helped");
    assert_eq!((p.only_lesson().confidence, p.only_lesson().n_sightings), (0.7, 2));
    let learned = p.learn_run(&(run("r3", &["guardian"]) + &warning(W)));
    assert_eq!(learned.effects[0].1.kind.word(), "no_help");
    let lesson = p.only_lesson();
    assert_eq!((lesson.effects.n_helped, lesson.effects.n_no_help), (0, 1));
    assert_eq!((lesson.confidence, lesson.n_sightings), (0.55, 3));
    p.assert_sound();
}

#[test]
fn checking_twice_gives_the_same_answer_and_writes_nothing() {
    let mut p = confirmed();
    effect_after(&mut p, "r3", &run("r3", &["guardian"]));
    let run = hardwon_engine::ids::RunId::parse("r3").unwrap();
    let n_entries = |p: &Pipeline| {
        history::history(&p.engine.memory, &p.engine.call, None, None).unwrap().body.entries.len()
    };
    let before = n_entries(&p);
    let first = runs::check(&mut p.engine.memory, &p.engine.call, &run).unwrap().body.effects;
    let second = runs::check(&mut p.engine.memory, &p.engine.call, &run).unwrap().body.effects;
    assert_eq!(first, second);
    assert_eq!(first[0].1.kind.word(), "helped");
    assert_eq!(n_entries(&p), before);
}

#[test]
fn children_are_credited_with_their_root_and_count_once() {
    let mut p = confirmed();
    p.inject("r3-maker");
    let child = "{\"type\":\"run\",\"id\":\"r3-maker\",\"parent\":\"r3\",\"detectors\":[]}\n";
    p.learn_run(child);
    let learned = p.learn_run(&(run("r3", &["guardian"]) + &warning(W)));
    assert_eq!(learned.effects[0].1.kind.word(), "no_help");
    assert_eq!(p.only_lesson().n_sightings, 3);
    let status = p.engine.memory.store().status(&p.engine.call.project).unwrap();
    assert_eq!(status.run_number, 3);
}

#[test]
fn one_run_never_promotes_anything() {
    let mut p = Pipeline::on_memory();
    let twice = warning(W)
        + &finding("sage", "warning", "User search builds its query by concatenating strings");
    p.learn_run(&(run("r1", &["guardian", "sage"]) + &twice));
    p.learn_run(&(run("r1", &["guardian", "sage"]) + &finding("judge", "bug", W)));
    assert_eq!((p.only_lesson().n_sightings, p.only_lesson().state), (1, State::Candidate));
}

#[test]
fn ten_unseen_runs_with_opportunity_cost_one_of_standing() {
    let mut p = confirmed();
    for n in 3..12 {
        p.learn_run(&run(&format!("r{n}"), &["guardian"]));
    }
    assert_eq!(p.only_lesson().standing, 2, "nine runs cost nothing");
    p.learn_run(&run("r12", &["guardian"]));
    assert_eq!(p.only_lesson().standing, 1);
    for n in 13..23 {
        p.learn_run(&run(&format!("r{n}"), &["guardian"]));
    }
    let lesson = p.only_lesson();
    assert_eq!((lesson.standing, lesson.n_sightings, lesson.state), (0, 2, State::Decayed));
    // Seen again it is the same lesson, and has to stand anew.
    let back = p.learn_run(&(run("r23", &["guardian"]) + &warning(W)));
    assert_eq!(back.transitions[0].1.to, State::Candidate);
    let lesson = p.only_lesson();
    assert_eq!((lesson.standing, lesson.n_sightings), (1, 3));
}

#[test]
fn runs_in_which_nobody_looked_or_it_was_shown_do_not_count() {
    let mut p = confirmed();
    for n in 3..40 {
        p.learn_run(&run(&format!("r{n}"), &["sage"]));
    }
    assert_eq!(p.only_lesson().standing, 2);
    for n in 40..70 {
        p.inject(&format!("r{n}"));
        p.learn_run(&run(&format!("r{n}"), &["guardian"]));
    }
    let lesson = p.only_lesson();
    assert_eq!(lesson.standing, 2, "a lesson that works does not die of its own success");
    assert_eq!(lesson.state, State::Stable);
}

#[test]
fn preferences_outlive_a_thousand_runs() {
    let mut p = Pipeline::on_memory();
    let request = hardwon_engine::AddRequest {
        text: "Bundle related changes into one pull request".into(),
        ..Default::default()
    };
    lessons::add(&mut p.engine.memory, &p.engine.call, &request).unwrap();
    for n in 0..1000 {
        p.learn_run(&run(&format!("r{n}"), &["guardian"]));
    }
    assert!(p.inject("r1000").block.contains("Bundle related changes"));
}

#[test]
fn a_backfill_adds_evidence_only() {
    let mut p = Pipeline::on_memory();
    let dated = |id: &str, day: &str| {
        format!(
            "{{\"type\":\"run\",\"id\":\"{id}\",\"detectors\":[\"guardian\"],\
             \"started\":\"2026-03-{day}T09:00:00Z\",\"finished\":\"2026-03-{day}T10:00:00Z\"}}\n"
        )
    };
    p.learn_run(&(dated("new", "20") + &warning(W)));
    p.inject("old");
    let old = p.learn_run(&(dated("old", "10") + &warning(W)));
    assert!(old.is_backfill && old.effects.is_empty());
    let lesson = p.only_lesson();
    assert_eq!((lesson.n_sightings, lesson.state), (2, State::Provisional));
    assert_eq!(lesson.last_seen_run.unwrap().as_str(), "new");
    let status = p.engine.memory.store().status(&p.engine.call.project).unwrap();
    assert_eq!(status.run_number, 1);
}

#[test]
fn several_inputs_are_applied_in_the_order_of_their_start() {
    let mut p = Pipeline::on_memory();
    let dated = |id: &str, hour: u32| {
        format!(
            "{{\"type\":\"run\",\"id\":\"{id}\",\"started\":\"2026-03-01T{hour:02}:00:00Z\"}}\n"
        )
    };
    let record = dated("late", 12) + &warning(W) + &dated("early", 9) + &warning(W);
    let answer = p.learn(&record);
    let order: Vec<&str> = answer.body.runs.iter().map(|run| run.run.as_str()).collect();
    assert_eq!(order, ["early", "late"]);
    assert_eq!(p.only_lesson().state, State::Provisional);
}

#[test]
fn an_echo_teaches_nothing() {
    let mut p = confirmed();
    let need = hardwon_engine::need::Need { role: Some("guardian".into()), ..Default::default() };
    p.inject_for(Some("r3"), need);
    let echo = format!(
        "{{\"type\":\"finding\",\"author\":\"guardian\",\"severity\":\"warning\",\"text\":\"{W}\",\"grade\":\"reasoned\"}}\n"
    );
    let answer = p.learn(&(run("r3", &["guardian"]) + &echo));
    assert_eq!(answer.body.runs[0].n_rejected, 1);
    assert!(answer.problems[0].reason.contains("had been shown to this run"));
    assert_eq!(p.only_lesson().n_sightings, 2);
}

#[test]
fn the_archeflow_policy_counts_every_run() {
    let mut p = Pipeline::with_policy("archeflow");
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
    }
    for n in 3..13 {
        p.learn_run(&run(&format!("r{n}"), &[]));
    }
    assert_eq!(p.only_lesson().standing, 1);
    for n in 13..23 {
        p.learn_run(&run(&format!("r{n}"), &[]));
    }
    assert_eq!(p.only_lesson().state, State::Decayed);
}

#[test]
fn a_ruling_against_a_finding_weighs_by_the_role_that_reported_it() {
    let mut rules = hardwon_engine::policy::load("hardwon").unwrap();
    rules.credit.weight_by_role.insert("sentinel".into(), 1.5);
    for (author, expected) in [("guardian", 0.4), ("sentinel", 0.3)] {
        let mut p = Pipeline::with_rules(rules.clone());
        for id in ["r1", "r2"] {
            p.learn_run(&(run(id, &[author]) + &finding(author, "warning", W)));
        }
        let ruling = format!(
            "{{\"type\":\"verdict\",\"author\":\"judge\",\"grade\":\"cited\",\
             \"false_positives\":[\"{W}\"]}}\n"
        );
        let record = run("r3", &[author, "judge"]) + &finding(author, "warning", W) + &ruling;
        let (kind, why) = effect_after(&mut p, "r3", &record);
        assert_eq!((kind, p.only_lesson().confidence), ("contradicted", expected), "{why}");
        p.assert_sound();
    }
}

#[test]
fn by_outcome_a_late_outcome_is_taken_up() {
    let mut rules = hardwon_engine::policy::load("hardwon").unwrap();
    rules.credit.mode = hardwon_core::policy::CreditMode::ByOutcome;
    let mut p = Pipeline::with_rules(rules);
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
    }
    let (kind, _) = effect_after(&mut p, "r3", &(run("r3", &["guardian"]) + &warning(W)));
    assert_eq!(kind, "neutral", "nobody said how it ended");
    let r3 = hardwon_engine::ids::RunId::parse("r3").unwrap();
    runs::outcome(
        &mut p.engine.memory,
        &p.engine.call,
        &r3,
        hardwon_engine::run::Outcome::Failed,
        true,
    )
    .unwrap();
    assert_eq!(p.only_lesson().effects.n_hurt, 1, "at once");
    let checked = runs::check(&mut p.engine.memory, &p.engine.call, &r3).unwrap().body;
    assert_eq!(checked.effects[0].1.kind.word(), "hurt");
    p.assert_sound();
}

#[test]
fn the_surface_of_an_effect_is_that_of_its_block() {
    use hardwon_engine::effect::{FollowUp, Surface};
    let mut p = confirmed();
    let request = hardwon_engine::InjectRequest {
        run: hardwon_engine::ids::RunId::parse("r3").ok(),
        surface: Some(Surface::ReviewContext),
        ..Default::default()
    };
    blocks::inject(&mut p.engine.memory, &p.engine.call, &request).unwrap();
    let learned = p.learn_run(&run("r3", &["guardian"]));
    let (_, effect) = &learned.effects[0];
    assert_eq!((effect.surface, effect.follow_up), (Surface::ReviewContext, FollowUp::Strengthen));
}

#[test]
fn opposites_are_two_lessons_and_conflict() {
    let mut p = Pipeline::on_memory();
    let (ask, forbid) = (
        "Always retry failed payment requests three times",
        "Never retry failed payment requests three times",
    );
    for (id, text) in [("r1", ask), ("r2", forbid), ("r3", ask), ("r4", forbid)] {
        let learned = p.learn_run(&(run(id, &["guardian"]) + &warning(text)));
        assert!(learned.similar.is_empty(), "nobody should merge them");
    }
    let mut lessons = p.lessons();
    lessons.sort_by_key(|lesson| lesson.text.as_str().to_owned());
    let seen: Vec<(&str, u32)> =
        lessons.iter().map(|lesson| (lesson.text.as_str(), lesson.n_sightings)).collect();
    assert_eq!(seen, [(ask, 2), (forbid, 2)]);
    let block = p.inject("r5").block;
    assert!(block.contains(ask) != block.contains(forbid), "one gives way: {block}");
}

#[test]
fn confidence_follows_the_sightings_until_the_first_test() {
    let mut p = Pipeline::on_memory();
    for (id, confidence) in [("r1", 0.4), ("r2", 0.6), ("r3", 0.8), ("r4", 0.8)] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
        assert_eq!(p.only_lesson().confidence, confidence, "{id}");
    }
    // Shown where nobody looked: still no test.
    let mut p = confirmed();
    effect_after(&mut p, "r3", &run("r3", &["sage"]));
    p.learn_run(&(run("r4", &["guardian"]) + &warning(W)));
    assert_eq!(p.only_lesson().confidence, 0.8);
    // From the first test on, effects alone move it.
    let mut p = confirmed();
    effect_after(&mut p, "r3", &run("r3", &["guardian"]));
    p.learn_run(&(run("r4", &["guardian"]) + &warning(W)));
    assert_eq!((p.only_lesson().confidence, p.only_lesson().n_sightings), (0.7, 3));
    p.assert_sound();
}

#[test]
fn the_hurt_that_brings_a_review_asks_for_one() {
    use hardwon_engine::effect::FollowUp;
    let mut p = confirmed();
    let lesson = p.only_lesson().id;
    let hurt = format!(
        "{{\"type\":\"effect\",\"lesson\":\"{lesson}\",\"effect\":\"hurt\",\"because\":\"led astray\"}}\n"
    );
    let mut follow_ups = Vec::new();
    for id in ["r3", "r4"] {
        p.inject(id);
        let learned = p.learn_run(&(run(id, &["guardian"]) + &hurt));
        follow_ups.push(learned.effects[0].1.follow_up);
    }
    assert_eq!(follow_ups, [FollowUp::Weaken, FollowUp::ReviewRequired]);
    assert_eq!(p.only_lesson().state, State::UnderReview);
    // Looking again changes nothing.
    let r4 = hardwon_engine::ids::RunId::parse("r4").unwrap();
    let checked = runs::check(&mut p.engine.memory, &p.engine.call, &r4).unwrap().body;
    assert_eq!(checked.effects[0].1.follow_up, FollowUp::ReviewRequired);
    p.assert_sound();
}
