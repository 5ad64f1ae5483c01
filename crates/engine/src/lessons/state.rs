//! Lessons by hand: state, list, find, change, put away and bring back.

use hardwon_core::change::{Change, LessonField, Swap};
use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Decision, Kind, Lesson, Origin, State, Summary, Trust, Unseen};
use hardwon_core::lifecycle::{Transition, entered, is_legal};
use hardwon_core::merge;
use hardwon_core::scope::{Dimension, Reach};
use hardwon_core::statement::{self, Stated, Statement};
use hardwon_core::versions;
use hardwon_core::voice::Voice;
use hardwon_render::answer::Answer;
use hardwon_store::{LessonQuery, Pick};

use crate::fitting::wish_without_room;
use crate::lessons::erase;
use crate::lessons::erase::said_again;
use crate::lessons::merge::near_or_opposite;
use crate::lessons::review::refused;
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::proposal::{self, proposed};
use crate::write::{Command, present, write};

/// A lesson to be stated by hand.
#[derive(Clone, Debug, Default)]
pub struct AddRequest {
    pub text: String,
    /// `None` = a preference.
    pub kind: Option<Kind>,
    pub is_global: bool,
    /// A lesson whose place it takes.
    pub supersedes: Option<String>,
    pub stated: Stated,
}

/// How a lesson is to be changed.
#[derive(Clone, Debug, Default)]
pub struct EditRequest {
    pub text: Option<String>,
    pub kind: Option<Kind>,
    pub stated: Stated,
    /// Dimensions to take out of the scope.
    pub unscope: Vec<Dimension>,
    pub untag: Vec<String>,
    pub unpath: Vec<String>,
    /// A short form for blocks without room; empty takes it away.
    pub summary: Option<String>,
}

/// The next version of a lesson, and why.
type Next = Result<(Lesson, String)>;

/// States a lesson. A preference of a person is injectable at once; other kinds
/// start as candidates. Stating the same text again finds the same lesson: put
/// away, it is brought back; otherwise the answer is an error that names it.
pub fn add(memory: &mut Memory, call: &Call, request: &AddRequest) -> Result<Answer<Lesson>> {
    let kind = request.kind.unwrap_or(Kind::Preference);
    if !kind.decays() && call.speaker.voice == Voice::Script {
        call.needs_person("stating a preference or a rule")?;
    }
    let text = memory.gate.statement(&request.text, call.origin());
    let text = text.map_err(EngineError::Refused)?;
    request.supersedes.iter().try_for_each(|_| call.needs_person("replacing a lesson"))?;
    let lifted = erase::lifted_by(memory, call, text.as_str())?;
    let (_, lesson) = write(memory, call, &Command::new("add"), &mut |memory, status| {
        let project = (!request.is_global).then_some(&call.project);
        let id = lookup::free_id(memory, call, project, kind, text.as_str())?;
        refuse_taken_aliases(memory, call, &request.stated, &id)?;
        let unseen = Unseen { n_runs: 0, checked_at: status.run_number };
        let statement = Statement {
            id,
            project: project.cloned(),
            kind,
            text: text.clone(),
            stated: &request.stated,
            author: &call.actor,
            origin: call.origin(),
            at: call.now,
        };
        let stated = Lesson { unseen, ..statement::new_lesson(&memory.gate, statement) };
        let old = request.supersedes.as_deref();
        let old = old.map(|name| lookup::lesson_to_change(memory, call, name)).transpose()?;
        let (mut changes, lesson) = match lookup::find_lesson(memory, call, &stated.id)? {
            None => {
                let because = format!("stated by {}", call.actor);
                let marks = erase::lifted_by(memory, call, text.as_str())?.into_iter();
                let mut changes: Vec<Change> =
                    marks.map(|tombstone| Change::RemoveTombstone { tombstone }).collect();
                changes.push(Change::AddLesson { lesson: Box::new(stated.clone()), because });
                (changes, stated)
            }
            Some(known) if matches!(known.state, State::Archived | State::Decayed) => {
                refuse_foreign_words(call, &known)?;
                let next =
                    Lesson { state: State::Candidate, updated_at: call.now, ..known.clone() };
                let origin = call.origin();
                let next = statement::trusted(&known, next, origin);
                let origin = if origin == Origin::User { origin } else { next.origin };
                let next = Lesson { origin, ..next };
                let change = Change::edit_lesson(&known, &next, "stated again by hand");
                (change.into_iter().collect(), next)
            }
            Some(known) if old.is_some() => (Vec::new(), known),
            Some(known) => return Err(EngineError::Duplicate { lesson: known.id.to_string() }),
        };
        if let Some(old) = old {
            let (now, policy) = (present(call, status), &memory.policy.review);
            let ended = merge::replaced(&old, &lesson, &call.actor, now, policy);
            changes.extend(ended.map_err(|reason| refused(&old, &reason))?);
        }
        Ok((changes, lesson))
    })?;
    // A foreign store gives it a name of its own.
    let lesson = lookup::find_lesson(memory, call, &lesson.id)?.unwrap_or(lesson);
    let mut problems = Vec::from_iter(statement::lost_tags(&request.stated, &lesson));
    let said_again = lifted.iter().map(|mark| said_again(mark.at));
    problems.extend(said_again.map(|reason| Problem::new(&lesson.id, reason)));
    problems.extend(near_or_opposite(memory, call, &lesson)?);
    problems.extend(wish_without_room(memory, call, &lesson)?);
    Ok(Answer::of(lesson, problems))
}

