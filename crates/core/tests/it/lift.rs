//! Lift: what chance measured, how sure it is, and what it does to a lesson.

use hardwon_core::effect::{Arm, Effect, EffectKind, FollowUp, Surface};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Arms, Decision, Kind, Lesson, Review, State, Upkeep};
use hardwon_core::lift::{self, Lift, Pool};
use hardwon_core::policy::HoldoutPolicy;
use hardwon_core::time::Timestamp;
use hardwon_core::{effect::EffectCounts, holdout::chance};
use proptest::prelude::*;

use crate::samples::{holdout_policy, lesson};

fn measured(arms: Arms) -> Lesson {
    Lesson { arms, ..lesson("one two three") }
}

fn arms(shown: (u32, u32), held_out: (u32, u32)) -> Arms {
    let ((n_shown_again, n_shown), (n_held_out_again, n_held_out)) = (shown, held_out);
    Arms { n_shown_again, n_shown, n_held_out_again, n_held_out }
}

/// The lift of a lesson among these others.
fn lift_among(own: Arms, others: &[Arms]) -> Option<Lift> {
    let pool = Pool::of(others.iter().chain([&own]));
    lift::of_lesson(&measured(own), &pool, &holdout_policy())
}

/// A seeded stream of shares; the test must be the same every time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn n_of(&mut self, n: u32, rate: f64) -> u32 {
        (0..n).map(|_| u32::from(self.next() < rate)).sum()
    }
}

#[test]
fn below_the_stated_number_nothing_is_known() {
    let policy = holdout_policy();
    assert_eq!(lift_among(arms((0, 100), (4, 4)), &[]), None);
    assert_eq!(lift_among(arms((0, 4), (4, 100)), &[]), None);
    assert!(lift_among(arms((0, 5), (5, 5)), &[]).is_some());
    assert_eq!(lift::of_all(&Pool::of([]), &policy), None);
    // A lesson that was never held out says nothing about a difference.
    let lonely = [arms((0, 100), (0, 0)), arms((0, 3), (2, 4))];
    assert_eq!(lift::of_all(&Pool::of(&lonely), &policy), None);
    let together = [arms((0, 3), (2, 3)), arms((0, 3), (2, 3))];
    let lift = lift::of_all(&Pool::of(&together), &policy).unwrap();
    assert_eq!((lift.arms.n_shown, lift.arms.n_held_out), (6, 6));
}

#[test]
fn old_lessons_that_are_seldom_held_out_do_not_pass_for_lift() {
    // Showing does nothing: one lesson comes back in every second run, held out often;
    // the other nearly never, held out seldom. The bare sums differ by a third.
    let lessons = [arms((45, 90), (5, 10)), arms((9, 900), (0, 9))];
    let lift = lift::of_all(&Pool::of(&lessons), &holdout_policy()).unwrap();
    assert!(lift.value.abs() < 0.05, "{lift:?}");
    assert!(lift.low < 0.0 && lift.high > 0.0, "{lift:?}");
}

#[test]
fn few_opportunities_lean_on_the_other_lessons() {
    let others = [arms((5, 100), (50, 100)); 3];
    let own = arms((1, 5), (1, 5));
    let alone = lift_among(own, &[]).unwrap().value;
    let among = lift_among(own, &others).unwrap().value;
    let whole = lift::of_all(&Pool::of(&others), &holdout_policy()).unwrap().value;
    assert!(alone < among && among < whole, "{alone} {among} {whole}");
    // Much of its own outweighs all others.
    let much = lift_among(arms((100, 500), (100, 500)), &others).unwrap().value;
    assert!(much.abs() < 0.01, "{much}");
}

