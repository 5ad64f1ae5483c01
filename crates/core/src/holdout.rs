//! Is a lesson shown, or held out by chance so that its worth can be measured? Chance is
//! a hash of the run and of the wording, so that the same question has the same answer.

use crate::digest::sha256;
use crate::effect::Arm;
use crate::ids::RunId;
use crate::lesson::{Lesson, State};
use crate::policy::HoldoutPolicy;

/// What chance decides about a lesson that would be shown to this run; `None` if the
/// lesson is not left to chance.
pub fn chance(lesson: &Lesson, run: &RunId, policy: &HoldoutPolicy) -> Option<Arm> {
    let share = share(lesson, policy);
    if share <= 0.0 || !may_be_held_out(lesson, policy) {
        return None;
    }
    let is_held_out = draw(run, &lesson.digest()) < share;
    Some(if is_held_out { Arm::HeldOut } else { Arm::Shown })
}

/// What a person wants is never left to chance, and what is new must first be shown.
fn may_be_held_out(lesson: &Lesson, policy: &HoldoutPolicy) -> bool {
    let is_settled = lesson.is_pinned || lesson.state == State::Canonical;
    lesson.kind.decays() && !is_settled && lesson.effects.n_shown() >= policy.min_shown
}

/// More is held out while little is known.
fn share(lesson: &Lesson, policy: &HoldoutPolicy) -> f64 {
    if lesson.arms.n_opportunities() < policy.first { policy.share } else { policy.later_share }
}

/// A number from 0 to 1, evenly distributed over runs and wordings.
fn draw(run: &RunId, digest: &str) -> f64 {
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
        let n_below = |share: f64| (0..10_000).filter(|n| draw(&run(*n), "d") < share).count();
        for share in [0.03, 0.1, 0.5] {
            let expected = share * 10_000.0;
            assert!((n_below(share) as f64 - expected).abs() < 150.0, "{share}");
        }
        assert_eq!(draw(&run(1), "d"), draw(&run(1), "d"));
        assert_ne!(draw(&run(1), "d"), draw(&run(1), "e"));
    }
}
