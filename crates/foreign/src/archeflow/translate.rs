//! An ArcheFlow record as a lesson, and a lesson as an ArcheFlow record. Every text
//! passes the gate on the way in. The way out knows only the fields that ArcheFlow has;
//! a record is changed only where the way there and back says something else than the
//! lesson does, so what is lost in translation is not lost in the file.

use std::collections::BTreeSet;

use hardwon_core::digest::sha256;
use hardwon_core::finding::Severity;
use hardwon_core::foreign::ArcheflowLesson;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::learn::confidence_by_sightings;
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Unseen};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;
use hardwon_readers::{System, archeflow_number, from_foreign, to_foreign};

use crate::store::layout::{Context, Shelf};

/// What ArcheFlow writes where no run or reviewer is behind a lesson.
const MANUAL: &str = "manual";
const USER: &str = "user_feedback";
const GENERAL: &str = "general";

/// The lesson that a record states; `None` if nothing is left of its text.
pub(super) fn stated_lesson(
    context: &Context<'_>,
    record: &ArcheflowLesson,
    shelf: &Shelf,
    is_taken: impl FnMut(&LessonId) -> bool,
) -> Option<Lesson> {
    let text = context.gate.line(&record.description);
    let (kind, category) = kind(context, &record.kind);
    let id = LessonId::derive(Some(context.project), kind.word(), text.as_str(), is_taken);
    let is_stated = record.source == USER;
    let severity = Severity::fold(&record.severity).unwrap_or(Severity::Warning);
    // Who states a lesson has not seen it.
    let n_sightings = record.frequency.saturating_sub(u32::from(is_stated));
    let confidence = confidence_by_sightings(record.frequency, &context.policy.promotion);
    let author = context.gate.word(&record.source).unwrap_or_else(|| "unknown".to_owned());
    let at = record.ts.unwrap_or(context.now);
    (!text.as_str().is_empty()).then(|| Lesson {
        category,
        scope: scope(context, record),
        tags: context.gate.tags(&record.tags),
        severity,
        state: state(context, record, kind, shelf),
        importance: severity.importance(),
        base_confidence: confidence,
        confidence,
        n_sightings,
        standing: record.frequency,
        last_seen_run: run(context, &record.last_seen_run),
        unseen: unseen(context, record),
        detectors: BTreeSet::from_iter((!is_stated).then(|| author.clone())),
        author,
        origin: if is_stated { Origin::User } else { Origin::Reviewer },
        aliases: Vec::from_iter(alias(context, &record.id)),
        created_at: at,
        updated_at: at,
        ..context.bare_lesson(id, kind, text)
    })
}

/// A run id as memory may keep it: one that looks like a secret is known by its digest.
pub(super) fn run(context: &Context<'_>, text: &str) -> Option<RunId> {
    let run = RunId::parse(text).ok()?;
    let is_plain = context.gate.word(text).is_some_and(|word| word == text);
    Some(if is_plain { run } else { RunId::derived(&sha256(&[text])) })
}

/// What a record's id is called here; `None` if it has none.
pub(super) fn alias(context: &Context<'_>, id: &str) -> Option<String> {
    match archeflow_number(id) {
        Some(_) => Some(id.to_owned()),
        None => context.gate.word(id),
    }
}

fn kind(context: &Context<'_>, word: &str) -> (Kind, Option<String>) {
    match from_foreign(System::Archeflow, word) {
        Some((kind, category)) => (kind, category.map(str::to_owned)),
        None => (Kind::Pattern, context.gate.word(word)),
    }
}

fn scope(context: &Context<'_>, record: &ArcheflowLesson) -> Scope {
    let domain = Some(record.domain.as_str()).filter(|domain| *domain != GENERAL);
    let pairs = [(Dimension::Domain, domain), (Dimension::Role, record.archetype.as_deref())];
    let mut scope = Scope::default();
    for (dimension, value) in pairs {
        if let Some(value) = value.and_then(|value| context.gate.word(value)) {
            scope.0.insert(dimension, value);
        }
    }
    scope
}

fn state(context: &Context<'_>, record: &ArcheflowLesson, kind: Kind, shelf: &Shelf) -> State {
    let is_confirmed =
        kind == Kind::Preference || record.frequency >= context.policy.promotion.provisional_at;
    match (shelf.is_archive, record.frequency) {
        (true, 0) => State::Decayed,
        (true, _) => State::Archived,
        (false, _) if is_confirmed => State::Provisional,
        (false, _) => State::Candidate,
    }
}

/// However often ArcheFlow forgot to take one off, the next run takes off one.
fn unseen(context: &Context<'_>, record: &ArcheflowLesson) -> Unseen {
    let last = context.policy.decay.runs_per_step.saturating_sub(1);
    Unseen { n_runs: record.runs_since_last_seen.min(last), checked_at: context.counted }
}