/// An alias names one lesson.
fn refuse_taken_aliases(
    memory: &Memory,
    call: &Call,
    stated: &Stated,
    own: &LessonId,
) -> Result<()> {
    for alias in stated.aliases.iter().filter_map(|alias| memory.gate.word(alias)) {
        let query = LessonQuery { pick: Pick::Named(alias.clone()), ..LessonQuery::default() };
        let found = memory.store.lessons(&call.project, &query)?;
        let is_taken = |l: &&Lesson| l.id != *own && l.aliases.contains(&alias);
        if let Some(other) = found.iter().find(is_taken) {
            return Err(EngineError::AliasTaken { alias, lesson: other.id.to_string() });
        }
    }
    Ok(())
}

/// Changes a lesson. A person who rewords or rescopes a lesson approves it.
pub fn edit(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    request: &EditRequest,
) -> Result<Answer<Lesson>> {
    let text = match &request.text {
        Some(raw) => {
            let text = memory.gate.statement(raw, call.origin()).map_err(EngineError::Refused)?;
            erase::lifted_by(memory, call, text.as_str())?;
            Some(text)
        }
        None => None,
    };
    change_lesson(memory, call, "edit", name, Decision::Weaken, &mut |memory, lesson| {
        refuse_taken_aliases(memory, call, &request.stated, &lesson.id)?;
        let mut next = statement::with_stated(&memory.gate, lesson.clone(), &request.stated);
        if let Some(text) = &text {
            next.text = text.clone();
        }
        if let Some(line) = &request.summary {
            let line = memory.gate.line(line);
            let summary = Summary::new(line.as_str(), next.text.as_str());
            next.guidance.summary = Some(summary).filter(|summary| !summary.line.is_empty());
        }
        next.kind = request.kind.unwrap_or(next.kind);
        next.scope.0.retain(|dimension, _| !request.unscope.contains(dimension));
        // A lesson's scope widens one step at a time.
        let leap = Reach::of(&lesson.scope).may_become(Reach::of(&next.scope));
        leap.map_err(|leap| EngineError::TooWide { lesson: lesson.id.to_string(), leap })?;
        next.tags.retain(|tag| !request.untag.contains(tag));
        next.paths.retain(|path| !request.unpath.contains(path));
        next = statement::trusted(lesson, next, call.origin());
        let has_summary = next.guidance.summary != lesson.guidance.summary;
        let is_reworded = next.text != lesson.text || next.kind != lesson.kind || has_summary;
        if is_reworded && call.is_agent() {
            refuse_foreign_words(call, lesson)?;
            next = statement::claimed(next);
        }
        if next.state == State::Quarantined && next.trust == Trust::Trusted {
            next.state = State::Candidate;
        }
        Ok((next, format!("edited by {}", call.actor)))
    })
}

/// Under somebody else's name, and with the evidence for what they said, an agent's
/// words would look like theirs. It may state a lesson of its own.
fn refuse_foreign_words(call: &Call, lesson: &Lesson) -> Result<()> {
    let is_own = lesson.origin == call.origin() && lesson.author == call.actor;
    if is_own { Ok(()) } else { call.needs_person("changing another author's lesson") }
}

/// Pins a lesson (it gets room of its own in every block), or unpins it.
pub fn pin(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    is_pinned: bool,
) -> Result<Answer<Lesson>> {
    let verb = if is_pinned { "pinned" } else { "unpinned" };
    if is_pinned {
        call.needs_person("pinning a lesson")?;
    }
    change_lesson(memory, call, "pin", name, Decision::Weaken, &mut |_, lesson| {
        let next = Lesson { is_pinned, ..lesson.clone() };
        Ok((next, format!("{verb} by {}", call.actor)))
    })
}

