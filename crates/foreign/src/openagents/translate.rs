//! An OpenAgents record as a lesson, and a lesson as an OpenAgents record.

use std::collections::BTreeSet;

use hardwon_core::change::Batch;
use hardwon_core::digest::{base32, sha256};
use hardwon_core::finding::Severity;
use hardwon_core::foreign::{OpenagentsLesson, importance_scale};
use hardwon_core::learn::confidence_by_sightings;
use hardwon_core::lesson::{Guidance, Kind, Lesson, Origin, State, Upkeep};
use hardwon_core::scope::{Bound, Dimension, Scope};
use hardwon_readers::{System, archeflow_number, from_foreign, to_foreign};

use super::OpenagentsLayout;
use crate::store::layout::entry::{Context, Entry};
use crate::store::layout::{Namer, Shelf, is_stated};

pub(super) const MANUAL: &str = "manual";
const HEALER: &str = "healer";
const ARCHIVIST: &str = "archivist";
/// In lines of ours: whether the lesson was confirmed.
const CANDIDATE: &str = "candidate";
const ACTIVE: &str = "active";

pub(super) fn lesson(entry: &Entry<'_, OpenagentsLayout>) -> Lesson {
    let Entry { context, shelf, record, .. } = entry;
    let (kind, category) = kind(context, &record.category);
    let is_stated = record.source == MANUAL;
    let importance = (record.importance / importance_scale(record.importance)).clamp(0.0, 1.0);
    let n_sightings = n_sightings(record, is_stated);
    let by_sightings = confidence_by_sightings(n_sightings, &context.policy.promotion);
    let confidence = record.confidence.map_or(by_sightings, |stated| stated.clamp(0.0, 1.0));
    let author = context.gate.word(&record.source).unwrap_or_else(|| ARCHIVIST.to_owned());
    let at = record.created_at.unwrap_or(context.now);
    Lesson {
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
        ..entry.bare_lesson(kind, context.gate.line(&record.summary))
    }
}

/// Each episode is a sighting; stating a lesson is not one.
fn n_sightings(record: &OpenagentsLesson, is_stated: bool) -> u32 {
    let episodes: BTreeSet<&String> = record.evidence.episode_ids.iter().collect();
    (episodes.len() as u32).max(u32::from(!is_stated))
}

fn guidance(context: &Context<'_>, record: &OpenagentsLesson) -> Guidance {
    Guidance {
        rule: context.prose(record.rule.as_deref()),
        detail: context.prose(record.detail.as_deref()),
        applies_when: context.prose(record.applies_when.as_deref()),
        ..Guidance::default()
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
    context.scope([
        (Dimension::Repo, repo),
        (Dimension::Task, task),
        (Dimension::Tool, record.tool.as_deref()),
        (Dimension::Provider, record.provider.as_deref()),
    ])
}

/// What the files can say about a lesson, with its importance by this factor.
pub(super) fn record_of(lesson: &Lesson, scale: f64) -> OpenagentsLesson {
    let scope = |dimension| lesson.scope.0.get(&dimension).cloned();
    OpenagentsLesson {
        id: foreign_id(lesson).unwrap_or_default().to_owned(),
        created_at: Some(lesson.created_at),
        // The narrowest of the specification's words.
        scope: Bound::of(lesson.project.is_none(), &lesson.scope).word().to_owned(),
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

/// OpenAgents has no states but the file and the link to what replaced the lesson.
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

pub(super) fn adopted_state(lesson: &Lesson, stated: State, shelf: &Shelf) -> State {
    match (lesson.state.is_on_ladder(), stated.is_on_ladder() && !shelf.is_archive) {
        // What we know of it says more than a file can.
        (true, true) | (false, false) => lesson.state,
        (true, false) => stated,
        // What no person approved is not released by standing in a file.
        (false, true) if lesson.state == State::Quarantined => lesson.state,
        // Putting a record back into the file undoes a decision.
        (false, true) => stated,
    }
}

fn status(lesson: &Lesson) -> &'static str {
    // What the user wants is shown from the start.
    let is_waiting = lesson.state == State::Candidate && !lesson.is_injectable();
    if is_waiting { CANDIDATE } else { ACTIVE }
}

/// A line that never had the field gets it only to say that it is not confirmed.
pub(super) fn next_status(stated: Option<&str>, lesson: &Lesson) -> Option<String> {
    match stated {
        None if status(lesson) == CANDIDATE => Some(CANDIDATE.to_owned()),
        // "archived" and "decayed": it was restored.
        Some(CANDIDATE | ACTIVE | "archived" | "decayed") if lesson.state.is_on_ladder() => {
            Some(status(lesson).to_owned())
        }
        stated => stated.map(str::to_owned),
    }
}

/// What a record says about where it applies.
pub(super) fn scope_of(record: &OpenagentsLesson) -> [&Option<String>; 4] {
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

/// A lesson's id in OpenAgents' files: not one of a folder that was imported, nor
/// one of another system.
pub(super) fn foreign_id(lesson: &Lesson) -> Option<&str> {
    lesson.aliases.iter().map(String::as_str).find(|alias| is_own(alias))
}

/// Whether an alias can stand in the files.
pub(super) fn is_own(alias: &str) -> bool {
    !alias.contains('@') && archeflow_number(alias).is_none()
}

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// What is stated here gets a new id, whatever aliases it has.
pub(super) fn namer(batch: &Batch) -> Namer {
    let is_stated = is_stated(batch);
    Box::new(move |lesson, taken| {
        if is_stated || !lesson.aliases.iter().any(|alias| is_own(alias)) {
            lesson.aliases.insert(0, new_id(lesson, taken));
        }
    })
}

fn new_id(lesson: &Lesson, taken: &BTreeSet<String>) -> String {
    let time = base36(lesson.created_at.0.max(0) as u64);
    let hash = base32(&sha256(&[lesson.id.as_str()]));
    let ids = (6..=hash.len()).map(|length| format!("mem-{time}-{}", &hash[..length]));
    let mut free = ids.filter(|id| !taken.contains(id));
    free.next().unwrap_or_else(|| format!("mem-{time}-{hash}-{}", taken.len()))
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        digits.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(base36(0), "0");
        assert_eq!(base36(36 * 36 + 35), "10z");
    }
}
