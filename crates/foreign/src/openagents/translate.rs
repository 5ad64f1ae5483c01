//! An OpenAgents record as a lesson, and a lesson as an OpenAgents record. Every text
//! passes the gate on the way in. A record is changed only where the way there and back
//! says something else than the lesson does, so what a lesson has no place for is not
//! lost in the file.

use std::collections::BTreeSet;

use hardwon_core::digest::sha256;
use hardwon_core::finding::Severity;
use hardwon_core::foreign::{OpenagentsLesson, importance_scale};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::learn::confidence_by_sightings;
use hardwon_core::lesson::{Guidance, Kind, Lesson, Origin, State, Upkeep};
use hardwon_core::scope::{Bound, Dimension, Scope};
use hardwon_readers::{System, archeflow_number, from_foreign, to_foreign};

use crate::store::layout::{Context, Shelf};

const MANUAL: &str = "manual";
const HEALER: &str = "healer";
const ARCHIVIST: &str = "archivist";
/// In lines of ours: whether the lesson was confirmed.
const CANDIDATE: &str = "candidate";
const ACTIVE: &str = "active";

/// The lesson that a record states; `None` if nothing is left of its text.
pub(super) fn stated_lesson(
    context: &Context<'_>,
    record: &OpenagentsLesson,
    shelf: &Shelf,
    is_taken: impl FnMut(&LessonId) -> bool,
) -> Option<Lesson> {
    let text = context.gate.line(&record.summary);
    let (kind, category) = kind(context, &record.category);
    let project = (!shelf.is_of_user()).then(|| context.project.clone());
    let id = LessonId::derive(project.as_ref(), kind.word(), text.as_str(), is_taken);
    let is_stated = record.source == MANUAL;
    let importance = clamped(record.importance / importance_scale(record.importance));
    let n_sightings = n_sightings(record, is_stated);
    let by_sightings = confidence_by_sightings(n_sightings, &context.policy.promotion);
    let confidence = record.confidence.map_or(by_sightings, clamped);
    let author = context.gate.word(&record.source).unwrap_or_else(|| ARCHIVIST.to_owned());
    let at = record.created_at.unwrap_or(context.now);
    (!text.as_str().is_empty()).then(|| Lesson {
        project,
        category,
        scope: scope(context, record),
        tags: context.gate.tags(&record.tags),
        severity: severity(importance),
        state: state(record, shelf),
        importance,
        base_confidence: confidence,
        confidence,
        n_sightings,
        standing: n_sightings.max(1),
        detectors: BTreeSet::from_iter((!is_stated).then(|| author.clone())),
        author,
        origin: if is_stated { Origin::User } else { Origin::Reviewer },
        aliases: Vec::from_iter(context.gate.word(&record.id)),
        upkeep: Upkeep { used_at: record.last_used_at, ..Upkeep::default() },
        guidance: guidance(context, record),
        created_at: at,
        updated_at: at,
        ..context.bare_lesson(id, kind, text)
    })
}

/// Each episode is a witness; who states a lesson has not seen it.
fn n_sightings(record: &OpenagentsLesson, is_stated: bool) -> u32 {
    let episodes: BTreeSet<&String> = record.evidence.episode_ids.iter().collect();
    (episodes.len() as u32).max(u32::from(!is_stated))
}

fn guidance(context: &Context<'_>, record: &OpenagentsLesson) -> Guidance {
    let prose = |raw: &Option<String>| {
        let clean = raw.as_deref().map(|raw| context.gate.line(raw).as_str().to_owned());
        clean.filter(|clean| !clean.is_empty())
    };
    Guidance {
        rule: prose(&record.rule),
        detail: prose(&record.detail),
        applies_when: prose(&record.applies_when),
    }
}

/// A run id as memory may keep it: one that looks like a secret, or like no id, is
/// known by its digest.
pub(super) fn run(context: &Context<'_>, text: &str) -> Option<RunId> {
    let is_plain = context.gate.word(text).is_some_and(|word| word == text);
    match RunId::parse(text) {
        Ok(run) if is_plain => Some(run),
        _ if text.trim().is_empty() => None,
        _ => Some(RunId::derived(&sha256(&[text]))),
    }
}

