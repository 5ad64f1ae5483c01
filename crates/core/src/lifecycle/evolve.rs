//! Does a lesson rise or fall by how often the runs that used it went well? The rule by
//! which the Archivist's skills lived: a draft that works becomes active, an active one
//! that fails is a draft again, and what hardly ever works is put away.

use crate::effect::EffectKind;
use crate::lesson::{Lesson, State};
use crate::lifecycle::Transition;
pub use crate::policy::EvolutionPolicy;

/// A rate from which the average starts, before anything is known.
const START: f64 = 0.5;

/// The newest use always weighs at least this much.
const MIN_WEIGHT: f64 = 0.1;

/// The next state after `n_uses` uses with this success rate, with the reason. A
/// candidate is a draft; whatever is shown and not yet canonical is active.
pub fn evolve(
    state: State,
    n_uses: u32,
    rate: f64,
    policy: &EvolutionPolicy,
) -> Option<(State, String)> {
    let is_active = match state {
        State::Candidate => false,
        State::Provisional | State::Stable => true,
        // A person decided about these, or a decision is due.
        _ => return None,
    };
    let reason = |sign: &str, limit: f64| {
        format!("success {rate:.2} is {sign} {limit:.2} after {n_uses} uses")
    };
    if n_uses >= policy.prune_uses && rate < policy.prune_below {
        return Some((State::Archived, reason("below", policy.prune_below)));
    }
    if is_active && n_uses >= policy.draft_uses && rate < policy.draft_below {
        return Some((State::Candidate, reason("below", policy.draft_below)));
    }
    if !is_active && n_uses >= policy.active_uses && rate >= policy.active_at {
        return Some((State::Provisional, reason("at least", policy.active_at)));
    }
    None
}

/// The step that a lesson's effects call for, oldest first. An effect that could not show
/// whether it works is not a use.
pub fn evolved(
    lesson: &Lesson,
    effects: &[EffectKind],
    policy: &EvolutionPolicy,
) -> Option<Transition> {
    let uses = || effects.iter().filter(|kind| kind.is_trial());
    let rate = success_rate_of(uses().map(|kind| *kind == EffectKind::Helped))?;
    let (to, reason) = evolve(lesson.state, uses().count() as u32, rate, policy)?;
    Some(Transition { lesson: lesson.id.clone(), from: lesson.state, to, reason })
}

/// Whether a draft was used often enough and failed: being seen again does not make it
/// work.
pub(super) fn is_failed_draft(lesson: &Lesson, policy: &EvolutionPolicy) -> bool {
    let n_uses = lesson.effects.n_tried();
    let rate = f64::from(lesson.effects.n_helped) / f64::from(n_uses.max(1));
    n_uses >= policy.draft_uses && rate < policy.draft_below
}

/// The success rate after one more use, as a moving average that starts in the middle:
/// the more uses, the less the newest one weighs. `n_before` uses made up `rate`.
pub fn success_rate(rate: Option<f64>, n_before: u32, is_success: bool) -> f64 {
    let n_uses = f64::from(n_before) + 1.0;
    let weight = (1.0 / (1.0 + (n_uses + 1.0).ln())).max(MIN_WEIGHT);
    let newest = if is_success { 1.0 } else { 0.0 };
    (weight * newest + (1.0 - weight) * rate.unwrap_or(START)).clamp(0.0, 1.0)
}

/// The success rate of uses, oldest first; `None` before the first.
pub fn success_rate_of(uses: impl IntoIterator<Item = bool>) -> Option<f64> {
    let uses = (0u32..).zip(uses);
    uses.fold(None, |rate, (n_before, is_good)| Some(success_rate(rate, n_before, is_good)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifecycle::is_legal;
    use State::*;

    #[test]
    fn drafts_rise_and_what_fails_falls() {
        let table = [
            (Candidate, 2, 1.0, None),
            (Candidate, 3, 0.69, None),
            (Candidate, 3, 0.7, Some(Provisional)),
            (Candidate, 9, 0.0, None),
            (Candidate, 10, 0.2, None),
            (Candidate, 10, 0.19, Some(Archived)),
            (Provisional, 4, 0.0, None),
            (Provisional, 5, 0.4, None),
            (Provisional, 5, 0.39, Some(Candidate)),
            (Provisional, 9, 0.1, Some(Candidate)),
            (Provisional, 10, 0.19, Some(Archived)),
            (Provisional, 10, 0.2, Some(Candidate)),
            (Provisional, 100, 0.9, None),
            (Stable, 5, 0.39, Some(Candidate)),
            (Canonical, 50, 0.0, None),
            (UnderReview, 50, 0.0, None),
            (Decayed, 50, 1.0, None),
            (Superseded, 50, 1.0, None),
            (Archived, 50, 1.0, None),
            (Rejected, 50, 1.0, None),
            (Quarantined, 50, 1.0, None),
        ];
        for (state, n_uses, rate, expected) in table {
            let next = evolve(state, n_uses, rate, &EvolutionPolicy::default());
            let told = next.map(|(next, _)| next);
            assert_eq!(told, expected, "{state} after {n_uses} uses at {rate}");
            assert!(told.is_none_or(|next| is_legal(state, next)), "{state} to {told:?}");
        }
        let (_, reason) = evolve(Candidate, 3, 0.7, &EvolutionPolicy::default()).unwrap();
        assert_eq!(reason, "success 0.70 is at least 0.70 after 3 uses");
    }

    #[test]
    fn the_average_moves_less_the_more_is_known() {
        let table: [(&[bool], &str); 6] = [
            (&[], "None"),
            (&[true], "0.795"),
            (&[false], "0.205"),
            (&[true, true, true], "0.938"),
            (&[true, true, true, false], "0.578"),
            (&[false; 10], "0.004"),
        ];
        for (uses, expected) in table {
            let rate = success_rate_of(uses.iter().copied());
            let told = rate.map_or("None".to_owned(), |rate| format!("{rate:.3}"));
            assert_eq!(told, expected, "{uses:?}");
        }
    }
}
