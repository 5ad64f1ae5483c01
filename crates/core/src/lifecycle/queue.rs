//! Which lessons wait for somebody to decide, who that is, and what they may decide.

use std::fmt;

use crate::lesson::{Decision, Lesson, State};
use crate::policy::{Policy, RoutingPolicy};
use crate::time::Timestamp;

/// Why a lesson waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    /// It is in doubt.
    Doubted,
    /// It came from outside.
    Foreign,
    /// It helped often enough to be canonical.
    CanBeCanonical,
    /// It helped often enough to be stable, and the team wants to be asked.
    CanBeStable,
    /// It was seen once, or stated, and the team wants to be asked.
    New,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Waiting::Doubted => "in doubt",
            Waiting::Foreign => "nobody vouched for it",
            Waiting::CanBeCanonical => "may become canonical",
            Waiting::CanBeStable => "may become stable",
            Waiting::New => "new",
        })
    }
}

/// Whether somebody should decide about a lesson. Without a team only doubt and what came
/// from outside wait, and what has earned more may have it.
pub fn waiting(lesson: &Lesson, policy: &Policy, is_team: bool) -> Option<Waiting> {
    let n_helped = lesson.effects.n_helped;
    match lesson.state {
        State::UnderReview => Some(Waiting::Doubted),
        State::Quarantined => Some(Waiting::Foreign),
        State::Stable if n_helped >= policy.review.canonical_at_helped => {
            Some(Waiting::CanBeCanonical)
        }
        State::Provisional if is_team => {
            let needed = policy.promotion.stable_at_helped;
            (needed > 0 && n_helped >= needed).then_some(Waiting::CanBeStable)
        }
        State::Candidate if is_team && !lesson.is_injectable() => Some(Waiting::New),
        State::Candidate | State::Provisional | State::Stable | State::Canonical => None,
        State::Decayed | State::Superseded | State::Archived | State::Rejected => None,
    }
}

/// What may be decided about a lesson in its state.
pub fn decisions(lesson: &Lesson, policy: &Policy) -> Vec<Decision> {
    use Decision::*;
    match lesson.state {
        State::UnderReview => {
            let last = policy.review.last_visit;
            let can_keep = last == 0 || lesson.upkeep.n_visits < last;
            let keep = if can_keep { vec![Keep] } else { Vec::new() };
            [keep, vec![Weaken, Supersede, Archive, Reject]].concat()
        }
        State::Quarantined => vec![Approve, Archive, Reject],
        State::Candidate => vec![Approve, Keep, Supersede, Archive, Reject],
        State::Provisional | State::Stable => {
            vec![Approve, Keep, Weaken, Supersede, Archive, Reject]
        }
        State::Canonical => vec![Keep, Weaken, Supersede, Archive, Reject],
        State::Decayed => vec![Supersede, Archive, Reject],
        State::Superseded | State::Archived | State::Rejected => Vec::new(),
    }
}

/// The authority that a lesson is routed to, by its category.
pub fn authority<'a>(lesson: &Lesson, policy: &'a RoutingPolicy) -> &'a str {
    let category = lesson.category.as_deref().unwrap_or_default();
    policy.by_category.get(category).unwrap_or(&policy.default_authority)
}

/// When time decides if nobody does.
pub fn deadline(lesson: &Lesson, policy: &Policy) -> Option<Timestamp> {
    let days = policy.review.archive_days;
    let since = lesson.upkeep.reviewing_since.filter(|_| lesson.state == State::UnderReview)?;
    (days > 0).then(|| super::later(since, days))
}
