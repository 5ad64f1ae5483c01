//! Decisions about lessons: which ones wait, who may decide, and what a decision does.
//! Without a team the user decides whatever they like, and nothing waits for them.

pub(super) mod choices;
mod line;
mod waiting;

use std::collections::BTreeMap;

use hardwon_core::change::Change;
use hardwon_core::effect::{Arm, EffectKind};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Decision, Lesson, Origin, Review, State};
use hardwon_core::lifecycle::{self, Approvals, Transition, Waiting};
use hardwon_core::team::Team;
use hardwon_render::answer::{Answer, Id, Named, Queue, Queued, Time, Word};
use hardwon_store::{LessonQuery, Pick, ProjectStatus};

use crate::kept::Waits;
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::proposal::{self, proposed};
use crate::seat;
use crate::write::{Command, present, write};
use line::in_line;

/// How many lessons are read at a time.
const N_READ: usize = 500;

/// In which capacity a member of a project's team decides.
const AS_MEMBER: &str = "reviewer";

/// A decision about one lesson.
#[derive(Clone, Debug)]
pub struct DecideRequest {
    pub lesson: String,
    pub decision: Decision,
    pub because: String,
    /// Who decides; the caller when left out.
    pub by: Option<String>,
    /// The lesson that replaces it.
    pub with: Option<String>,
}

/// Lessons that wait for a decision, the most urgent first.
pub fn review_queue(memory: &Memory, call: &Call) -> Result<Answer<Queue>> {
    queue_of(memory, call, memory.settings.is_team())
}

/// The same where every step has its reviewer, as in a team.
pub fn review_queue_of_team(memory: &Memory, call: &Call) -> Result<Answer<Queue>> {
    queue_of(memory, call, true)
}

fn queue_of(memory: &Memory, call: &Call, is_team: bool) -> Result<Answer<Queue>> {
    let members = seat::of(memory, call)?;
    let members = members.as_ref();
    let line = in_line(memory, call, is_team)?;
    let mut items: Vec<Queued> = Vec::with_capacity(line.len());
    for part in line.chunks(N_READ) {
        let ids = part.iter().map(|waits| waits.lesson.id.0.clone()).collect();
        let query = LessonQuery { pick: Pick::Ids(ids), ..LessonQuery::default() };
        let lessons = memory.store.lessons(&call.project, &query)?.into_iter();
        let mut lessons: BTreeMap<LessonId, Lesson> =
            lessons.map(|lesson| (lesson.id.clone(), lesson)).collect();
        let found = part.iter().filter_map(|it| Some((lessons.remove(&it.lesson.id.0)?, it.waits)));
        items.extend(found.map(|(lesson, waits)| queued(memory, call, members, lesson, waits)));
    }
    let is_team = is_team || members.is_some();
    let queue = Queue { items, is_team, ..Queue::default() };
    Ok(Answer::of(queue, Vec::new()).empty_if(|it| it.items.is_empty()))
}

/// How many lessons wait for a decision, and the first that is none of `passed_over`.
pub fn review_next(
    memory: &Memory,
    call: &Call,
    passed_over: &[String],
) -> Result<(usize, Option<Queued>)> {
    let line = in_line(memory, call, memory.settings.is_team())?;
    let is_left = |waits: &&Waits| !passed_over.contains(&waits.lesson.id.to_string());
    let first = line.iter().find(is_left).map(|waits| {
        let lesson = lookup::lesson_named(memory, call, waits.lesson.id.0.as_str())?;
        let members = seat::of(memory, call)?;
        Ok::<_, EngineError>(queued(memory, call, members.as_ref(), lesson, waits.waits))
    });
    Ok((line.len(), first.transpose()?))
}

/// How many lessons wait for a decision, and the first `n` of them.
pub fn waiting(memory: &Memory, call: &Call, n: usize) -> Result<(u64, Vec<Named>)> {
    let line = in_line(memory, call, memory.settings.is_team())?;
    Ok((line.len() as u64, line.iter().take(n).map(|waits| waits.lesson.clone()).collect()))
}

fn queued(
    memory: &Memory,
    call: &Call,
    members: Option<&Team>,
    lesson: Lesson,
    waits: Waiting,
) -> Queued {
    let routed = lifecycle::authority(&lesson, &memory.policy.routing);
    let is_theirs = members.is_some() && !memory.settings.is_team();
    Queued {
        waits: Id(waits),
        people: waiting::awaited(memory, members, &lesson, routed),
        authority: if is_theirs { AS_MEMBER } else { routed }.to_owned(),
        deadline: lifecycle::deadline(&lesson, &memory.policy).map(Time),
        decisions: lifecycle::decisions(&lesson, &memory.policy).into_iter().map(Word).collect(),
        because: waiting::because(memory, call, &lesson, waits),
        approvals: lifecycle::pending(&lesson).into_iter().map(Into::into).collect(),
        reviews: lesson.reviews.iter().map(Into::into).collect(),
        lesson: (&lesson).into(),
    }
}

