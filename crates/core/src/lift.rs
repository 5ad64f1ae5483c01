//! What is showing a lesson worth? How often its finding comes back when it is held out,
//! less how often when it is shown, counted only where chance decided which of the two.
//!
//! Each arm is a Beta posterior. For all lessons together both arms are weighted to the
//! same mix of lessons, since new lessons are held out more often than old ones. For one
//! lesson the prior is what the other lessons show, worth a stated number of
//! opportunities and no more. The interval is the normal one of the difference.

use crate::effect::{Arm, Effect, EffectKind};
use crate::lesson::{Arms, Decision, Lesson, State};
use crate::lifecycle::Transition;
use crate::policy::HoldoutPolicy;
use crate::time::Timestamp;

/// Standard deviations to each side that hold 90 % of a normal distribution.
const DEVIATIONS: f64 = 1.645;

/// Jeffreys' prior: what is known of a rate before anything is seen.
const JEFFREYS: f64 = 0.5;

/// The share of repeats that showing prevents, with its 90 % interval; all within -1..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lift {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// What it was measured on.
    pub arms: Arms,
}

/// Opportunities and recurrences of a lesson by arm, from all its effects.
pub fn arms<'a>(effects: impl IntoIterator<Item = &'a Effect>) -> Arms {
    let mut arms = Arms::default();
    for effect in effects {
        let is_again = match effect.kind {
            EffectKind::Helped => false,
            EffectKind::NoHelp => true,
            // Not tested, or only stated.
            _ => continue,
        };
        let (n, n_again) = match effect.arm {
            Some(Arm::Shown) => (&mut arms.n_shown, &mut arms.n_shown_again),
            Some(Arm::HeldOut) => (&mut arms.n_held_out, &mut arms.n_held_out_again),
            None => continue,
        };
        *n += 1;
        *n_again += u32::from(is_again);
    }
    arms
}

/// How often each arm had an opportunity, and how often it came up again: shown, then held out.
fn each(arms: &Arms) -> [(f64, f64); 2] {
    let counts = [(arms.n_shown, arms.n_shown_again), (arms.n_held_out, arms.n_held_out_again)];
    counts.map(|(n, n_again)| (f64::from(n), f64::from(n_again)))
}

/// All lessons together, each weighted alike in both arms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pool {
    n_lessons: u32,
    total: Arms,
    weight: f64,
    /// Shown, then held out.
    arms: [Weighted; 2],
}

/// Weighted recurrence rates of one arm, and what the weights cost in certainty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Weighted {
    rate: f64,
    spread: f64,
}

impl Pool {
    /// The pool of these lessons. One without both arms says nothing about a difference.
    pub fn of<'a>(lessons: impl IntoIterator<Item = &'a Arms>) -> Pool {
        let mut pool = Pool::default();
        for arms in lessons {
            pool.take(arms, 1.0);
        }
        pool
    }

    fn without(mut self, arms: &Arms) -> Pool {
        self.take(arms, -1.0);
        // What rounding leaves of the sums means nothing.
        if self.n_lessons == 0 { Pool::default() } else { self }
    }

    fn take(&mut self, arms: &Arms, sign: f64) {
        if arms.n_shown == 0 || arms.n_held_out == 0 {
            return;
        }
        let own = each(arms);
        let [(n_shown, _), (n_held_out, _)] = own;
        let weight = n_shown * n_held_out / (n_shown + n_held_out);
        self.weight += sign * weight;
        for (arm, (n, n_again)) in self.arms.iter_mut().zip(own) {
            arm.rate += sign * weight * (n_again / n);
            arm.spread += sign * weight * weight / n;
        }
        let of = |total: u32, n: u32| if sign > 0.0 { total + n } else { total.saturating_sub(n) };
        self.n_lessons = of(self.n_lessons, 1);
        self.total = Arms {
            n_shown: of(self.total.n_shown, arms.n_shown),
            n_shown_again: of(self.total.n_shown_again, arms.n_shown_again),
            n_held_out: of(self.total.n_held_out, arms.n_held_out),
            n_held_out_again: of(self.total.n_held_out_again, arms.n_held_out_again),
        };
    }

    /// By recurrences and opportunities of an arm, as many as the weighted rate is worth.
    fn posterior(&self, arm: &Weighted) -> Beta {
        let is_known = self.weight > 0.0 && arm.spread > 0.0;
        let n = if is_known { self.weight * self.weight / arm.spread } else { 0.0 };
        let n_again = if is_known { (arm.rate / self.weight).clamp(0.0, 1.0) * n } else { 0.0 };
        Beta { again: n_again + JEFFREYS, clean: n - n_again + JEFFREYS }
    }

    /// What the pool says about a lesson that it does not hold, worth so many
    /// opportunities.
    fn prior(&self, arm: &Weighted, strength: f64) -> Beta {
        let all = self.posterior(arm);
        let share = (strength / (all.again + all.clean)).min(1.0);
        Beta { again: all.again * share, clean: all.clean * share }
    }
}

