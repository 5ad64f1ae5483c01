//! Lessons by hand: state, list, find, change, put away and bring back.

use std::collections::BTreeSet;

use hardwon_core::change::{Change, LessonField, Swap};
use hardwon_core::effect::EffectCounts;
use hardwon_core::event::Problem;
use hardwon_core::finding::Severity;
use hardwon_core::gate::{MAX_TAG_CHARS, MAX_TAGS};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Arms, Guidance, Kind, Lesson, Origin, State, Trust, Unseen, Upkeep};
use hardwon_core::lifecycle::{Transition, entered, is_legal};
use hardwon_core::scope::{Dimension, Reach, Scope};
use hardwon_render::answer::Answer;
use hardwon_store::{JournalQuery, LessonQuery, Pick};

use crate::call::{Call, Voice};
use crate::error::EngineError;
use crate::lessons::erase;
use crate::lessons::erase::said_again;
use crate::lookup;
use crate::memory::Memory;
use crate::write::{Command, present, write};

/// A lesson to be stated by hand.
#[derive(Clone, Debug, Default)]
pub struct AddRequest {
    pub text: String,
    /// `None` = a preference.
    pub kind: Option<Kind>,
    pub is_global: bool,
    pub stated: Stated,
}

/// What may be said about a lesson beside its text.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    pub category: Option<String>,
    pub severity: Option<Severity>,
    pub importance: Option<f64>,
    pub scope: Vec<(Dimension, String)>,
    pub tags: Vec<String>,
    pub paths: Vec<String>,
    pub aliases: Vec<String>,
    /// `IF … THEN …`; empty takes it away, as with the next two.
    pub rule: Option<String>,
    pub detail: Option<String>,
    pub applies_when: Option<String>,
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
}

/// The next version of a lesson, and why.
type Next = Result<(Lesson, String), EngineError>;

/// States a lesson. A preference of a person is injectable at once; other kinds
/// start as candidates. Stating the same text again finds the same lesson: put
/// away, it is brought back; otherwise the answer is an error that names it.
pub fn add(
    memory: &mut Memory,
    call: &Call,
    request: &AddRequest,
) -> Result<Answer<Lesson>, EngineError> {
    let text = memory.gate.statement(&request.text, call.voice.origin());
    let text = text.map_err(EngineError::Refused)?;
    let kind = request.kind.unwrap_or(Kind::Preference);
    let lifted = erase::lifted_by(memory, call, text.as_str())?;
    let (_, lesson) = write(memory, call, &Command::new("add"), &mut |memory, status| {
        let project = (!request.is_global).then_some(&call.project);
        let id = lookup::free_id(memory, call, project, kind, text.as_str())?;
        refuse_taken_aliases(memory, call, &request.stated, &id)?;
        let unseen = Unseen { n_runs: 0, checked_at: status.run_number };
        let stated = stated_lesson(memory, call, id, kind, text.clone(), request);
        let stated = Lesson { unseen, ..stated };
        match lookup::find_lesson(memory, call, &stated.id)? {
            None => {
                let because = format!("stated by {}", call.actor);
                let marks = erase::lifted_by(memory, call, text.as_str())?.into_iter();
                let mut changes: Vec<Change> =
                    marks.map(|tombstone| Change::RemoveTombstone { tombstone }).collect();
                changes.push(Change::AddLesson { lesson: Box::new(stated.clone()), because });
                Ok((changes, stated))
            }
            Some(known) if matches!(known.state, State::Archived | State::Decayed) => {
                refuse_foreign_words(call, &known)?;
                let next =
                    Lesson { state: State::Candidate, updated_at: call.now, ..known.clone() };
                let next = stated_again(call, next);
                let change = Change::edit_lesson(&known, &next, "stated again by hand");
                Ok((change.into_iter().collect(), next))
            }
            Some(known) => Err(EngineError::Duplicate { lesson: known.id.to_string() }),
        }
    })?;
    // A foreign store gives it a name of its own.
    let lesson = lookup::find_lesson(memory, call, &lesson.id)?.unwrap_or(lesson);
    let mut problems = cut_tags(&request.stated, &lesson);
    let said_again = lifted.iter().map(|mark| said_again(mark.at));
    problems.extend(said_again.map(|reason| Problem::new(&lesson.id, reason)));
    Ok(Answer::of(lesson, problems))
}

/// A lesson that was put away, as it stands after somebody stated it anew: a person
/// vouches for it, an agent can only bring back its own word.
fn stated_again(call: &Call, lesson: Lesson) -> Lesson {
    match call.voice.origin() {
        Origin::User => Lesson { origin: Origin::User, trust: Trust::Trusted, ..lesson },
        Origin::Agent | Origin::Reviewer | Origin::Import => {
            let trust = lesson.trust.min(call.voice.origin().trust());
            Lesson { trust, ..lesson }
        }
    }
}

