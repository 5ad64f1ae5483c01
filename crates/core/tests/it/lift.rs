//! Lift: what chance measured, how sure it is, and what is left to chance.

use hardwon_core::effect::{Arm, Effect, EffectCounts, EffectKind, FollowUp, Surface};
use hardwon_core::holdout::chance;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Arms, Kind, Lesson, State};
use hardwon_core::lift::{self, Lift, Pool, n_missing, of_all};
use hardwon_core::policy::HoldoutPolicy;

use crate::samples::{holdout_policy, lesson};

fn arms(shown: (u32, u32), held_out: (u32, u32)) -> Arms {
    let ((n_shown_again, n_shown), (n_held_out_again, n_held_out)) = (shown, held_out);
    Arms { n_shown_again, n_shown, n_held_out_again, n_held_out }
}

fn lift(lessons: &[Arms]) -> Option<Lift> {
    of_all(&Pool::of(lessons))
}

/// A seeded stream of shares; the test must be the same every time.
struct Chance(u64);

impl Chance {
    fn is_below(&mut self, share: f64) -> bool {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) < share
    }
}

#[test]
fn what_is_mostly_unknown_is_not_said() {
    // What came back in 2 of 26 when shown, and in 0 of 5 when held out.
    assert_eq!(lift(&[arms((2, 26), (0, 5))]), None);
    assert_eq!(lift(&[]), None);
    // A lesson that was never held out says nothing about a ratio.
    assert_eq!(lift(&[arms((0, 100), (0, 0))]), None);
    assert_eq!(n_missing(&Pool::of(&[arms((0, 90), (0, 10))])), None, "nothing came back");
    let early = n_missing(&Pool::of(&[arms((18, 90), (2, 10))])).unwrap();
    let later = n_missing(&Pool::of(&[arms((180, 900), (20, 100))])).unwrap();
    assert!((500..1500).contains(&early) && later < early, "{early} {later}");
}

#[test]
fn lift_is_a_ratio_of_two_rates() {
    let lift = lift(&[arms((30, 1000), (12, 200))]).unwrap();
    let thousandths = [lift.shown, lift.held_out, lift.value].map(|one| (one * 1000.0).round());
    assert_eq!(thousandths, [30.0, 60.0, 500.0]);
    assert!((0.2..0.4).contains(&lift.low) && (1.0..1.5).contains(&lift.high), "{lift:?}");
    assert!(lift.works().is_none(), "{lift:?}");
}

#[test]
fn old_lessons_that_are_seldom_held_out_do_not_pass_for_lift() {
    // Showing does nothing: one lesson comes back in every second run, held out often;
    // the other nearly never, held out seldom. The bare sums differ by a third.
    let lift = lift(&[arms((45, 90), (5, 10)), arms((9, 900), (0, 9))]).unwrap();
    assert!((0.8..1.3).contains(&lift.value) && lift.works().is_none(), "{lift:?}");
}

/// 60 memories of ten lessons that come back in a fifth of the runs from which they are held out,
/// looked at 60 times; where it `fades`, in ever fewer, shown or not. How many were told to work,
/// how many to do harm, and in how many the interval held the truth at every look.
fn histories(ratio: f64, fades: bool) -> [u32; 3] {
    let (mut chance, mut told) = (Chance(7), [0; 3]);
    for _ in 0..60 {
        let mut lessons = [Arms::default(); 10];
        let (mut works, mut harms, mut is_covered) = (false, false, true);
        for n in 0..1500 {
            let usual = if fades { 0.3 - 0.2 * f64::from(n) / 1500.0 } else { 0.2 };
            let own = &mut lessons[n as usize % 10];
            let (n_tried, n_again, rate) = match chance.is_below(0.1) {
                true => (&mut own.n_held_out, &mut own.n_held_out_again, usual),
                false => (&mut own.n_shown, &mut own.n_shown_again, usual * ratio),
            };
            *n_tried += 1;
            *n_again += u32::from(chance.is_below(rate));
            if n % 25 == 24
                && let Some(lift) = lift(&lessons)
            {
                works |= lift.works() == Some(true);
                harms |= lift.works() == Some(false);
                is_covered &= (lift.low..=lift.high).contains(&ratio);
            }
        }
        for (n, is_it) in told.iter_mut().zip([works, harms, is_covered]) {
            *n += u32::from(is_it);
        }
    }
    told
}

#[test]
fn it_is_told_in_time_and_stays_right_at_every_look() {
    let [works, harms, covered] = histories(0.5, false);
    assert!(works >= 36 && harms == 0 && covered >= 54, "halved: {works} {harms} {covered}");
    let [works, harms, covered] = histories(2.0, false);
    assert!(harms >= 36 && works == 0 && covered >= 54, "doubled: {works} {harms} {covered}");
    for fades in [false, true] {
        let [works, harms, covered] = histories(1.0, fades);
        assert!(works + harms <= 3 && covered >= 54, "no effect: {works} {harms} {covered}");
    }
}

#[test]
fn only_trials_by_chance_count() {
    let effect = |kind, arm| Effect {
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
fn a_tenth_is_held_out_however_much_is_known() {
    let policy = holdout_policy();
    for known in [Arms::default(), arms((0, 27), (0, 3))] {
        let n = n_held_out(&Lesson { arms: known, ..drawn() }, &policy);
        assert!((160..240).contains(&n), "{n}");
    }
    let off = HoldoutPolicy { share: 0.0, ..policy };
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
