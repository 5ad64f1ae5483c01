//! The ranking formula of each source system, with the numbers of its preset: vectors
//! worked out by hand, in the comment above each.

use std::collections::BTreeSet;

use hardwon_core::effect::EffectCounts;
use hardwon_core::eligible::exclusion;
use hardwon_core::lesson::{Kind, Lesson, Upkeep};
use hardwon_core::matching::Corpus;
use hardwon_core::need::Need;
use hardwon_core::rank::{Ranked, rank};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;
use hardwon_engine::policy;

use crate::harness::{DAY, Pipeline, now};

/// A pattern of the project without a history, made so many days ago.
fn lesson(days: i64) -> Lesson {
    let mut p = Pipeline::on_memory();
    p.learn_finding("r1", "Payment calls are not retried");
    let at = Timestamp(now().0 - days * DAY);
    Lesson {
        paths: Vec::new(),
        detectors: BTreeSet::new(),
        confidence: 0.6,
        created_at: at,
        updated_at: at,
        state: hardwon_core::lesson::State::Provisional,
        ..p.only_lesson()
    }
}

fn scoped(dimension: Dimension, value: &str) -> Scope {
    Scope::default().with(dimension, value)
}

fn used(days_ago: i64) -> Upkeep {
    Upkeep { used_at: Some(Timestamp(now().0 - days_ago * DAY)), ..Upkeep::default() }
}

fn ranked(lessons: &[Lesson], need: &Need, preset: &str) -> Vec<Ranked> {
    let policy = policy::load(preset).unwrap().ranking;
    rank(lessons, need, &Corpus::default(), now(), &policy)
}

#[track_caller]
fn check(lesson: &Lesson, need: &Need, preset: &str, score: f64, parts: &[(&str, f64)]) {
    let ranked = ranked(std::slice::from_ref(lesson), need, preset).remove(0);
    for (name, expected) in parts {
        let part = ranked.parts.iter().find(|(known, _)| known == name).expect(name);
        assert_eq!(part.1, *expected, "{name} of {:?}", ranked.parts);
    }
    assert_eq!(ranked.score, score, "{:?}", ranked.parts);
}

fn on_task() -> Need {
    let (task, role) = (Some("T-1".into()), Some("guardian".into()));
    let paths = vec!["src/a.rs".into(), "src/b.rs".into()];
    Need { task, role, paths, ..Need::default() }
}

// 0.25 × 1 + 0.20 × 2/2 + 0.15 × 1 + 0.15 × 1 + 0.10 × 1 + 0.10 × 3/3 = 0.95
#[test]
fn geas_protocol_09_score_of_the_best_lesson() {
    let best = Lesson {
        scope: scoped(Dimension::Task, "t-1").with(Dimension::Role, "Guardian"),
        paths: vec!["src/b.rs".into(), "src/a.rs".into()],
        confidence: 1.0,
        effects: EffectCounts { n_helped: 3, ..EffectCounts::default() },
        upkeep: used(0),
        ..lesson(300)
    };
    let parts = [("scope", 1.0), ("path", 1.0), ("role", 1.0), ("freshness", 1.0), ("reuse", 1.0)];
    check(&best, &on_task(), "geas", 0.95, &parts);
}

// 0.25 × 0.5 + 0.20 × 1/2 + 0 + 0.15 × (1 − 90/180) + 0.10 × 0.6 + 0.10 × 0.5 = 0.41
#[test]
fn geas_protocol_09_score_without_history() {
    let plain = Lesson { paths: vec!["src/b.rs".into()], ..lesson(90) };
    let parts = [("scope", 0.5), ("path", 0.5), ("role", 0.0), ("freshness", 0.5), ("reuse", 0.5)];
    check(&plain, &on_task(), "geas", 0.41, &parts);
}

// Four contradictions cost 0.15, not 0.20; one of four applications was a success.
// 0.25 × 0.4 + 0 + 0 + 0.15 × 1 + 0.10 × 0.4 + 0.10 × 1/4 − 0.15 = 0.165
#[test]
fn geas_protocol_09_contradictions_cost_at_most_fifteen_hundredths() {
    let once = EffectCounts { n_helped: 1, n_no_help: 1, ..Default::default() };
    let effects = EffectCounts { n_hurt: 2, n_contradicted: 4, ..once };
    let doubted =
        Lesson { project: None, confidence: 0.4, effects, upkeep: used(0), ..lesson(300) };
    let parts = [("penalty", 0.15), ("reuse", 0.25), ("freshness", 1.0)];
    check(&doubted, &on_task(), "geas", 0.165, &parts);
    let once = Lesson { effects: EffectCounts { n_contradicted: 1, ..effects }, ..doubted };
    check(&once, &on_task(), "geas", 0.265, &[("penalty", 0.05)]);
}