pub fn stated_lesson(
    memory: &Memory,
    call: &Call,
    id: LessonId,
    kind: Kind,
    text: hardwon_core::text::Text,
    request: &AddRequest,
) -> Lesson {
    let severity = request.stated.severity.unwrap_or(Severity::Info);
    let importance = match request.stated.importance {
        Some(importance) => importance.clamp(0.0, 1.0),
        // What a person bothers to state matters at least as much as a warning.
        None => severity.importance().max(Severity::Warning.importance()),
    };
    let is_user = call.voice == Voice::Person;
    let confidence = if is_user { 0.8 } else { 0.4 };
    // A person's word stands by itself, but no run has seen it yet.
    let standing = u32::from(is_user);
    let lesson = Lesson {
        id,
        project: (!request.is_global).then(|| call.project.clone()),
        kind,
        category: None,
        text,
        scope: Scope::default(),
        tags: Vec::new(),
        paths: Vec::new(),
        severity,
        state: State::Candidate,
        importance,
        base_confidence: confidence,
        confidence,
        n_sightings: 0,
        standing,
        last_seen_run: None,
        unseen: Unseen::default(),
        detectors: BTreeSet::new(),
        grade: None,
        effects: EffectCounts::default(),
        is_pinned: false,
        author: memory.gate.word(&call.actor).unwrap_or_else(|| "user".to_owned()),
        origin: call.voice.origin(),
        trust: call.voice.origin().trust(),
        aliases: Vec::new(),
        signatures: Vec::new(),
        extra: None,
        upkeep: Upkeep::default(),
        reviews: Vec::new(),
        superseded_by: None,
        arms: Arms::default(),
        guidance: Guidance::default(),
        created_at: call.now,
        updated_at: call.now,
    };
    with_stated(memory, lesson, &request.stated)
}

/// A lesson with more said about it; every word passes the gate.
fn with_stated(memory: &Memory, mut lesson: Lesson, stated: &Stated) -> Lesson {
    if let Some(category) = &stated.category {
        lesson.category = memory.gate.word(category);
    }
    if let Some(severity) = stated.severity {
        lesson.severity = severity;
    }
    if let Some(importance) = stated.importance {
        lesson.importance = importance.clamp(0.0, 1.0);
    }
    for (dimension, value) in &stated.scope {
        if let Some(value) = memory.gate.word(value) {
            lesson.scope.0.insert(*dimension, value);
        }
    }
    let said =
        |raw: &str| Some(memory.gate.line(raw).as_str().to_owned()).filter(|s| !s.is_empty());
    let guidance = &mut lesson.guidance;
    let all = [
        (&stated.rule, &mut guidance.rule),
        (&stated.detail, &mut guidance.detail),
        (&stated.applies_when, &mut guidance.applies_when),
    ];
    for (stated, kept) in all {
        if let Some(raw) = stated {
            *kept = said(raw);
        }
    }
    let tags = lesson.tags.iter().chain(&stated.tags).map(String::as_str);
    lesson.tags = memory.gate.tags(tags);
    grow(&mut lesson.paths, stated.paths.iter().filter_map(|path| memory.gate.word(path)));
    grow(&mut lesson.aliases, stated.aliases.iter().filter_map(|alias| memory.gate.word(alias)));
    lesson
}

