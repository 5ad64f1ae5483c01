//! What is showing lessons worth? How often their findings come back in runs that were shown
//! them, beside how often in runs from which chance held them out.
//!
//! Of what comes back, the share that was held out tells the ratio of both rates, however often a
//! finding comes up, and also when it gets rarer by itself: each lesson is compared with itself, and
//! chance draws alike from first to last. The interval has every ratio under which what was seen is
//! at least a tenth as likely as on average over the ratios that may be. Under the true one it gets
//! ten times less likely in at most one history of ten, ever (Ville's inequality), so that it may be
//! looked at after each run.

use std::sync::LazyLock;

use crate::effect::{Arm, Effect, EffectKind};
use crate::lesson::Arms;

/// How often an interval may leave out the truth.
const ERROR: f64 = 0.1;

/// The ratios that are looked at: from 2^-4 to 2^4.
const N_RATIOS: usize = 161;
const PER_DOUBLING: f64 = 20.0;

/// By how much, as a logarithm, a halving has to be likelier than no effect before it is told.
const TELLING: f64 = 4.0;

/// Each ratio, and how likely it is before anything is seen: one doubling is usual.
static RATIOS: LazyLock<[(f64, f64); N_RATIOS]> = LazyLock::new(|| {
    let doublings = |n: usize| (n as f64 - (N_RATIOS / 2) as f64) / PER_DOUBLING;
    let usual = |n: usize| (-doublings(n).powi(2) / 2.0).exp();
    let all: f64 = (0..N_RATIOS).map(usual).sum();
    std::array::from_fn(|n| (doublings(n).exp2(), usual(n) / all))
});

/// How often findings come back when shown, as a share of how often when held out (0.5 = half), with
/// its interval, and both rates for the same mix of lessons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lift {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub shown: f64,
    pub held_out: f64,
    /// What it was measured on.
    pub arms: Arms,
}

impl Lift {
    /// Whether showing works; false if findings come back more for it, `None` while neither is told.
    pub fn works(&self) -> Option<bool> {
        (self.high < 1.0 || self.low > 1.0).then_some(self.high < 1.0)
    }
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

/// Lessons together, each compared with itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pool {
    total: Arms,
    /// Rates of the same mix of lessons in both arms, and the weight of that mix.
    shown: f64,
    held_out: f64,
    weight: f64,
    /// How likely what was seen is under each ratio, as logarithms.
    likelihood: [f64; N_RATIOS],
}

impl Pool {
    /// The pool of these lessons. One without both arms says nothing about a ratio.
    pub fn of<'a>(lessons: impl IntoIterator<Item = &'a Arms>) -> Pool {
        let (total, likelihood) = (Arms::default(), [0.0; N_RATIOS]);
        let mut pool = Pool { total, shown: 0.0, held_out: 0.0, weight: 0.0, likelihood };
        for arms in lessons.into_iter().filter(|arms| arms.n_shown > 0 && arms.n_held_out > 0) {
            pool.take(arms);
        }
        pool
    }

    fn take(&mut self, arms: &Arms) {
        let (n_shown, n_held_out) = (f64::from(arms.n_shown), f64::from(arms.n_held_out));
        let (shown, held_out) = (f64::from(arms.n_shown_again), f64::from(arms.n_held_out_again));
        let n = n_shown + n_held_out;
        self.shown += shown * n_held_out / n;
        self.held_out += held_out * n_shown / n;
        self.weight += n_shown * n_held_out / n;
        self.total.n_shown += arms.n_shown;
        self.total.n_shown_again += arms.n_shown_again;
        self.total.n_held_out += arms.n_held_out;
        self.total.n_held_out_again += arms.n_held_out_again;
        let odds = n_held_out / n_shown;
        for (likelihood, (ratio, _)) in self.likelihood.iter_mut().zip(RATIOS.iter()) {
            *likelihood += shown * (ratio / (odds + ratio)).ln();
            *likelihood += held_out * (odds / (odds + ratio)).ln();
        }
    }

    /// The first and the last ratio of the interval, as places in the list.
    fn interval(&self) -> (usize, usize) {
        let most = self.likelihood.iter().copied().fold(f64::MIN, f64::max);
        let likely = self.likelihood.map(|one| (one - most).exp());
        let average: f64 = RATIOS.iter().zip(likely).map(|((_, share), one)| share * one).sum();
        let is_in = |place: &usize| likely[*place] >= ERROR * average;
        let first = (0..N_RATIOS).find(is_in).unwrap_or(0);
        (first, (0..N_RATIOS).rfind(is_in).unwrap_or(N_RATIOS - 1))
    }
}

/// The lift of all lessons of a pool; `None` while nothing that was seen bounds it.
pub fn of_all(pool: &Pool) -> Option<Lift> {
    let (first, last) = pool.interval();
    if last + 1 == N_RATIOS || pool.held_out == 0.0 {
        return None;
    }
    let (shown, held_out) = (pool.shown / pool.weight, pool.held_out / pool.weight);
    let low = if first == 0 { 0.0 } else { RATIOS[first].0 };
    let high = RATIOS[last].0;
    let value = (shown / held_out).clamp(low, high);
    Some(Lift { value, low, high, shown, held_out, arms: pool.total })
}

/// About how many more opportunities are needed before a halving is usually told; `None` before
/// anything came back, 0 if it would have been told by now.
pub fn n_missing(pool: &Pool) -> Option<u64> {
    let Arms { n_shown, n_shown_again, n_held_out, n_held_out_again } = pool.total;
    let n_again = f64::from(n_shown_again + n_held_out_again);
    if n_again == 0.0 {
        return None;
    }
    let n = f64::from(n_shown + n_held_out);
    let odds = f64::from(n_held_out) / f64::from(n_shown);
    let (usual, halved) = (odds / (odds + 1.0), odds / (odds + 0.5));
    let each =
        halved * (halved / usual).ln() + (1.0 - halved) * ((1.0 - halved) / (1.0 - usual)).ln();
    Some((TELLING / each * n / n_again - n).max(0.0).ceil() as u64)
}
