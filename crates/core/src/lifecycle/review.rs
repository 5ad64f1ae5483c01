//! What does a decision do to a lesson? Either the lesson as it is then, or why the
//! decision cannot be made. Pure: who may decide, and whether others must agree, is in
//! `queue`.

use std::collections::BTreeSet;

use super::{Present, Transition, entered, is_legal, later};
use crate::danger;
use crate::effect::EffectKind;
use crate::lesson::{Decision, Lesson, Review, State, Trust, Upkeep};
use crate::policy::{PromotionPolicy, ReviewPolicy};

/// Why a decision cannot be made. Says what would be needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefusedDecision(pub String);

/// What an approval needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Approvals<'a> {
    /// The lesson's effects, oldest first, each with its root run's number.
    pub effects: &'a [(u64, EffectKind)],
    /// Whether this approval is the last one that canonical needs; see `share`.
    pub is_last: bool,
    pub promotion: &'a PromotionPolicy,
    pub review: &'a ReviewPolicy,
}

/// A lesson after a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub lesson: Lesson,
    pub reason: String,
}

/// The lesson after a review's decision. `review` has the lesson's state as both its ends;
/// the answer has the true one.
pub fn decide(
    lesson: &Lesson,
    review: &Review,
    now: Present,
    approvals: Approvals<'_>,
) -> Result<Decided, RefusedDecision> {
    if lesson.state.is_put_away() {
        return refuse(format!("it is {}: nothing is left to decide", lesson.state));
    }
    let to = match review.decision {
        Decision::Approve => approved(lesson, approvals)?,
        Decision::Keep => kept(lesson, approvals.review)?,
        Decision::Weaken => weakened(lesson)?,
        Decision::Reject => State::Rejected,
        Decision::Supersede => State::Superseded,
        Decision::Archive => State::Archived,
    };
    if to != lesson.state && !is_legal(lesson.state, to) {
        let decision = review.decision;
        return refuse(format!("it is {}, and {decision} is no way out of that", lesson.state));
    }
    let reason = format!("{} by {}: {}", review.decision, review.by, review.because);
    let mut next = moved(lesson, to, &reason, now, approvals.review);
    if review.decision == Decision::Keep && to.is_active() {
        // A kept lesson is not reviewed again for a while.
        let review_after = Some(later(now.at, approvals.review.kept_days));
        let holds = approvals.review.keeps_until_effect;
        next.upkeep = Upkeep {
            review_after,
            set_at_run: now.run_number,
            n_hurt_forgiven: lesson.effects.n_hurt,
            n_contradicted_forgiven: lesson.effects.n_contradicted,
            kept_at_effects: holds.then(|| lesson.effects.n_shown()),
            ..next.upkeep
        };
    }
    if review.decision == Decision::Approve {
        next.trust = Trust::Trusted;
    }
    next.reviews.push(Review { from: lesson.state, to, ..review.clone() });
    next.updated_at = now.at;
    Ok(Decided { lesson: next, reason })
}

fn refuse<T>(reason: impl Into<String>) -> Result<T, RefusedDecision> {
    Err(RefusedDecision(reason.into()))
}

fn moved(lesson: &Lesson, to: State, reason: &str, now: Present, policy: &ReviewPolicy) -> Lesson {
    if to == lesson.state {
        return lesson.clone();
    }
    let reason = reason.to_owned();
    let step = Transition { lesson: lesson.id.clone(), from: lesson.state, to, reason };
    entered(lesson, &step, now, policy)
}