// 0.25 × 0.1 + 0 + 0 + 0 + 0 + 0 − 0.15 is less than nothing; a warning of a risk gains
// 0.10 where the task says that it is risky.
#[test]
fn geas_protocol_09_clamp_and_risk_bonus() {
    let worst = Lesson {
        scope: scoped(Dimension::Role, "sage"),
        category: Some("risk_pattern".into()),
        confidence: 0.0,
        effects: EffectCounts { n_hurt: 1, n_contradicted: 3, ..EffectCounts::default() },
        ..lesson(180)
    };
    check(&worst, &on_task(), "geas", 0.0, &[("scope", 0.1), ("freshness", 0.0), ("risk", 0.0)]);
    let risky = Need { tags: vec!["High-Risk".into()], ..on_task() };
    check(&worst, &risky, "geas", 0.1, &[("risk", 0.1)]);
    let other = Lesson { category: Some("failure_lesson".into()), ..worst };
    check(&other, &risky, "geas", 0.0, &[("risk", 0.0)]);
}

#[test]
fn geas_protocol_09_scope_table() {
    let task = on_task();
    let tags = vec!["mission:checkout".into()];
    let mission = Need { task: None, tags, role: task.role.clone(), ..Need::default() };
    let project = Need { tags: Vec::new(), ..mission.clone() };
    let rows = [
        (scoped(Dimension::Task, "T-1"), "", true, [1.0, 0.3, 0.1]),
        (scoped(Dimension::Task, "T-2"), "", true, [0.2, 0.3, 0.1]),
        (Scope::default(), "mission", true, [0.7, 1.0, 0.5]),
        (Scope::default(), "", true, [0.5, 0.7, 1.0]),
        (scoped(Dimension::Role, "guardian"), "", true, [0.8, 0.8, 0.8]),
        (scoped(Dimension::Role, "sage"), "", true, [0.1, 0.1, 0.1]),
        (Scope::default(), "", false, [0.4, 0.4, 0.6]),
    ];
    let policy = policy::load("geas").unwrap().ranking;
    for (scope, tag, is_of_project, shares) in rows {
        let mut row = Lesson { scope, tags: vec![tag.to_owned()], ..lesson(0) };
        row.project = row.project.filter(|_| is_of_project);
        for (need, share) in [&task, &mission, &project].into_iter().zip(shares) {
            let ranked = ranked(std::slice::from_ref(&row), need, "geas").remove(0);
            assert_eq!(ranked.parts[0], ("scope", share), "{:?} {tag}", row.scope);
            assert_eq!(exclusion(&row, need, &policy), None, "the table ranks, it excludes none");
        }
    }
}

// 0.10 × 0.7 + 0.10 × 2/5 = 0.10 × 0.6 + 0.10 × 0.5
#[test]
fn geas_protocol_09_ties_by_confidence_then_by_last_confirmation() {
    let effects = EffectCounts { n_helped: 2, n_hurt: 3, ..EffectCounts::default() };
    let surer = Lesson { confidence: 0.7, effects, ..lesson(1) };
    let placed = ranked(&[lesson(1), surer], &on_task(), "geas");
    assert_eq!(placed[0].score, placed[1].score);
    assert_eq!(placed[0].index, 1);
    let mut earlier = lesson(1);
    earlier.created_at = Timestamp(earlier.created_at.0 - 1);
    let placed = ranked(&[earlier, lesson(1)], &on_task(), "geas");
    assert_eq!((placed[0].score, placed[0].index), (placed[1].score, 1));
}

#[test]
fn geas_row_63_the_touched_file_outranks_the_same_domain() {
    let of_file = Lesson { paths: vec!["src/a.rs".into()], ..lesson(0) };
    assert_eq!(ranked(&[lesson(0), of_file], &on_task(), "geas")[0].index, 1);
}

// Two sightings and nothing against them: 2/2 × exp(−days/14) × weight.
// exp(−1) = 0.3679, × 1.3 = 0.4782, × 1.1 = 0.4047; exp(−7/14) = 0.6065.
#[test]
fn jkz_pattern_learning_decay_and_category() {
    let seen = |days| Lesson { n_sightings: 2, ..lesson(days) };
    check(&seen(0), &Need::default(), "jkz", 1.0, &[("success", 1.0), ("decay", 1.0)]);
    check(&seen(7), &Need::default(), "jkz", 0.607, &[("decay", 0.607)]);
    check(&seen(14), &Need::default(), "jkz", 0.368, &[("decay", 0.368), ("category", 1.0)]);
    let rule = Lesson { kind: Kind::Rule, ..seen(14) };
    check(&rule, &Need::default(), "jkz", 0.478, &[("category", 1.3)]);
    let causal = Lesson { category: Some("causal".into()), ..seen(14) };
    check(&causal, &Need::default(), "jkz", 0.405, &[("category", 1.1)]);
    let just_used = Lesson { upkeep: used(0), ..seen(14) };
    check(&just_used, &Need::default(), "jkz", 1.0, &[("decay", 1.0)]);
}

