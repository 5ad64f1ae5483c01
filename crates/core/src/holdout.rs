//! Is a lesson shown, or held out by chance so that its worth can be measured? Chance is
//! a hash of the run and of the wording, so that the same question has the same answer.

use crate::budget::Fit;
use crate::digest::sha256;
use crate::effect::Arm;
use crate::eligible::Exclusion;
use crate::ids::RunId;
use crate::lesson::{Lesson, State};
use crate::policy::HoldoutPolicy;
use crate::rank::Ranked;

/// What chance decides about a lesson that would be shown to this run; `None` if the
/// lesson is not left to chance.
pub fn chance(lesson: &Lesson, run: &RunId, policy: &HoldoutPolicy) -> Option<Arm> {
    if policy.share <= 0.0 || !may_be_held_out(lesson, policy) {
        return None;
    }
    let is_held_out = drawn_number(run, &lesson.digest()) < policy.share;
    Some(if is_held_out { Arm::HeldOut } else { Arm::Shown })
}

/// Ranked lessons to fit, with what decides about them.
pub struct Draw<'a> {
    pub eligible: &'a [Lesson],
    pub ranked: Vec<Ranked>,
    pub is_held_out: &'a dyn Fn(&Lesson) -> bool,
    /// Whether showing the second lesson would show the first one after all.
    pub is_copy: &'a dyn Fn(&Lesson, &Lesson) -> bool,
    pub fit: &'a dyn Fn(&[Ranked]) -> Fit,
}

/// What fits when what chance holds out is taken away.
pub struct Drawn {
    pub fit: Fit,
    /// What `fit` has chosen from.
    pub ranked: Vec<Ranked>,
    pub held_out: Vec<Ranked>,
    /// Near copies of what was held out: showing them would show it after all.
    pub copies: Vec<(Ranked, Exclusion)>,
}

/// Fits the ranked lessons, and fits again while one that would be shown is held out: it gives
/// its place to the next one, and near copies of it go with it.
pub fn draw(of: Draw<'_>) -> Drawn {
    let fit = (of.fit)(&of.ranked);
    let mut drawn = Drawn { fit, ranked: of.ranked, held_out: Vec::new(), copies: Vec::new() };
    loop {
        let lesson = |ranked: &Ranked| &of.eligible[ranked.index];
        let mut chosen = drawn.fit.chosen.iter().map(|chosen| chosen.index);
        let held_out = chosen.find(|index| (of.is_held_out)(lesson(&drawn.ranked[*index])));
        let Some(index) = held_out else { return drawn };
        let held_out = drawn.ranked.remove(index);
        let is_copy = |other: &Ranked| (of.is_copy)(lesson(&held_out), lesson(other));
        let (copies, rest): (Vec<Ranked>, Vec<Ranked>) =
            std::mem::take(&mut drawn.ranked).into_iter().partition(is_copy);
        drawn.ranked = rest;
        let reason = Exclusion::NearDuplicate { of: lesson(&held_out).id.to_string() };
        drawn.copies.extend(copies.into_iter().map(|copy| (copy, reason.clone())));
        drawn.held_out.push(held_out);
        drawn.fit = (of.fit)(&drawn.ranked);
    }
}

/// What a person wants is never left to chance, and what is new must first be shown.
fn may_be_held_out(lesson: &Lesson, policy: &HoldoutPolicy) -> bool {
    let is_settled = lesson.is_pinned || lesson.state == State::Canonical;
    lesson.kind.decays() && !is_settled && lesson.effects.n_shown() >= policy.min_shown
}

/// A number from 0 to 1, evenly distributed over runs and wordings.
fn drawn_number(run: &RunId, digest: &str) -> f64 {
    let hash = sha256(&["holdout", run.as_str(), digest]);
    let first = hash[..8].iter().fold(0u64, |sum, byte| (sum << 8) | u64::from(*byte));
    (first >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_spread_evenly_and_repeat() {
        let run = |n: u32| RunId::parse(&format!("r{n}")).unwrap();
        let n_below = |share| (0..10_000).filter(|n| drawn_number(&run(*n), "d") < share).count();
        for share in [0.03, 0.1, 0.5] {
            let expected = share * 10_000.0;
            assert!((n_below(share) as f64 - expected).abs() < 150.0, "{share}");
        }
        assert_eq!(drawn_number(&run(1), "d"), drawn_number(&run(1), "d"));
        assert_ne!(drawn_number(&run(1), "d"), drawn_number(&run(1), "e"));
    }
}
