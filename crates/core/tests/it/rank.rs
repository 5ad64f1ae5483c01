//! Rank is a total order, a function of its arguments alone, and keeps its parts.

use hardwon_core::effect::EffectCounts;
use hardwon_core::eligible::{Exclusion, exclusion};
use hardwon_core::lesson::{Arms, Lesson, State};
use hardwon_core::lift::{self, Pool};
use hardwon_core::matching::Corpus;
use hardwon_core::need::Need;
use hardwon_core::policy::{RankOrder, RankPolicy};
use hardwon_core::rank::{Counted, RankingContext, rank, rank_by};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;
use proptest::prelude::*;

use crate::samples::{any_lesson, holdout_policy, lesson, rank_policy};

fn any_need() -> impl Strategy<Value = Need> {
    let texts = (prop::option::of("[a-z]{3,8}( [a-z]{3,8}){0,5}"), prop::option::of("[a-z]{3,6}"));
    let lists = (
        prop::collection::vec("[a-z]{1,4}/[a-z]{1,4}\\.rs", 0..3),
        prop::collection::vec("[a-z]{2,6}", 0..3),
    );
    (texts, lists).prop_map(|((text, role), (paths, tags))| Need {
        text,
        role,
        paths,
        tags,
        ..Need::default()
    })
}