#[test]
fn only_trials_by_chance_count() {
    let effect = |kind, arm| Effect {
        expected: None,
        lesson: lesson("one two three").id,
        root: RunId::parse("r1").unwrap(),
        run_number: 1,
        kind,
        why: String::new(),
        is_named: false,
        surface: Surface::TaskPacket,
        follow_up: FollowUp::None,
        is_regression: false,
        arm,
        weight: 1.0,
    };
    let all: Vec<Effect> = EffectKind::ALL
        .iter()
        .flat_map(|kind| [None, Some(Arm::Shown), Some(Arm::HeldOut)].map(|arm| effect(*kind, arm)))
        .collect();
    assert_eq!(lift::arms(&all), arms((1, 2), (1, 2)));
}

#[test]
fn a_measured_harm_puts_a_lesson_in_doubt() {
    let doubt = |own: Arms, state, at| {
        let sample = Lesson { state, ..measured(own) };
        let pool = Pool::of([&sample.arms]);
        let lift = lift::of_lesson(&sample, &pool, &holdout_policy());
        lift::doubt(&sample, lift.as_ref(), at)
    };
    let harmful = arms((30, 40), (0, 20));
    let step = doubt(harmful, State::Stable, Timestamp(0)).unwrap();
    assert_eq!((step.from, step.to), (State::Stable, State::UnderReview));
    assert!(step.reason.contains("more often when it is shown: lift -0.7"), "{}", step.reason);
    assert_eq!(doubt(harmful, State::Candidate, Timestamp(0)), None);
    assert_eq!(doubt(arms((3, 40), (0, 20)), State::Stable, Timestamp(0)), None, "not sure");
    assert_eq!(doubt(arms((4, 4), (0, 20)), State::Stable, Timestamp(0)), None, "too few");
}

#[test]
fn what_was_kept_is_left_in_peace_until_its_date() {
    let kept = Review {
        decision: Decision::Keep,
        by: "ada".into(),
        authority: "user".into(),
        because: "still true".into(),
        at: Timestamp(0),
        from: State::UnderReview,
        to: State::Stable,
    };
    let upkeep = Upkeep { review_after: Some(Timestamp(100)), ..Upkeep::default() };
    let harmful = arms((30, 40), (0, 20));
    let sample = Lesson { upkeep, reviews: vec![kept], ..measured(harmful) };
    let lift = lift::of_lesson(&sample, &Pool::of([&harmful]), &holdout_policy());
    assert_eq!(lift::doubt(&sample, lift.as_ref(), Timestamp(99)), None);
    assert!(lift::doubt(&sample, lift.as_ref(), Timestamp(100)).is_some());
}

/// How often the interval of one lesson among ten holds the true difference, over many
/// worlds in which lessons differ.
#[test]
fn the_interval_holds_the_truth_about_nine_times_in_ten() {
    let mut chance = Chance(7);
    let (mut n_own, mut n_whole, n_worlds) = (0, 0, 400);
    for _ in 0..n_worlds {
        let mut world: Vec<(Arms, f64)> = Vec::new();
        for _ in 0..10 {
            let held_out_rate = 0.3 + 0.4 * chance.next();
            let shown_rate = held_out_rate * (0.3 + 0.4 * chance.next());
            let (n_shown, n_held_out) = (60, 8 + (chance.next() * 8.0) as u32);
            let shown = (chance.n_of(n_shown, shown_rate), n_shown);
            let held_out = (chance.n_of(n_held_out, held_out_rate), n_held_out);
            world.push((arms(shown, held_out), held_out_rate - shown_rate));
        }
        let pool = Pool::of(world.iter().map(|(arms, _)| arms));
        let (own, truth) = &world[0];
        let lift = lift::of_lesson(&measured(*own), &pool, &holdout_policy()).unwrap();
        n_own += u32::from((lift.low..=lift.high).contains(truth));
        let whole = lift::of_all(&pool, &holdout_policy()).unwrap();
        let weight = |arms: &Arms| {
            let (a, b) = (f64::from(arms.n_shown), f64::from(arms.n_held_out));
            a * b / (a + b)
        };
        let sum: f64 = world.iter().map(|(arms, _)| weight(arms)).sum();
        let mean = world.iter().map(|(arms, truth)| weight(arms) * truth).sum::<f64>() / sum;
        n_whole += u32::from((whole.low..=whole.high).contains(&mean));
    }
    let share = |n: u32| f64::from(n) / f64::from(n_worlds);
    assert!((0.85..=0.98).contains(&share(n_own)), "of a lesson: {}", share(n_own));
    assert!((0.85..=0.97).contains(&share(n_whole)), "of all: {}", share(n_whole));
}