/// An alias names one lesson.
fn refuse_taken_aliases(
    memory: &Memory,
    call: &Call,
    stated: &Stated,
    own: &LessonId,
) -> Result<(), EngineError> {
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

/// Changes a lesson. Who rewords or rescopes a lesson vouches for it.
pub fn edit(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    request: &EditRequest,
) -> Result<Answer<Lesson>, EngineError> {
    let text = match &request.text {
        Some(raw) => {
            let text =
                memory.gate.statement(raw, call.voice.origin()).map_err(EngineError::Refused)?;
            erase::lifted_by(memory, call, text.as_str())?;
            Some(text)
        }
        None => None,
    };
    change_lesson(memory, call, "edit", name, &mut |memory, lesson| {
        refuse_taken_aliases(memory, call, &request.stated, &lesson.id)?;
        let mut next = with_stated(memory, lesson.clone(), &request.stated);
        if let Some(text) = &text {
            next.text = text.clone();
        }
        next.kind = request.kind.unwrap_or(next.kind);
        next.scope.0.retain(|dimension, _| !request.unscope.contains(dimension));
        refuse_leap(lesson, &next)?;
        next.tags.retain(|tag| !request.untag.contains(tag));
        next.paths.retain(|path| !request.unpath.contains(path));
        let vouched = match call.voice.origin() {
            Origin::User => Trust::Trusted,
            // An agent's edit cannot keep a person's trust.
            Origin::Agent | Origin::Reviewer | Origin::Import => {
                next.trust.min(call.voice.origin().trust())
            }
        };
        next.trust = vouched;
        let is_reworded = next.text != lesson.text || next.kind != lesson.kind;
        if is_reworded && call.voice == Voice::Agent {
            refuse_foreign_words(call, lesson)?;
            next = claimed(next);
        }
        if next.state == State::Quarantined && next.trust == Trust::Trusted {
            next.state = State::Candidate;
        }
        Ok((next, format!("edited by {}", call.actor)))
    })
}

/// Under somebody else's name, and with the evidence for what they said, an agent's
/// words would look like theirs. It may state a lesson of its own.
fn refuse_foreign_words(call: &Call, lesson: &Lesson) -> Result<(), EngineError> {
    let is_own = lesson.origin == call.voice.origin() && lesson.author == call.actor;
    if is_own { Ok(()) } else { call.needs_person("changing another author's lesson") }
}

/// Pins a lesson (it gets room of its own in every block), or unpins it.
pub fn pin(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    is_pinned: bool,
) -> Result<Answer<Lesson>, EngineError> {
    let verb = if is_pinned { "pinned" } else { "unpinned" };
    change_lesson(memory, call, "pin", name, &mut |_, lesson| {
        let next = Lesson { is_pinned, ..lesson.clone() };
        Ok((next, format!("{verb} by {}", call.actor)))
    })
}

/// Puts a lesson away. It is kept, and `restore` brings it back.
pub fn forget(memory: &mut Memory, call: &Call, name: &str) -> Result<Answer<Lesson>, EngineError> {
    change_lesson(memory, call, "forget", name, &mut |_, lesson| {
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
pub fn restore(
    memory: &mut Memory,
    call: &Call,
    name: &str,
) -> Result<Answer<Lesson>, EngineError> {
    call.needs_person("bringing back a lesson")?;
    change_lesson(memory, call, "restore", name, &mut |memory, lesson| {
        let state = match lesson.state {
            State::Archived => state_before(memory, call, lesson)?,
            State::Decayed | State::Rejected => State::Candidate,
            State::Superseded => {
                return Err(EngineError::WrongState {
                    lesson: lesson.id.to_string(),
                    state: lesson.state.word(),
                    reason: "another lesson stands for it; reject that one to have it back",
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

fn state_before(memory: &Memory, call: &Call, lesson: &Lesson) -> Result<State, EngineError> {
    let query = JournalQuery {
        lesson: Some(lesson.id.clone()),
        newest_first: true,
        ..JournalQuery::default()
    };
    let entries = memory.store.journal(&call.project, &query)?;
    let put_away = entries.iter().find_map(|entry| match &entry.change {
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
    next: &mut dyn FnMut(&Memory, &Lesson) -> Next,
) -> Result<Answer<Lesson>, EngineError> {
    let (_, lesson) = write(memory, call, &Command::new(command), &mut |memory, _| {
        let lesson = lookup::lesson_named(memory, call, name)?;
        let (mut after, because) = next(memory, &lesson)?;
        after.updated_at = call.now;
        let change = Change::edit_lesson(&lesson, &after, &because);
        Ok((change.into_iter().collect(), after))
    })?;
    Ok(Answer::of(lesson, Vec::new()))
}

/// Says so if not every tag could be kept as it was given.
fn cut_tags(stated: &Stated, lesson: &Lesson) -> Vec<Problem> {
    let is_kept = |tag: &String| lesson.tags.contains(&tag.trim().to_lowercase());
    let n_lost = stated.tags.iter().filter(|tag| !is_kept(tag)).count();
    let reason = format!(
        "{n_lost} not kept as given: a lesson has at most {MAX_TAGS} tags of {MAX_TAG_CHARS} \
         characters"
    );
    if n_lost == 0 { Vec::new() } else { vec![Problem::new("tags", reason)] }
}

fn grow(list: &mut Vec<String>, more: impl Iterator<Item = String>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// A lesson's scope widens one step at a time.
fn refuse_leap(before: &Lesson, after: &Lesson) -> Result<(), EngineError> {
    let leap = Reach::of(&before.scope).may_become(Reach::of(&after.scope));
    let lesson = before.id.to_string();
    leap.map_err(|leap| EngineError::TooWide { lesson, leap })
}

/// An agent's own lesson in new words: what runs confirmed was something else.
fn claimed(lesson: Lesson) -> Lesson {
    let state = if lesson.state.is_put_away() { lesson.state } else { State::Candidate };
    Lesson {
        state,
        standing: 0,
        detectors: BTreeSet::new(),
        signatures: Vec::new(),
        grade: None,
        ..lesson
    }
}