fn ids(lessons: &[Lesson], need: &Need, now: i64) -> Vec<String> {
    let ranked = rank(lessons, need, &Corpus::default(), Timestamp(now), &rank_policy());
    ranked.iter().map(|ranked| lessons[ranked.index].id.to_string()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_lesson_once_in_an_order_that_does_not_depend_on_the_input_order(
        mut lessons in prop::collection::vec(any_lesson(), 0..12),
        need in any_need(),
        now in 0..20_000_000_000i64,
        turn in 0usize..12,
    ) {
        lessons.sort_by(|a, b| a.id.cmp(&b.id));
        lessons.dedup_by(|a, b| a.id == b.id);
        let first = ids(&lessons, &need, now);
        let mut sorted = first.clone();
        sorted.sort();
        let all: Vec<String> = lessons.iter().map(|l| l.id.to_string()).collect();
        prop_assert_eq!(sorted, all);
        let turn = turn % lessons.len().max(1);
        lessons.rotate_left(turn);
        prop_assert_eq!(ids(&lessons, &need, now), first);
    }

    #[test]
    fn scores_and_parts_are_shares(lesson in any_lesson(), need in any_need(), now in any::<i64>()) {
        let ranked = rank(&[lesson], &need, &Corpus::default(), Timestamp(now), &rank_policy());
        for (name, value) in ranked[0].parts.iter().chain([&("score", ranked[0].score)]) {
            prop_assert!((0.0..=1.0).contains(value), "{} is {}", name, value);
        }
    }

    #[test]
    fn more_help_never_ranks_lower(lesson in any_lesson(), need in any_need()) {
        let mut better = lesson.clone();
        better.effects.n_helped += 1;
        let score = |lesson: Lesson| {
            rank(&[lesson], &need, &Corpus::default(), Timestamp(0), &rank_policy())[0].score
        };
        prop_assert!(score(better) >= score(lesson));
    }
}

#[test]
fn standing_decides_where_the_policy_says_so() {
    let mut often = lesson("seen often and unimportant");
    often.standing = 9;
    let mut important = lesson("seen rarely and important");
    important.importance = 1.0;
    let mut policy = rank_policy();
    policy.order = RankOrder::Standing;
    let lessons = [important, often];
    let ranked = rank(&lessons, &Need::default(), &Corpus::default(), Timestamp(0), &policy);
    assert_eq!(ranked[0].index, 1);
}

#[test]
fn exclusions_have_reasons() {
    let policy = rank_policy();
    let check = |lesson: &Lesson| exclusion(lesson, &Need::default(), &policy);
    let mut sample = lesson("one two three");
    assert_eq!(check(&sample), None);
    sample.effects.n_no_help = 3;
    assert_eq!(check(&sample), Some(Exclusion::NeverHelped { n_tried: 3 }));
    sample.effects.n_helped = 1;
    assert_eq!(check(&sample), None);
    for &state in State::ALL {
        let sample = Lesson { state, ..lesson("one two three") };
        let expected = (!state.is_active()).then_some(Exclusion::State(state));
        assert_eq!(check(&sample), expected, "{state}");
    }
}

/// Coming back says that a lesson is not heeded only where it was likely to come up.
#[test]
fn what_seldom_comes_up_is_not_given_up_for_coming_back() {
    let policy = RankPolicy { give_up_expected: 2.0, ..rank_policy() };
    let check = |lesson: &Lesson| exclusion(lesson, &Need::default(), &policy);
    let mut sample = lesson("one two three");
    sample.effects.n_no_help = 9;
    sample.effects.expected_thousandths = 1_999;
    assert_eq!(check(&sample), None);
    sample.effects.expected_thousandths = 2_000;
    assert_eq!(check(&sample), Some(Exclusion::NeverHelped { n_tried: 9 }));
    sample.effects = EffectCounts { n_hurt: 3, ..EffectCounts::default() };
    assert_eq!(check(&sample), Some(Exclusion::NeverHelped { n_tried: 3 }), "harm was seen");
}

#[test]
fn states_explain_themselves() {
    let mut sample = lesson("one two three");
    let mut why = |state: State| {
        sample.state = state;
        exclusion(&sample, &Need::default(), &rank_policy()).map(|reason| reason.to_string())
    };
    let reasons = [
        (State::Candidate, "candidate: seen in one run so far"),
        (State::UnderReview, "under review: in doubt, and in no block until it is reviewed"),
        (State::Decayed, "decayed: it faded; seen again, it counts again"),
        (State::Superseded, "superseded: another lesson stands for it"),
        (State::Archived, "archived: put away; `restore` brings it back"),
        (State::Rejected, "rejected: a review decided against it"),
        (State::Quarantined, "quarantined: it was imported and not approved yet"),
    ];
    for (state, reason) in reasons {
        assert_eq!(why(state).as_deref(), Some(reason));
    }
    for state in [State::Provisional, State::Stable, State::Canonical] {
        assert_eq!(why(state), None);
    }
    let successor = lesson("another one two three").id;
    sample.superseded_by = Some(successor.clone());
    sample.state = State::Superseded;
    let reason = exclusion(&sample, &Need::default(), &rank_policy()).unwrap();
    assert_eq!(reason.to_string(), format!("superseded: {successor} stands for it"));
}

#[test]
fn zero_sightings_never_make_a_lesson_everybodys() {
    let scope = Scope::default().with(Dimension::Role, "guardian");
    let sample = Lesson { n_sightings: 50, scope, ..lesson("one two three") };
    let need = Need { role: Some("sage".into()), ..Need::default() };
    let mut policy = rank_policy();
    assert_eq!(exclusion(&sample, &need, &policy), None);
    policy.universal_at = 0;
    assert!(matches!(exclusion(&sample, &need, &policy), Some(Exclusion::Scope(_))));
}

#[test]
fn what_was_measured_decides_between_equals() {
    let arms =
        |n_shown_again| Arms { n_shown: 40, n_shown_again, n_held_out: 20, n_held_out_again: 10 };
    let with = |text: &str, n_again| Lesson { arms: arms(n_again), ..lesson(text) };
    let lessons = [with("the first of two", 20), with("the second of two", 2)];
    let policy = holdout_policy();
    let pool = Pool::of(lessons.iter().map(|lesson| &lesson.arms));
    let useful = |lesson: &Lesson| lift::usefulness(lesson, &pool, &policy);
    let known = RankingContext {
        corpus: &Corpus::default(),
        now: Timestamp(0),
        useful: &useful,
        counts: &Counted::default(),
    };
    let ranked = rank_by(&lessons, &Need::default(), &known, &rank_policy());
    assert_eq!(ranked[0].index, 1, "{ranked:?}");
    assert!(ranked[0].parts[1].1 > ranked[1].parts[1].1 + 0.1, "{ranked:?}");
}

#[test]
fn a_rescuer_is_told_first_what_recovered_a_run() {
    let tagged = |text: &str, tags: &[&str]| Lesson {
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..lesson(text)
    };
    let lessons = [
        tagged("Build the documents before committing", &["commit", "make"]),
        tagged("The build does not find its imports here", &["import", "bun"]),
        tagged("After import errors an install recovered the run", &["import", "recovery"]),
    ];
    let need = Need { error_class: Some("import".into()), ..Need::default() };
    let order = ids(&lessons, &need, 0);
    let expected: Vec<String> =
        [2, 1, 0].iter().map(|&n: &usize| lessons[n].id.to_string()).collect();
    assert_eq!(order, expected);
}