fn approved(lesson: &Lesson, approvals: Approvals<'_>) -> Result<State, RefusedDecision> {
    let is_open = matches!(
        lesson.state,
        State::Candidate | State::Provisional | State::Stable | State::Quarantined
    );
    if is_open && approvals.review.approval_is_final && approvals.is_last {
        return Ok(State::Canonical);
    }
    // What is dangerous to run was shown to nobody: the yes alone is what it lacked.
    if lesson.state.is_active() && danger::of_lesson(lesson).is_some() {
        return Ok(lesson.state);
    }
    match lesson.state {
        State::Candidate | State::Quarantined => Ok(State::Provisional),
        // The user stands behind what they were heard to say: that is all it needs.
        State::Provisional if lesson.is_personal() => Ok(State::Provisional),
        State::Provisional => {
            let (needed, n_helped) =
                (approvals.promotion.stable_at_helped, lesson.effects.n_helped);
            let window = approvals.promotion.stable_window as usize;
            let mut recent = approvals.effects.iter().rev().take(window);
            if n_helped < needed {
                return refuse(format!("stable needs {needed} helped, it has {n_helped}"));
            }
            if recent.any(|(_, kind)| *kind == EffectKind::Contradicted) {
                return refuse(format!("it was contradicted within its last {window} effects"));
            }
            Ok(State::Stable)
        }
        State::Stable => canonical(lesson, approvals),
        State::Canonical => refuse("it is canonical: there is nothing above"),
        State::UnderReview => {
            refuse("it is under review: keep, weaken, supersede, archive or reject it")
        }
        State::Decayed => refuse("it has faded; `restore` brings it back as a candidate"),
        State::Superseded | State::Archived | State::Rejected => {
            refuse(format!("it is {}", lesson.state))
        }
    }
}

fn canonical(lesson: &Lesson, approvals: Approvals<'_>) -> Result<State, RefusedDecision> {
    let policy = approvals.review;
    let helped = approvals.effects.iter().filter(|(_, kind)| *kind == EffectKind::Helped);
    let runs: BTreeSet<u64> = helped.map(|(run, _)| *run).collect();
    let (n_helped, n_runs) = (lesson.effects.n_helped, runs.len() as u32);
    if n_helped < policy.canonical_at_helped || n_runs < policy.canonical_runs {
        return refuse(format!(
            "canonical needs {} helped in {} runs, it has {n_helped} in {n_runs}",
            policy.canonical_at_helped, policy.canonical_runs
        ));
    }
    // The first of two approvals is noted and waits for the second.
    Ok(if approvals.is_last { State::Canonical } else { State::Stable })
}

fn kept(lesson: &Lesson, policy: &ReviewPolicy) -> Result<State, RefusedDecision> {
    if lesson.state != State::UnderReview {
        return match lesson.state {
            State::Quarantined => refuse("it is not approved yet: approve or reject it"),
            state => Ok(state),
        };
    }
    let n_visits = lesson.upkeep.n_visits;
    if policy.last_visit > 0 && n_visits >= policy.last_visit {
        return refuse(format!(
            "this is its visit number {n_visits}: supersede, weaken, archive or reject it"
        ));
    }
    Ok(lesson.upkeep.reviewed_from.unwrap_or(State::Candidate))
}

fn weakened(lesson: &Lesson) -> Result<State, RefusedDecision> {
    match lesson.state {
        // Doubt never ends higher than it began.
        State::UnderReview => Ok(match lesson.upkeep.reviewed_from {
            Some(State::Provisional | State::Stable | State::Canonical) => State::Provisional,
            _ => State::Candidate,
        }),
        State::Stable | State::Canonical => Ok(State::Provisional),
        State::Provisional => Ok(State::Candidate),
        State::Candidate | State::Decayed => {
            refuse(format!("a {} lesson is not shown, so there is nothing to weaken", lesson.state))
        }
        State::Quarantined => refuse("it is not approved yet: approve or reject it"),
        State::Superseded | State::Archived | State::Rejected => {
            refuse(format!("it is {}", lesson.state))
        }
    }
}

/// What a superseded lesson was before.
pub fn stood_at(lesson: &Lesson) -> State {
    let end = lesson.reviews.iter().rev().find(|review| review.to == State::Superseded);
    match end.map(|review| review.from) {
        Some(State::Provisional | State::Stable | State::Canonical) => State::Provisional,
        _ => State::Candidate,
    }
}
