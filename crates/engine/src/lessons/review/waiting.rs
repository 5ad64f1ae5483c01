//! Why does a lesson wait, and for whom? Two authorities make a lesson canonical in a team,
//! so whom it waits for depends on who has approved it.

use hardwon_core::lesson::{Decision, Lesson, Review, State};
use hardwon_core::lifecycle::{self, Bound, Share, Waiting};
use hardwon_core::policy::RoutingPolicy;
use hardwon_core::team::Team;
use hardwon_store::JournalQuery;

use super::refused;
use crate::lessons::review;
use crate::memory::{Call, Memory, Result};

/// The people of each authority.
fn bound(memory: &Memory) -> Bound {
    let keys = memory.settings.all().iter().map(|setting| &setting.key);
    let authorities = keys.filter_map(|key| key.strip_prefix("authority."));
    authorities
        .map(|authority| (authority.to_owned(), review::people_of(memory, authority)))
        .collect()
}

/// What an approval counts where two authorities must agree, or two members of the project's team.
pub(crate) fn share(
    memory: &Memory,
    members: Option<&Team>,
    lesson: &Lesson,
    by: &str,
) -> Result<Share> {
    let routing = &memory.policy.routing;
    let share = match members.filter(|_| !memory.settings.is_team()) {
        None => lifecycle::share(lesson, by, routing, &bound(memory)),
        Some(team) => {
            // Every reviewer speaks for every category, and a second one of them is enough.
            let own = lifecycle::authority(lesson, routing).to_owned();
            let bound = Bound::from([(own.clone(), team.reviewers())]);
            let routing = RoutingPolicy { default_authority: own, ..routing.clone() };
            lifecycle::share(lesson, by, &routing, &bound)
        }
    };
    share.map_err(|reason| refused(lesson, &reason.0))
}

/// Whether one person alone makes no lesson canonical.
pub(crate) fn is_shared(memory: &Memory, members: Option<&Team>) -> bool {
    memory.settings.is_team() || members.is_some()
}

/// Whether this is the last approval that is needed.
pub(crate) fn is_last_approval(
    memory: &Memory,
    members: Option<&Team>,
    lesson: &Lesson,
    review: &Review,
) -> Result<bool> {
    let is_joint = review.decision == Decision::Approve && lesson.state == State::Stable;
    if is_shared(memory, members) && is_joint {
        Ok(share(memory, members, lesson, &review.by)?.is_last)
    } else {
        Ok(true)
    }
}

/// Who may decide: the lesson's authority, or those who can give the last approval.
pub(crate) fn awaited(
    memory: &Memory,
    members: Option<&Team>,
    lesson: &Lesson,
    authority: &str,
) -> Vec<String> {
    let members = members.filter(|_| !memory.settings.is_team());
    let is_first = !is_shared(memory, members) || lifecycle::pending(lesson).is_empty();
    let mut people: Vec<String> = match members {
        Some(team) => team.reviewers(),
        None if is_first => review::people_of(memory, authority),
        None => bound(memory).into_values().flatten().collect(),
    };
    if is_first {
        return people;
    }
    people.sort();
    people.dedup();
    people.retain(|by| share(memory, members, lesson, by).is_ok_and(|share| share.is_last));
    people
}

/// Why it waits: what was proposed, or the reason of its last step.
pub(crate) fn because(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    waits: Waiting,
) -> Option<String> {
    match (waits, lesson.open_proposals().last()) {
        (Waiting::Proposed, Some(Review { decision, by, because, .. })) => {
            Some(format!("{by} would {decision} it: {because}"))
        }
        _ => last_reason(memory, call, lesson),
    }
}

/// The reason of a lesson's last step, or how it came to be. `None` if the journal
/// does not say: the queue is useful without it.
fn last_reason(memory: &Memory, call: &Call, lesson: &Lesson) -> Option<String> {
    let query = JournalQuery {
        lesson: Some(lesson.id.clone()),
        only_memory: true,
        newest_first: true,
        ..JournalQuery::default()
    };
    let entries = memory.store.journal(&call.project, &query).ok()?;
    entries.iter().find_map(|entry| entry.change.reason_for(lesson.state)).map(str::to_owned)
}