/// What is believed of a recurrence rate.
#[derive(Clone, Copy)]
struct Beta {
    again: f64,
    clean: f64,
}

impl Beta {
    fn seen(self, (n, n_again): (f64, f64)) -> Beta {
        Beta { again: self.again + n_again, clean: self.clean + (n - n_again).max(0.0) }
    }

    fn mean(self) -> f64 {
        self.again / (self.again + self.clean)
    }

    fn variance(self) -> f64 {
        self.mean() * (1.0 - self.mean()) / (self.again + self.clean + 1.0)
    }
}

fn difference(held_out: Beta, shown: Beta, arms: Arms) -> Lift {
    let value = held_out.mean() - shown.mean();
    let half = DEVIATIONS * (held_out.variance() + shown.variance()).sqrt();
    Lift { value, low: (value - half).max(-1.0), high: (value + half).min(1.0), arms }
}

fn is_enough(arms: &Arms, policy: &HoldoutPolicy) -> bool {
    arms.n_shown.min(arms.n_held_out) >= policy.min_opportunities.max(1)
}

/// The lift of all lessons together; `None` while too little was tried in either arm.
pub fn of_all(pool: &Pool, policy: &HoldoutPolicy) -> Option<Lift> {
    let [shown, held_out] = pool.arms.map(|arm| pool.posterior(&arm));
    is_enough(&pool.total, policy).then(|| difference(held_out, shown, pool.total))
}

/// How many more opportunities the arm that has fewer needs before the lift of all is known.
pub fn n_missing(pool: &Pool, policy: &HoldoutPolicy) -> u32 {
    let n_tried = pool.total.n_shown.min(pool.total.n_held_out);
    policy.min_opportunities.max(1).saturating_sub(n_tried)
}

/// Whether enough was tried with a lesson for its lift to be known. Then, and only then,
/// the pool has to be read.
pub fn is_known(lesson: &Lesson, policy: &HoldoutPolicy) -> bool {
    is_enough(&lesson.arms, policy)
}

/// The lift of one lesson of the pool; `None` while too little was tried in either arm.
pub fn of_lesson(lesson: &Lesson, pool: &Pool, policy: &HoldoutPolicy) -> Option<Lift> {
    is_known(lesson, policy).then(|| estimate(&lesson.arms, pool, policy))
}

/// The best guess about a lesson of the pool, however little was tried: next to nothing
/// of its own, it is what the others show.
fn estimate(arms: &Arms, pool: &Pool, policy: &HoldoutPolicy) -> Lift {
    let others = pool.without(arms);
    let [shown, held_out] = [0, 1]
        .map(|arm| others.prior(&others.arms[arm], policy.prior_strength).seen(each(arms)[arm]));
    difference(held_out, shown, *arms)
}

/// Whether a measured harm puts a lesson in doubt: even the upper end of its lift is
/// below zero. A lesson that a review kept is not doubted before its date.
pub fn doubt(lesson: &Lesson, lift: Option<&Lift>, at: Timestamp) -> Option<Transition> {
    let lift = lift.filter(|lift| lift.high < 0.0 && lesson.state.is_active())?;
    let is_kept = lesson.last_decision().is_some_and(|last| last.decision == Decision::Keep);
    if is_kept && lesson.upkeep.review_after.is_some_and(|after| at < after) {
        return None;
    }
    let Arms { n_shown, n_held_out, .. } = lift.arms;
    let reason = format!(
        "its finding comes back more often when it is shown: lift {:.2}, at most {:.2} \
         ({n_shown} opportunities shown, {n_held_out} held out)",
        lift.value, lift.high
    );
    let (lesson, from) = (lesson.id.clone(), lesson.state);
    Some(Transition { lesson, from, to: State::UnderReview, reason })
}
