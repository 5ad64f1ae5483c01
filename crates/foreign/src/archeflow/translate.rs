//! An ArcheFlow record as a lesson, and a lesson as an ArcheFlow record.

use std::collections::BTreeSet;

use hardwon_core::change::{Batch, Change, Tables};
use hardwon_core::finding::Severity;
use hardwon_core::foreign::ArcheflowLesson;
use hardwon_core::ids::RunId;
use hardwon_core::learn::confidence_by_sightings;
use hardwon_core::lesson::{Inherited, Kind, Lesson, Origin, State, Unseen, Upkeep};
use hardwon_core::scope::Dimension;
use hardwon_readers::{
    System, archeflow_id, archeflow_line_id, archeflow_number, archeflow_tags, from_foreign,
    to_foreign,
};

use super::{ArcheflowLayout, whole_seconds};
use crate::store::Rows;
use crate::store::layout::entry::{Context, Entry};
use crate::store::layout::{Layout, Namer, Shelf, is_stated};

/// What ArcheFlow writes where no run or reviewer is behind a lesson.
const MANUAL: &str = "manual";
const USER: &str = "user_feedback";
const GENERAL: &str = "general";

pub(super) fn lesson(entry: &Entry<'_, ArcheflowLayout>) -> Lesson {
    let Entry { context, record, .. } = entry;
    let (kind, category) = match from_foreign(System::Archeflow, &record.kind) {
        Some((kind, category)) => (kind, category.map(str::to_owned)),
        None => (Kind::Pattern, context.gate.word(&record.kind)),
    };
    let is_stated = record.source == USER;
    let severity = Severity::fold(&record.severity).unwrap_or(Severity::Warning);
    let confidence = confidence_by_sightings(record.frequency, &context.policy.promotion);
    let author = context.gate.word(&record.source).unwrap_or_else(|| "unknown".to_owned());
    let at = record.ts.unwrap_or(context.now);
    let domain = Some(record.domain.as_str()).filter(|domain| *domain != GENERAL);
    let scope = [(Dimension::Domain, domain), (Dimension::Role, record.archetype.as_deref())];
    Lesson {
        category,
        scope: context.scope(scope),
        tags: context.gate.tags(&record.tags),
        severity,
        state: state(entry, kind),
        upkeep: Upkeep { inherited: inherited(entry, kind), ..Upkeep::default() },
        importance: severity.importance(),
        base_confidence: confidence,
        confidence,
        // Stating a lesson is not a sighting of it.
        n_sightings: record.frequency.saturating_sub(u32::from(is_stated)),
        standing: record.frequency,
        last_seen_run: run(context, &record.last_seen_run),
        unseen: unseen(context, record),
        detectors: BTreeSet::from_iter((!is_stated).then(|| author.clone())),
        author,
        origin: if is_stated { Origin::User } else { Origin::Reviewer },
        aliases: Vec::from_iter(ArcheflowLayout::alias(context, &record.id)),
        created_at: at,
        updated_at: at,
        ..entry.bare_lesson(kind, context.gate.line(&record.description))
    }
}

/// A run that a record names.
pub(super) fn run(context: &Context<'_>, text: &str) -> Option<RunId> {
    RunId::parse(text).ok().and_then(|_| context.run(text))
}

fn state(entry: &Entry<'_, ArcheflowLayout>, kind: Kind) -> State {
    let Entry { context, record, .. } = entry;
    let is_confirmed =
        kind == Kind::Preference || record.frequency >= context.policy.promotion.provisional_at;
    match (entry.shelf.is_archive, record.frequency) {
        (true, 0) => State::Decayed,
        (true, _) => State::Archived,
        (false, _) if is_confirmed => State::Provisional,
        (false, _) => State::Candidate,
    }
}

/// A record's time is that of the last sighting that is in its number.
fn inherited(entry: &Entry<'_, ArcheflowLayout>, kind: Kind) -> Option<Inherited> {
    let (seen_until, unseen_until) = (entry.record.ts?, entry.context.now);
    Some(Inherited { state: state(entry, kind), seen_until, unseen_until })
}

/// However often ArcheFlow forgot to take one off, the next run takes off one.
fn unseen(context: &Context<'_>, record: &ArcheflowLesson) -> Unseen {
    let last = context.policy.decay.runs_per_step.saturating_sub(1);
    Unseen { n_runs: record.runs_since_last_seen.min(last), checked_at: context.counted }
}

/// What ArcheFlow's files can say about a lesson.
pub(super) fn record_of(context: &Context<'_>, lesson: &Lesson) -> ArcheflowLesson {
    let last_seen = lesson.last_seen_run.as_ref().map_or("", RunId::as_str);
    let is_stated = lesson.origin == Origin::User || lesson.author == USER;
    let scope = |dimension| lesson.scope.0.get(&dimension).cloned();
    ArcheflowLesson {
        id: foreign_id(lesson).unwrap_or_default().to_owned(),
        ts: Some(whole_seconds(lesson.updated_at)),
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

/// Unseen runs, including those that the lesson was not checked for yet.
fn n_unseen(context: &Context<'_>, lesson: &Lesson) -> u32 {
    let Unseen { n_runs, checked_at } = lesson.unseen;
    if lesson.kind.decays() {
        n_runs.saturating_add(context.counted.saturating_sub(checked_at) as u32)
    } else {
        n_runs
    }
}

/// ArcheFlow has no states but the file and the frequency.
pub(super) fn adopted_state(lesson: &Lesson, stated: State, shelf: &Shelf) -> State {
    match (shelf.is_archive, lesson.state) {
        (true, state) if !state.is_on_ladder() => lesson.state,
        (true, _) => stated,
        (false, State::Canonical | State::Stable | State::Provisional) => lesson.state,
        (false, State::Candidate) if lesson.is_wish() => lesson.state,
        (false, State::Candidate | State::Decayed | State::Archived) => stated,
        // Putting a record back into the file undoes a decision.
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

/// A lesson's id in ArcheFlow's files.
pub(super) fn foreign_id(lesson: &Lesson) -> Option<&str> {
    let numbered = lesson.aliases.iter().find(|alias| ArcheflowLayout::is_id(alias));
    numbered.or(lesson.aliases.first()).map(String::as_str)
}

/// Ids count up over the archive and unusable lines too, so that none is ever given twice.
pub(super) fn namer(batch: &Batch, rows: &Rows<ArcheflowLayout>, tables: &Tables) -> Namer {
    let in_files = rows.lines().filter_map(|line| match &line.record {
        Some(record) => archeflow_number(&record.id),
        None => archeflow_number(&archeflow_line_id(&line.raw)?),
    });
    let added = batch.changes.iter().filter_map(|change| match change {
        Change::AddLesson { lesson, .. } => Some(&**lesson),
        _ => None,
    });
    let lessons = tables.lessons.values().chain(added);
    let known = lessons.flat_map(|l| l.aliases.iter().filter_map(|a| archeflow_number(a)));
    let mut highest = u64::from(in_files.chain(known).max().unwrap_or(0));
    let is_stated = is_stated(batch);
    Box::new(move |lesson, _| {
        if !lesson.aliases.iter().any(|alias| ArcheflowLayout::is_id(alias)) {
            highest += 1;
            lesson.aliases.insert(0, archeflow_id(highest));
        }
        if is_stated && lesson.tags.is_empty() {
            let mut seen = BTreeSet::new();
            lesson.tags = archeflow_tags(lesson.text.as_str());
            lesson.tags.retain(|tag| seen.insert(tag.clone()));
        }
    })
}
