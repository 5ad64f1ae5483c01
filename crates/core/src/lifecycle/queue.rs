//! Which lessons wait for a decision, who decides, and what may be decided.

use std::collections::BTreeMap;

use super::RefusedDecision;
use crate::lesson::{Decision, Lesson, Origin, Review, State};
use crate::policy::{Policy, RoutingPolicy};
use crate::reflect::AUTHOR;
use crate::time::Timestamp;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// Why a lesson waits.
    Waiting {
        /// A model looked back on a run, or an agent did: nothing else speaks for it yet.
        Advised = "a model proposed it",
        Doubted = "in doubt",
        /// It came from outside.
        Foreign = "not approved",
        CanBeCanonical = "may become canonical",
        /// A person stands behind it, and an agent would have it changed.
        Proposed = "proposed by an agent",
        /// The user typed it in a conversation.
        Said = "said by the user",
        /// It helped often enough, and the team wants to be asked.
        CanBeStable = "may become stable",
        /// It was seen once, or stated, and the team wants to be asked.
        New = "new",
    }
}

/// Whether a decision about a lesson is due. Without a team only lessons in doubt, from outside
/// and from models wait, wishes that the user typed, and stable ones that may become canonical.
pub fn waiting(lesson: &Lesson, policy: &Policy, is_team: bool) -> Option<Waiting> {
    let (n_helped, n_contradicted) = (lesson.effects.n_helped, lesson.effects.n_contradicted);
    match lesson.state {
        State::UnderReview => Some(Waiting::Doubted),
        State::Quarantined => Some(Waiting::Foreign),
        State::Stable if n_contradicted == 0 && n_helped >= policy.review.canonical_at_helped => {
            Some(Waiting::CanBeCanonical)
        }
        State::Candidate | State::Provisional if lesson.is_personal() => Some(Waiting::Said),
        State::Candidate if is_advised(lesson) => Some(Waiting::Advised),
        State::Provisional if is_team && may_become_stable(lesson, policy) => {
            Some(Waiting::CanBeStable)
        }
        State::Candidate if is_team && !lesson.is_injectable() => Some(Waiting::New),
        State::Candidate | State::Provisional | State::Stable | State::Canonical => {
            (!lesson.open_proposals().is_empty()).then_some(Waiting::Proposed)
        }
        State::Decayed | State::Superseded | State::Archived | State::Rejected => None,
    }
}

/// Whether only what a model or an agent made of a run speaks for it: nothing was executed.
fn is_advised(lesson: &Lesson) -> bool {
    lesson.origin == Origin::Agent && lesson.author == AUTHOR && lesson.grade.is_none()
}

fn may_become_stable(lesson: &Lesson, policy: &Policy) -> bool {
    let needed = policy.promotion.stable_at_helped;
    needed > 0 && lesson.effects.n_helped >= needed
}

/// What may be decided about a lesson in its state.
pub fn decisions(lesson: &Lesson, policy: &Policy) -> Vec<Decision> {
    use Decision::*;
    match lesson.state {
        State::UnderReview => {
            let last = policy.review.last_visit;
            let can_keep = last == 0 || lesson.upkeep.n_visits < last;
            let rest = [Weaken, Supersede, Archive, Reject];
            can_keep.then_some(Keep).into_iter().chain(rest).collect()
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

/// When it is archived if no review decides before.
pub fn deadline(lesson: &Lesson, policy: &Policy) -> Option<Timestamp> {
    let days = policy.review.archive_days;
    let since = lesson.upkeep.reviewing_since.filter(|_| lesson.state == State::UnderReview)?;
    (days > 0).then(|| super::later(since, days))
}

/// Who is bound to which authority.
pub type Bound = BTreeMap<String, Vec<String>>;

/// One of the two approvals that make a lesson canonical in a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// In which capacity it is given.
    pub authority: String,
    /// Whether nothing is missing after it.
    pub is_last: bool,
}

/// Approvals that wait for another one: those given since the lesson became stable.
pub fn pending(lesson: &Lesson) -> Vec<&Review> {
    let was_stable = |review: &&Review| (review.from, review.to) == (State::Stable, State::Stable);
    let since = lesson.reviews.iter().rev().take_while(was_stable);
    let mut given: Vec<&Review> =
        since.filter(|review| review.decision == Decision::Approve).collect();
    given.reverse();
    if lesson.state == State::Stable { given } else { Vec::new() }
}

/// How an approval counts where two authorities must agree: one person for the authority
/// that the category is routed to, another for a different authority. If that authority is
/// the default one, a second person of it is enough.
pub fn share(
    lesson: &Lesson,
    by: &str,
    routing: &RoutingPolicy,
    bound: &Bound,
) -> Result<Share, RefusedDecision> {
    let own = authority(lesson, routing);
    let held = held(by, own, bound);
    let Some(first) = held.first() else {
        return Err(RefusedDecision(format!("{by} is bound to no authority")));
    };
    let given = pending(lesson);
    if let Some(known) = given.iter().find(|review| review.by == by) {
        let reason = format!("{by} approved it already, as {}", known.authority);
        return Err(RefusedDecision(format!("{reason}; {}", missing(own, routing))));
    }
    if given.is_empty() {
        return Ok(Share { authority: (*first).to_owned(), is_last: false });
    }
    let agrees = |mine: &&&str| {
        let others = given.iter().flat_map(|review| {
            let recorded = review.authority.as_str();
            self::held(&review.by, own, bound).into_iter().chain([recorded])
        });
        others.into_iter().any(|theirs| {
            let has_own = **mine == own || theirs == own;
            has_own && (**mine != theirs || own == routing.default_authority)
        })
    };
    match held.iter().find(agrees) {
        Some(mine) => Ok(Share { authority: (*mine).to_owned(), is_last: true }),
        None => {
            let voices: Vec<String> = given
                .iter()
                .map(|review| format!("{} as {}", review.by, review.authority))
                .collect();
            let reason =
                format!("approved by {}, and {by} is {}", voices.join(", "), held.join(", "));
            Err(RefusedDecision(format!("{reason}; {}", missing(own, routing))))
        }
    }
}

/// The authorities of a person, the lesson's own first.
fn held<'a>(by: &str, own: &'a str, bound: &'a Bound) -> Vec<&'a str> {
    let is_theirs = |people: &Vec<String>| people.iter().any(|name| name == by);
    let theirs = bound.iter().filter(|(_, people)| is_theirs(people));
    let mut held: Vec<&str> = theirs.map(|(authority, _)| authority.as_str()).collect();
    held.sort_by_key(|authority| *authority != own);
    held
}

fn missing(own: &str, routing: &RoutingPolicy) -> String {
    if own == routing.default_authority {
        format!("two people must approve, one of them as {own}")
    } else {
        format!("{own} and another authority must approve, two people")
    }
}