fn kind(context: &Context<'_>, word: &str) -> (Kind, Option<String>) {
    match (from_foreign(System::Archivist, word), word) {
        (Some((kind, category)), _) => (kind, category.map(str::to_owned)),
        // Sorts of knowledge in the shipped memories.
        (None, "pattern") => (Kind::Pattern, None),
        (None, "convention") => (Kind::Rule, context.gate.word(word)),
        (None, "structure" | "api" | "dependency") => (Kind::Fact, context.gate.word(word)),
        (None, _) => (Kind::Hint, context.gate.word(word)),
    }
}

/// Task and repository count only where the record says that it is one of theirs; a
/// tool and a provider are what the lesson is about.
fn scope(context: &Context<'_>, record: &OpenagentsLesson) -> Scope {
    let task = record.task_id.as_deref().filter(|_| record.scope == "task");
    let repo = record.repo_id.as_deref().filter(|_| record.scope == "repo");
    let pairs = [
        (Dimension::Repo, repo),
        (Dimension::Task, task),
        (Dimension::Tool, record.tool.as_deref()),
        (Dimension::Provider, record.provider.as_deref()),
    ];
    let mut scope = Scope::default();
    for (dimension, value) in pairs {
        if let Some(value) = value.and_then(|value| context.gate.word(value)) {
            scope.0.insert(dimension, value);
        }
    }
    scope
}

/// What the files can say of a lesson, with its importance by this factor.
pub(super) fn record_of(lesson: &Lesson, scale: f64) -> OpenagentsLesson {
    let scope = |dimension| lesson.scope.0.get(&dimension).cloned();
    OpenagentsLesson {
        id: foreign_id(lesson).unwrap_or_default().to_owned(),
        created_at: Some(lesson.created_at),
        scope: scope_word(lesson).to_owned(),
        repo_id: scope(Dimension::Repo),
        task_id: scope(Dimension::Task),
        provider: scope(Dimension::Provider),
        tool: scope(Dimension::Tool),
        category: to_foreign(System::Archivist, lesson.kind, lesson.category.as_deref()).to_owned(),
        tags: lesson.tags.clone(),
        importance: lesson.importance * scale,
        summary: lesson.text.as_str().to_owned(),
        rule: lesson.guidance.rule.clone(),
        detail: lesson.guidance.detail.clone(),
        source: source(lesson).to_owned(),
        status: Some(status(lesson).to_owned()),
        ..OpenagentsLesson::default()
    }
}

/// What a record says, and what it would have to say to state the lesson as it is
/// now, in the same words: they differ exactly where the record is out of date.
pub(super) fn compared(
    context: &Context<'_>,
    record: &OpenagentsLesson,
    shelf: &Shelf,
    lesson: &Lesson,
) -> Option<(OpenagentsLesson, OpenagentsLesson)> {
    let stated = stated_lesson(context, record, shelf, |_| false)?;
    let scale = importance_scale(record.importance);
    let (from, said) = (record_of(&stated, scale), record_of(lesson, scale));
    let as_set = |tags: &[String]| tags.iter().cloned().collect::<BTreeSet<String>>();
    let is_same_set = as_set(&from.tags) == as_set(&said.tags);
    let is_lost = lesson.text.body().is_none();
    let to = OpenagentsLesson {
        // Who first said it, and when, does not change.
        id: from.id.clone(),
        created_at: from.created_at,
        source: from.source.clone(),
        project_root: from.project_root.clone(),
        tags: if is_same_set { from.tags.clone() } else { said.tags },
        // A text that is lost is no reason to lose it in the file too.
        summary: if is_lost { from.summary.clone() } else { said.summary },
        evidence: record.evidence.clone(),
        superseded_by: record.superseded_by.clone(),
        status: next_status(record.status.as_deref(), lesson),
        ..said
    };
    let from = OpenagentsLesson {
        evidence: record.evidence.clone(),
        superseded_by: record.superseded_by.clone(),
        status: record.status.clone(),
        ..from
    };
    Some((from, to))
}

