//! Rank is a total order, a function of its arguments alone, and keeps its parts.

use hardwon_core::budget;
use hardwon_core::eligible::{Exclusion, exclusion};
use hardwon_core::lesson::{Lesson, Origin, State};
use hardwon_core::matching::Corpus;
use hardwon_core::matching::compare::Wordings;
use hardwon_core::need::Need;
use hardwon_core::policy::{ArchivistRank, RankOrder, RankPolicy};
use hardwon_core::rank::{Counted, Ranked, RankingContext, rank, rank_by};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::signature::of_rule;
use hardwon_core::tally::{Counts, LessonCounts, NeedFacets, Rate};
use hardwon_core::time::Timestamp;
use proptest::prelude::*;

use crate::samples::{any_lesson, chance_rank, lesson, rank_policy};

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
    fn a_score_is_a_chance_and_follows_from_its_parts(
        lesson in any_lesson(),
        need in any_need(),
        now in any::<i64>(),
    ) {
        let ranked = rank(&[lesson], &need, &Corpus::default(), Timestamp(now), &rank_policy());
        let Ranked { score, parts, .. } = &ranked[0];
        let is_stated = parts.iter().any(|(name, _)| *name == "stated");
        let constant = if is_stated { 0.0 } else { chance_rank().constant };
        let logit: f64 = constant + parts.iter().map(|(_, part)| part).sum::<f64>();
        prop_assert!((score - 1.0 / (1.0 + (-logit).exp())).abs() < 0.001, "{:?}", ranked);
    }
}

/// Twenty runs; `src/` was touched in all of them, and `src/a.rs` in ten.
fn counted(lesson: &Lesson, rate: Rate, seen_with: [u64; 2]) -> Counted {
    let need = touching("src/a.rs");
    let own = LessonCounts { rate, seen_with: seen_with.to_vec() };
    let lessons = [(lesson.id.clone(), own)].into();
    let counts = Counts { n_runs: 20, runs_with: vec![20, 10], lessons };
    Counted { facets: NeedFacets::of(&need), counts }
}

fn ranked_by(lesson: &Lesson, need: &Need, counts: &Counted) -> Ranked {
    let (corpus, now) = (&Corpus::default(), Timestamp(0));
    let known = RankingContext { corpus, now, counts };
    rank_by(std::slice::from_ref(lesson), need, &known, &rank_policy()).remove(0)
}

fn touching(path: &str) -> Need {
    Need { paths: vec![path.to_owned()], ..Need::default() }
}

// Nearly 20 runs weigh 19.14; of these it came up in 4, last 5 runs ago. 4 / (19.14 + 1) = 0.199;
// in src/ in 4 of 20 runs, (4 + 4 × 0.199) / 24 = 0.2; in src/a.rs in 4 of 10,
// (4 + 4 × 0.2) / 14 = 0.343. 0.5 ln 0.199 = -0.808, 0.7 ln 0.343 = -0.749, -0.25 ln 6 = -0.448.
#[test]
fn the_chance_has_three_terms() {
    let lesson = lesson("one two three");
    let rate = Rate { seen: 4.0, last: 15, ..Rate::default() };
    let one = ranked_by(&lesson, &touching("src/a.rs"), &counted(&lesson, rate, [4, 4]));
    assert_eq!(one.parts, [("base", -0.808), ("place", -0.749), ("since", -0.448)]);
    assert!((one.score - 0.268).abs() < 0.001, "{one:?}");
    assert_eq!(one.told.as_deref(), Some("comes up in about 1 of 4 runs that touch src/a.rs"));
    let elsewhere = ranked_by(&lesson, &touching("src/a.rs"), &counted(&lesson, rate, [4, 0]));
    assert!(elsewhere.score < one.score, "{elsewhere:?}");
    let long_ago = Rate { last: 1, ..rate };
    let faded = ranked_by(&lesson, &touching("src/a.rs"), &counted(&lesson, long_ago, [4, 4]));
    assert!(faded.score < one.score && faded.parts[..2] == one.parts[..2], "{faded:?}");
}

#[test]
fn what_is_reported_needs_no_words_where_files_are_named() {
    let rate = Rate { seen: 4.0, last: 15, ..Rate::default() };
    let reported = lesson("one two three");
    let counts = counted(&reported, rate, [0; 2]);
    let need = Need { text: Some("four five six".into()), ..touching("src/a.rs") };
    assert_eq!(ranked_by(&reported, &need, &counts).barred, None);
    let stated = Lesson { origin: Origin::User, ..reported.clone() };
    for (lesson, need) in [(&reported, Need { paths: Vec::new(), ..need.clone() }), (&stated, need)]
    {
        let barred = ranked_by(lesson, &need, &counts).barred;
        assert!(matches!(barred, Some(Exclusion::Irrelevant { .. })), "{barred:?}");
    }
}

/// Measured: "says nearly the same" took away 4.6 % of all that could be known, by other rules.
#[test]
fn only_equal_words_or_one_rule_are_nearly_the_same() {
    let of = |text, rule| Lesson { signatures: vec![of_rule("ruff", Some(rule))], ..lesson(text) };
    let is_near = |a: &Lesson, b: &Lesson| budget::is_near(a, b, &Wordings::default(), 0.6);
    let unused = of("unused function argument `size`", "ARG001");
    assert!(is_near(&unused, &of("unused function argument `name`", "ARG001")));
    assert!(!is_near(&unused, &of("unused method argument `size`", "ARG002")));
    assert!(is_near(&unused, &lesson("Unused function argument `size`")));
    assert!(!is_near(&lesson("unused function argument"), &lesson("unused method argument")));
    assert!(!budget::is_near(&unused, &unused.clone(), &Wordings::default(), 1.1));
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
    assert_eq!(check(&lesson("one two three")), None);
    for &state in State::ALL {
        let sample = Lesson { state, ..lesson("one two three") };
        let expected = (!state.is_active()).then_some(Exclusion::State(state));
        assert_eq!(check(&sample), expected, "{state}");
    }
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
    let (weight_importance, weight_recency, weight_relevance) = (0.4, 0.3, 0.3);
    let half_life_days = 5.76;
    let formula =
        ArchivistRank { weight_importance, weight_recency, weight_relevance, half_life_days };
    let policy = RankPolicy { order: RankOrder::Archivist(formula), ..rank_policy() };
    let ranked = rank(&lessons, &need, &Corpus::default(), Timestamp(0), &policy);
    assert_eq!(ranked.iter().map(|one| one.index).collect::<Vec<_>>(), [2, 1, 0]);
}