/// People or roles that are bound to an authority in the settings.
pub(crate) fn people_of(memory: &Memory, authority: &str) -> Vec<String> {
    let setting = memory.settings.get(&format!("authority.{authority}"));
    let names = setting.map(|setting| setting.value.as_str()).unwrap_or_default();
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

pub fn decide(memory: &mut Memory, call: &Call, request: &DecideRequest) -> Result<Answer<Lesson>> {
    let command = format!("review {}", request.decision);
    let (_, lesson) = write(memory, call, &Command::new(&command), &mut |memory, status| {
        let lesson = lookup::lesson_to_change(memory, call, &request.lesson)?;
        let judged = judged(memory, call, &lesson, request, status)?;
        if judged.is_proposal {
            let change = Change::edit_lesson(&lesson, &judged.after, &judged.reason);
            return Ok((change.into_iter().collect(), judged.after));
        }
        let successor = successor(memory, call, &lesson, request)?;
        let superseded_by = successor.or(lesson.superseded_by.clone());
        let after = Lesson { superseded_by, ..judged.after };
        let mut changes = Vec::from_iter(Change::edit_lesson(&lesson, &after, &judged.reason));
        if after.state == State::Rejected {
            changes.extend(revived(memory, call, &lesson.id, &judged.review, status)?);
        }
        Ok((changes, after))
    })?;
    let problems = proposal::problem(call, &lesson);
    Ok(Answer::of(lesson, problems))
}

/// What a decision comes to, before anything is written.
pub(super) struct Judged {
    /// The lesson as it is then, but for what replaces it.
    pub after: Lesson,
    pub reason: String,
    pub review: Review,
    /// A person has to agree: it is only noted.
    pub is_proposal: bool,
}

/// Who decides, whether they may, and what it does to the lesson: for who decides, and for who
/// wants to know beforehand.
pub(super) fn judged(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    request: &DecideRequest,
    status: &ProjectStatus,
) -> Result<Judged> {
    let review = review_of(memory, call, lesson, request)?;
    // In a team only who is bound to the authority comes so far.
    if !memory.settings.is_team()
        && let Some(after) = proposed(call, lesson, review.decision, &review.because)?
    {
        let reason = "proposed by an agent".to_owned();
        return Ok(Judged { after, reason, review, is_proposal: true });
    }
    let lifecycle::Decided { lesson: after, reason } =
        decided(memory, call, lesson, &review, status)?;
    Ok(Judged { after, reason, review, is_proposal: false })
}

fn review_of(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    request: &DecideRequest,
) -> Result<Review> {
    // An agent speaks for itself, whatever name it gives, and so does who comes with a token.
    let by = match (&call.seat, call.origin()) {
        (Some(seat), _) => &seat.member,
        (None, Origin::Agent) => &call.actor,
        (None, _) => request.by.as_deref().unwrap_or(&call.actor),
    };
    let by = memory.gate.word(by).ok_or_else(|| refused(lesson, "say who decides"))?;
    let because = memory.gate.word(&request.because).ok_or_else(|| refused(lesson, "say why"))?;
    let authority = capacity(memory, call, lesson, &by, request.decision)?;
    let (decision, at, from) = (request.decision, call.now, lesson.state);
    Ok(Review { decision, by, authority, because, at, from, to: from })
}

/// In which capacity the caller decides, or why it may not.
fn capacity(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    by: &str,
    decision: Decision,
) -> Result<String> {
    let approves = match decision {
        // What is named as a successor inherits what the other had.
        Decision::Approve | Decision::Keep | Decision::Supersede => true,
        // It would be shown again.
        Decision::Weaken => lesson.state == State::UnderReview,
        Decision::Archive | Decision::Reject => false,
    };
    if !memory.settings.is_team() && approves {
        call.needs_person("approving a lesson")?;
    }
    if !memory.settings.is_team() {
        return match seat::of(memory, call)? {
            None => Ok("user".to_owned()),
            // What is only proposed needs nobody's leave.
            Some(_) if call.is_agent() => Ok("user".to_owned()),
            Some(team) => as_member(memory, &team, lesson, by, decision),
        };
    }
    let authority = lifecycle::authority(lesson, &memory.policy.routing);
    let people = people_of(memory, authority);
    if people.is_empty() {
        let reason =
            format!("the setting authority.{authority} names nobody; it waits in the queue");
        return Err(refused(lesson, &reason));
    }
    // One of the two approvals that canonical needs is another authority's.
    let is_joint = decision == Decision::Approve && lesson.state == State::Stable;
    let share = if is_joint { Some(waiting::share(memory, None, lesson, by)?) } else { None };
    if share.is_none() && people.iter().all(|name| name != by) {
        let reason = format!("{by} is not {authority}; that is {}", people.join(", "));
        return Err(refused(lesson, &reason));
    }
    let is_alone = decision == Decision::Approve && by == lesson.author;
    let has_other = lesson.reviews.iter().any(|review| review.by != by && !review.is_proposal());
    if is_alone && !has_other {
        return Err(refused(lesson, "its author cannot be the only one to approve it"));
    }
    Ok(share.map_or(authority.to_owned(), |share| share.authority))
}

/// In which capacity a member of the project's team decides. Two of them make a lesson canonical.
fn as_member(
    memory: &Memory,
    team: &Team,
    lesson: &Lesson,
    by: &str,
    decision: Decision,
) -> Result<String> {
    let reviewers = team.reviewers();
    if reviewers.iter().all(|name| name != by) {
        let who = if reviewers.is_empty() { "nobody".to_owned() } else { reviewers.join(", ") };
        return Err(refused(
            lesson,
            &format!("{by} is no reviewer of this project; that is {who}"),
        ));
    }
    if decision == Decision::Approve && lesson.state == State::Stable {
        waiting::share(memory, Some(team), lesson, by)?;
    }
    Ok(AS_MEMBER.to_owned())
}

/// The lesson that replaces this one. A lesson cannot replace itself.
fn successor(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    request: &DecideRequest,
) -> Result<Option<LessonId>> {
    if request.decision != Decision::Supersede {
        return Ok(None);
    }
    let name = request
        .with
        .as_deref()
        .ok_or_else(|| refused(lesson, "name the lesson that replaces it"))?;
    let with = lookup::standing_for(memory, call, lookup::lesson_named(memory, call, name)?)?;
    if with.id == lesson.id {
        return Err(refused(lesson, "it would replace itself"));
    }
    if with.state.is_put_away() {
        let reason = format!("{} is {} and cannot replace it", with.id, with.state);
        return Err(refused(lesson, &reason));
    }
    Ok(Some(with.id))
}

fn decided(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    review: &Review,
    status: &ProjectStatus,
) -> Result<lifecycle::Decided> {
    let stored = memory.store.effects(&call.project, std::slice::from_ref(&lesson.id))?;
    let shown = stored.iter().filter(|(_, effect)| effect.arm != Some(Arm::HeldOut));
    let effects: Vec<(u64, EffectKind)> =
        shown.map(|(_, effect)| (effect.run_number, effect.kind)).collect();
    let approvals = Approvals {
        effects: &effects,
        is_last: waiting::is_last_approval(
            memory,
            seat::of(memory, call)?.as_ref(),
            lesson,
            review,
        )?,
        promotion: &memory.policy.promotion,
        review: &memory.policy.review,
    };
    lifecycle::decide(lesson, review, present(call, status), approvals)
        .map_err(|reason| refused(lesson, &reason.0))
}

/// Lessons that this one had replaced come back, in doubt: the replacement was wrong.
fn revived(
    memory: &Memory,
    call: &Call,
    successor: &LessonId,
    review: &Review,
    status: &ProjectStatus,
) -> Result<Vec<Change>> {
    let states = vec![State::Superseded];
    let query = LessonQuery { states, ..LessonQuery::default() };
    let mut changes = Vec::new();
    for lesson in memory.store.lessons(&call.project, &query)? {
        if lesson.superseded_by.as_ref() != Some(successor) {
            continue;
        }
        let reason = format!("{successor}, which stood for it, was rejected by {}", review.by);
        let (from, to) = (lesson.state, State::UnderReview);
        let step = Transition { lesson: lesson.id.clone(), from, to, reason };
        let now = present(call, status);
        let mut after = lifecycle::entered(&lesson, &step, now, &memory.policy.review);
        after.superseded_by = None;
        // Doubt can end where it stood before, and no higher.
        after.upkeep.reviewed_from = Some(lifecycle::stood_at(&lesson));
        changes.extend(Change::edit_lesson(&lesson, &after, &step.reason));
    }
    Ok(changes)
}

/// Puts a lesson in doubt by hand.
pub fn doubt(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    because: &str,
) -> Result<Answer<Lesson>> {
    let (_, lesson) =
        write(memory, call, &Command::new("review request"), &mut |memory, status| {
            let lesson = lookup::lesson_to_change(memory, call, name)?;
            let can_doubt = lifecycle::is_legal(lesson.state, State::UnderReview);
            if lesson.state.is_put_away() || !can_doubt {
                let reason = format!("it is {}: there is nothing to doubt", lesson.state);
                return Err(refused(&lesson, &reason));
            }
            let because = memory.gate.word(because).ok_or_else(|| refused(&lesson, "say why"))?;
            if let Some(after) = proposed(call, &lesson, Decision::Weaken, &because)? {
                let change = Change::edit_lesson(&lesson, &after, "doubted by an agent");
                return Ok((change.into_iter().collect(), after));
            }
            let reason = format!("review asked for by {}: {because}", call.actor);
            let (from, to) = (lesson.state, State::UnderReview);
            let step = Transition { lesson: lesson.id.clone(), from, to, reason };
            let after =
                lifecycle::entered(&lesson, &step, present(call, status), &memory.policy.review);
            let change = Change::edit_lesson(&lesson, &after, &step.reason);
            Ok((change.into_iter().collect(), after))
        })?;
    let problems = proposal::problem(call, &lesson);
    Ok(Answer::of(lesson, problems))
}

pub(crate) fn refused(lesson: &Lesson, reason: &str) -> EngineError {
    EngineError::DecisionRefused { lesson: lesson.id.to_string(), reason: reason.to_owned() }
}