/// The lesson after somebody else changed its record.
pub(super) fn adopted(
    context: &Context<'_>,
    record: &OpenagentsLesson,
    shelf: &Shelf,
    lesson: &Lesson,
) -> Lesson {
    let stated = stated_lesson(context, record, shelf, |_| false);
    let (Some((theirs, ours)), Some(stated)) = (compared(context, record, shelf, lesson), stated)
    else {
        return lesson.clone();
    };
    let mut next = lesson.clone();
    if theirs.summary != ours.summary || lesson.text.body().is_none() {
        next.text = stated.text;
    }
    if theirs.category != ours.category {
        (next.kind, next.category) = (stated.kind, stated.category);
    }
    if theirs.importance != ours.importance {
        (next.severity, next.importance) = (stated.severity, stated.importance);
    }
    if theirs_of(&theirs) != theirs_of(&ours) {
        next.scope = stated.scope;
    }
    if theirs.tags != ours.tags {
        next.tags = stated.tags;
    }
    if (&theirs.rule, &theirs.detail) != (&ours.rule, &ours.detail) {
        let applies_when = next.guidance.applies_when.take();
        next.guidance = Guidance { applies_when, ..stated.guidance };
    }
    let n_more = stated.n_sightings.saturating_sub(next.n_sightings);
    next.n_sightings += n_more;
    next.standing = next.standing.saturating_add(n_more);
    next.upkeep.used_at = next.upkeep.used_at.max(stated.upkeep.used_at);
    next.state = adopted_state(&next, stated.state, shelf);
    next
}

/// OpenAgents knows no state but the file and the link to what came after.
fn state(record: &OpenagentsLesson, shelf: &Shelf) -> State {
    let is_archived = shelf.is_archive || record.status.as_deref() == Some("archived");
    match (is_archived, record.status.as_deref()) {
        _ if record.superseded_by.is_some() => State::Superseded,
        (_, Some("decayed")) => State::Decayed,
        (true, _) => State::Archived,
        (false, Some(CANDIDATE)) => State::Candidate,
        // Whatever its Archivist wrote down is used there.
        (false, _) => State::Provisional,
    }
}

fn adopted_state(lesson: &Lesson, stated: State, shelf: &Shelf) -> State {
    match (lesson.state.is_on_ladder(), stated.is_on_ladder() && !shelf.is_archive) {
        // What we know of it says more than a file can.
        (true, true) | (false, false) => lesson.state,
        (true, false) => stated,
        // What nobody vouched for does not get out by standing in a file.
        (false, true) if lesson.state == State::Quarantined => lesson.state,
        // Who puts a record back into the file takes a decision back.
        (false, true) => stated,
    }
}

fn status(lesson: &Lesson) -> &'static str {
    // What the user wants is shown from the start.
    let is_waiting = lesson.state == State::Candidate && !lesson.is_injectable();
    if is_waiting { CANDIDATE } else { ACTIVE }
}

/// A line that never had the field gets it only to say that it is not confirmed.
fn next_status(stated: Option<&str>, lesson: &Lesson) -> Option<String> {
    match stated {
        None if status(lesson) == CANDIDATE => Some(CANDIDATE.to_owned()),
        Some(CANDIDATE | ACTIVE) if lesson.state.is_on_ladder() => Some(status(lesson).to_owned()),
        // Restored, whatever the line said.
        Some("archived" | "decayed") if lesson.state.is_on_ladder() => {
            Some(status(lesson).to_owned())
        }
        stated => stated.map(str::to_owned),
    }
}

/// The narrowest of the specification's words.
fn scope_word(lesson: &Lesson) -> &'static str {
    Bound::of(lesson.project.is_none(), &lesson.scope).word()
}

/// What a record says of where it applies.
fn theirs_of(record: &OpenagentsLesson) -> [&Option<String>; 4] {
    [&record.repo_id, &record.task_id, &record.tool, &record.provider]
}

fn source(lesson: &Lesson) -> &'static str {
    match lesson.author.as_str() {
        _ if lesson.origin == Origin::User => MANUAL,
        MANUAL => MANUAL,
        HEALER => HEALER,
        _ => ARCHIVIST,
    }
}

/// The nearest severity to an importance.
fn severity(importance: f64) -> Severity {
    let distance = |severity: &Severity| (severity.importance() - importance).abs();
    let nearest = Severity::ALL.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.copied().unwrap_or(Severity::Warning)
}

fn clamped(number: f64) -> f64 {
    number.clamp(0.0, 1.0)
}

/// The id that OpenAgents knows a lesson by: not one of a folder that was imported, nor
/// one of another system.
pub(super) fn foreign_id(lesson: &Lesson) -> Option<&str> {
    lesson.aliases.iter().map(String::as_str).find(|alias| is_own(alias))
}

/// Whether an alias can stand in the files.
pub(super) fn is_own(alias: &str) -> bool {
    !alias.contains('@') && archeflow_number(alias).is_none()
}