fn any_arms() -> impl Strategy<Value = Arms> {
    let arm = || (0u32..200).prop_flat_map(|n| (0..=n, Just(n)));
    (arm(), arm()).prop_map(|(shown, held_out)| arms(shown, held_out))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn value_and_interval_are_differences_of_shares(
        own in any_arms(),
        others in prop::collection::vec(any_arms(), 0..8),
    ) {
        let pool = Pool::of(others.iter().chain([&own]));
        let whole = lift::of_all(&pool, &holdout_policy());
        for lift in lift_among(own, &others).into_iter().chain(whole) {
            prop_assert!(-1.0 <= lift.low && lift.low <= lift.value, "{lift:?}");
            prop_assert!(lift.value <= lift.high && lift.high <= 1.0, "{lift:?}");
        }
    }

    #[test]
    fn more_recurrences_move_it_one_way(
        own in any_arms(),
        others in prop::collection::vec(any_arms(), 0..8),
    ) {
        let (Some(lift), true, true) = (
            lift_among(own, &others),
            own.n_shown_again < own.n_shown,
            own.n_held_out_again < own.n_held_out,
        ) else {
            return Ok(());
        };
        let worse = Arms { n_shown_again: own.n_shown_again + 1, ..own };
        prop_assert!(lift_among(worse, &others).unwrap().value < lift.value);
        let better = Arms { n_held_out_again: own.n_held_out_again + 1, ..own };
        prop_assert!(lift_among(better, &others).unwrap().value > lift.value);
    }
}

/// A lesson that is left to chance.
fn drawn() -> Lesson {
    let effects =
        EffectCounts { n_helped: 1, n_neutral: 1, n_no_opportunity: 1, ..Default::default() };
    Lesson { effects, ..lesson("one two three") }
}

fn n_held_out(sample: &Lesson, policy: &HoldoutPolicy) -> usize {
    let run = |n: u32| RunId::parse(&format!("run-{n}")).unwrap();
    (0..2000).filter(|n| chance(sample, &run(*n), policy) == Some(Arm::HeldOut)).count()
}

#[test]
fn a_tenth_is_held_out_at_first_and_less_later() {
    let policy = holdout_policy();
    let first = n_held_out(&drawn(), &policy);
    assert!((160..240).contains(&first), "{first}");
    let later = Lesson { arms: arms((0, 27), (0, 3)), ..drawn() };
    let later = n_held_out(&later, &policy);
    assert!((40..85).contains(&later), "{later}");
    let off = HoldoutPolicy { share: 0.0, later_share: 0.0, ..policy };
    assert_eq!(n_held_out(&drawn(), &off), 0);
}

#[test]
fn what_somebody_wants_and_what_is_new_is_never_left_to_chance() {
    let run = RunId::parse("r1").unwrap();
    let check = |sample: Lesson| chance(&sample, &run, &holdout_policy());
    assert!(check(drawn()).is_some());
    let two = EffectCounts { n_helped: 2, ..Default::default() };
    for never in [
        Lesson { kind: Kind::Preference, ..drawn() },
        Lesson { kind: Kind::Rule, ..drawn() },
        Lesson { is_pinned: true, ..drawn() },
        Lesson { state: State::Canonical, ..drawn() },
        Lesson { effects: two, ..drawn() },
    ] {
        assert_eq!(check(never.clone()), None, "{never:?}");
    }
}