/// Puts a lesson away. It is kept, and `restore` brings it back.
pub fn forget(memory: &mut Memory, call: &Call, name: &str) -> Result<Answer<Lesson>> {
    change_lesson(memory, call, "forget", name, Decision::Archive, &mut |_, lesson| {
        if lesson.state != State::Archived && !is_legal(lesson.state, State::Archived) {
            return Err(EngineError::WrongState {
                lesson: lesson.id.to_string(),
                state: lesson.state.word(),
                reason: "it is put away already",
            });
        }
        let next = Lesson { state: State::Archived, ..lesson.clone() };
        Ok((next, format!("forgotten by {}", call.actor)))
    })
}

/// Brings a lesson back to the state it had before it was put away.
pub fn restore(memory: &mut Memory, call: &Call, name: &str) -> Result<Answer<Lesson>> {
    call.needs_person("bringing back a lesson")?;
    change_lesson(memory, call, "restore", name, Decision::Keep, &mut |memory, lesson| {
        let state = match lesson.state {
            State::Archived => state_before(memory, call, lesson)?,
            State::Decayed | State::Rejected => State::Candidate,
            State::Superseded => {
                return Err(EngineError::WrongState {
                    lesson: lesson.id.to_string(),
                    state: lesson.state.word(),
                    reason: "another lesson replaced it; reject that one to restore it",
                });
            }
            State::Candidate
            | State::Provisional
            | State::Stable
            | State::Canonical
            | State::UnderReview
            | State::Quarantined => {
                return Err(EngineError::WrongState {
                    lesson: lesson.id.to_string(),
                    state: lesson.state.word(),
                    reason: "only what was put away can be restored",
                });
            }
        };
        // A lesson without standing, or long unseen, would fade again at once.
        let status = memory.store.status(&call.project)?;
        let unseen = Unseen { n_runs: 0, checked_at: status.run_number };
        let standing = lesson.standing.max(1);
        let reason = format!("restored by {}", call.actor);
        let (id, from) = (lesson.id.clone(), lesson.state);
        let step = Transition { lesson: id, from, to: state, reason: reason.clone() };
        let now = present(call, &status);
        let entered = entered(lesson, &step, now, &memory.policy.review);
        Ok((Lesson { standing, unseen, ..entered }, reason))
    })
}

/// Lets a lesson say again what it said in an earlier version, whatever came after.
pub fn restore_version(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    number: u32,
) -> Result<Answer<Lesson>> {
    call.needs_person("bringing back a version of a lesson")?;
    change_lesson(memory, call, "restore", name, Decision::Weaken, &mut |memory, lesson| {
        let kept = lookup::versions_of(memory, call, &lesson.id)?;
        let found = kept.into_iter().find(|version| version.number == number);
        let said = found.filter(|version| version.lesson.text.body().is_some());
        let lesson_id = lesson.id.to_string();
        let unknown = EngineError::UnknownVersion { lesson: lesson_id, version: number };
        let next = versions::restored(lesson, &said.ok_or(unknown)?.lesson);
        let next = statement::trusted(lesson, next, call.origin());
        Ok((next, versions::because(number, &call.actor)))
    })
}

fn state_before(memory: &Memory, call: &Call, lesson: &Lesson) -> Result<State> {
    let entries = lookup::history_of(memory, call, &lesson.id)?;
    let put_away = entries.iter().rev().find_map(|entry| match &entry.change {
        Change::EditLesson { fields, .. } => fields.iter().find_map(|field| match field {
            LessonField::State(Swap { from, to: State::Archived }) => Some(*from),
            _ => None,
        }),
        _ => None,
    });
    Ok(put_away.unwrap_or(State::Candidate))
}

fn change_lesson(
    memory: &mut Memory,
    call: &Call,
    command: &str,
    name: &str,
    // What a change by this command comes to, where it is only proposed.
    decision: Decision,
    next: &mut dyn FnMut(&Memory, &Lesson) -> Next,
) -> Result<Answer<Lesson>> {
    let (_, lesson) = write(memory, call, &Command::new(command), &mut |memory, _| {
        let lesson = lookup::lesson_to_change(memory, call, name)?;
        let (mut after, because) = next(memory, &lesson)?;
        if let Some(proposed) = proposed(call, &lesson, decision, &because)? {
            after = proposed;
        }
        after.updated_at = call.now;
        let change = Change::edit_lesson(&lesson, &after, &because);
        Ok((change.into_iter().collect(), after))
    })?;
    let problems = proposal::problem(call, &lesson);
    Ok(Answer::of(lesson, problems))
}