// Two sightings and one reinforcement against two rulings: 3/(3 + 2 × 1) = 0.6, and
// 3/(3 + 2 × 1.5) = 0.5 for what sentinel had reported. That the finding came back is no
// ruling against it.
#[test]
fn jkz_pattern_learning_success_rate() {
    let bad = EffectCounts { n_hurt: 1, n_contradicted: 1, ..Default::default() };
    let effects = EffectCounts { n_helped: 1, n_no_help: 5, ..bad };
    let ruled = Lesson { n_sightings: 2, effects, ..lesson(0) };
    check(&ruled, &Need::default(), "jkz", 0.6, &[("success", 0.6)]);
    for role in ["Sentinel", "inspector"] {
        let detectors = BTreeSet::from(["guardian".to_owned(), role.to_owned()]);
        let ruled = Lesson { detectors, ..ruled.clone() };
        check(&ruled, &Need::default(), "jkz", 0.5, &[("success", 0.5)]);
    }
}

#[test]
fn jkz_pattern_learning_immune_at_three() {
    for (n_helped, decay) in [(2, 0.0), (3, 1.0)] {
        let effects = EffectCounts { n_helped, ..EffectCounts::default() };
        let old = Lesson { effects, ..lesson(280) };
        check(&old, &Need::default(), "jkz", decay, &[("decay", decay)]);
    }
}

// 2/2 × exp(−1) + 0.05 = 0.4179
#[test]
fn jkz_pattern_learning_context_boost() {
    let known =
        Lesson { paths: vec!["src/a.rs".into()], tags: vec!["payments".into()], ..lesson(14) };
    let labelled = Need { tags: vec!["Payments".into()], ..Need::default() };
    check(&known, &labelled, "jkz", 0.418, &[("context", 0.05)]);
    check(&known, &on_task(), "jkz", 0.418, &[("context", 0.05)]);
    check(&lesson(14), &on_task(), "jkz", 0.368, &[("context", 0.0)]);
    assert_eq!(ranked(&[lesson(14), known], &labelled, "jkz")[0].index, 1);
}

// exp(−32/14) = 0.1017 and exp(−33/14) = 0.0947: the bar of 0.1 lies between them.
#[test]
fn jkz_pattern_learning_below_a_tenth_is_never_injected() {
    for (days, n_shown) in [(32, 1), (33, 0)] {
        let mut p = Pipeline::with_policy("jkz");
        p.confirm(&["Payment calls are not retried"]);
        p.later(days);
        let injected = p.inject_for(None, Need::default());
        assert_eq!(injected.lessons.len(), n_shown, "{days} days");
    }
}

// No topic: relevance 0.5. 0.4 × 0.9 + 0.3 × 1 + 0.3 × 0.5 = 0.81. A day later recency is
// 0.5^(1/5.76) = 0.8866: 0.36 + 0.26598 + 0.15 = 0.776. A month later 0.5^(30/5.76) =
// 0.02705: 0.36 + 0.00811 + 0.15 = 0.518.
#[test]
fn archivist_spec_5_2_importance_recency_relevance() {
    let of_age = |days| Lesson { importance: 0.9, ..lesson(days) };
    check(&of_age(0), &Need::default(), "archivist", 0.81, &[("relevance", 0.5)]);
    check(&of_age(1), &Need::default(), "archivist", 0.776, &[("recency", 0.887)]);
    check(&of_age(30), &Need::default(), "archivist", 0.518, &[("recency", 0.027)]);
}

// One of two tags: relevance 0.7 × 1/2 = 0.35. 0.4 × 0.5 + 0.3 × 1 + 0.3 × 0.35 = 0.605.
#[test]
fn archivist_spec_5_2_relevance_by_tag_overlap() {
    let tagged = Lesson { importance: 0.5, tags: vec!["retry".into()], ..lesson(0) };
    let need = Need { tags: vec!["retry".into(), "typecheck".into()], ..Need::default() };
    check(&tagged, &need, "archivist", 0.605, &[("tags", 0.35), ("relevance", 0.35)]);
}

// Generative Agents, to which the specification refers: 0.995 an hour is 0.8867 a day.
#[test]
fn row_85_help_raises_and_harm_sinks() {
    for preset in ["geas", "jkz"] {
        let with = |n_helped, n_contradicted| {
            let effects = EffectCounts { n_helped, n_contradicted, ..EffectCounts::default() };
            let lesson = Lesson { effects, ..lesson(1) };
            ranked(&[lesson], &on_task(), preset).remove(0).score
        };
        let (worse, as_it_is, better) = (with(0, 2), with(0, 1), with(1, 1));
        assert!(worse < as_it_is && as_it_is < better, "{preset}: {worse} {as_it_is} {better}");
    }
}