/// What ArcheFlow's files can say of a lesson.
pub(super) fn record_of(context: &Context<'_>, lesson: &Lesson) -> ArcheflowLesson {
    let last_seen = lesson.last_seen_run.as_ref().map_or("", RunId::as_str);
    let is_stated = lesson.origin == Origin::User || lesson.author == USER;
    let scope = |dimension| lesson.scope.0.get(&dimension).cloned();
    ArcheflowLesson {
        id: foreign_id(lesson).unwrap_or_default().to_owned(),
        ts: Some(Timestamp(lesson.updated_at.0.div_euclid(1000) * 1000)),
        run_id: match (last_seen, lesson.detectors.is_empty()) {
            ("", true) => MANUAL.to_owned(),
            (run, _) => run.to_owned(),
        },
        kind: foreign_kind(lesson).to_owned(),
        source: if is_stated { USER.to_owned() } else { lesson.author.clone() },
        description: lesson.text.as_str().to_owned(),
        frequency: lesson.standing,
        severity: lesson.severity.word().to_owned(),
        domain: scope(Dimension::Domain).unwrap_or_else(|| GENERAL.to_owned()),
        tags: lesson.tags.clone(),
        archetype: scope(Dimension::Role),
        last_seen_run: last_seen.to_owned(),
        runs_since_last_seen: n_unseen(context, lesson),
    }
}

/// Unseen runs, with those counted in that nobody had to look at yet.
fn n_unseen(context: &Context<'_>, lesson: &Lesson) -> u32 {
    let Unseen { n_runs, checked_at } = lesson.unseen;
    if lesson.kind.decays() {
        n_runs.saturating_add(context.counted.saturating_sub(checked_at) as u32)
    } else {
        n_runs
    }
}

/// What a record says, and what it would have to say to state the lesson as it is
/// now, in the same words: they differ exactly where the record is out of date.
pub(super) fn compared(
    context: &Context<'_>,
    record: &ArcheflowLesson,
    shelf: &Shelf,
    lesson: &Lesson,
) -> Option<(ArcheflowLesson, ArcheflowLesson)> {
    let stated = stated_lesson(context, record, shelf, |_| false)?;
    let (mut from, mut to) = (record_of(context, &stated), record_of(context, lesson));
    let as_set = |tags: &[String]| tags.iter().cloned().collect::<BTreeSet<String>>();
    if as_set(&from.tags) == as_set(&to.tags) {
        to.tags.clone_from(&from.tags);
    }
    if lesson.text.body().is_none() {
        // A text that is lost is no reason to lose it in the file too.
        to.description.clone_from(&from.description);
    }
    // Who first said it does not change.
    to.source.clone_from(&from.source);
    if record.ts.is_none() {
        // A record without a time says nothing about it, until something else changes.
        let now = std::mem::replace(&mut to.ts, from.ts);
        if from != to {
            to.ts = now;
            from.ts = None;
        }
    }
    Some((from, to))
}

/// The lesson after somebody else changed its record.
pub(super) fn adopted(
    context: &Context<'_>,
    record: &ArcheflowLesson,
    shelf: &Shelf,
    lesson: &Lesson,
) -> Lesson {
    let stated = stated_lesson(context, record, shelf, |_| false);
    let (Some((theirs, ours)), Some(stated)) = (compared(context, record, shelf, lesson), stated)
    else {
        return lesson.clone();
    };
    let mut next = lesson.clone();
    if theirs.description != ours.description || lesson.text.body().is_none() {
        next.text = stated.text;
    }
    if theirs.kind != ours.kind {
        (next.kind, next.category) = (stated.kind, stated.category);
    }
    if theirs.severity != ours.severity {
        (next.severity, next.importance) = (stated.severity, stated.importance);
    }
    if (&theirs.domain, &theirs.archetype) != (&ours.domain, &ours.archetype) {
        next.scope = stated.scope;
    }
    if theirs.tags != ours.tags {
        next.tags = stated.tags;
    }
    if theirs.last_seen_run != ours.last_seen_run {
        next.last_seen_run = stated.last_seen_run;
    }
    if theirs.frequency != ours.frequency {
        let n_more = theirs.frequency.saturating_sub(ours.frequency);
        next.n_sightings = next.n_sightings.saturating_add(n_more);
        next.standing = theirs.frequency;
    }
    if theirs.runs_since_last_seen != ours.runs_since_last_seen {
        next.unseen = stated.unseen;
    }
    if theirs.ts != ours.ts {
        next.updated_at = stated.updated_at;
    }
    next.state = adopted_state(&next, stated.state, shelf);
    next
}

/// ArcheFlow knows no state but the file and the number.
fn adopted_state(lesson: &Lesson, stated: State, shelf: &Shelf) -> State {
    match (shelf.is_archive, lesson.state) {
        (true, state) if !state.is_on_ladder() => lesson.state,
        (true, _) => stated,
        (false, State::Canonical | State::Stable | State::Provisional) => lesson.state,
        (false, State::Candidate) if lesson.is_wish() => lesson.state,
        (false, State::Candidate | State::Decayed | State::Archived) => stated,
        // Who puts a record back into the file takes a decision back.
        (false, State::UnderReview | State::Superseded | State::Rejected) => stated,
        (false, State::Quarantined) => lesson.state,
    }
}

/// ArcheFlow's type for a lesson. Its script shows every preference at once, so what may
/// not be shown yet is not called one.
fn foreign_kind(lesson: &Lesson) -> &'static str {
    match to_foreign(System::Archeflow, lesson.kind, lesson.category.as_deref()) {
        "preference" if lesson.state == State::Candidate && !lesson.is_injectable() => "pattern",
        word => word,
    }
}

/// The id that ArcheFlow knows a lesson by.
pub(super) fn foreign_id(lesson: &Lesson) -> Option<&str> {
    let numbered = lesson.aliases.iter().find(|alias| archeflow_number(alias).is_some());
    numbered.or(lesson.aliases.first()).map(String::as_str)
}

/// Each once, in order of first appearance.
pub(super) fn unique(tags: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    tags.into_iter().filter(|tag| seen.insert(tag.clone())).collect()
}
