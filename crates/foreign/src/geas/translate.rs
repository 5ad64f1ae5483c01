//! A document of geas as a lesson, and a lesson as a document of geas.

use std::collections::BTreeSet;

use hardwon_core::effect::EffectCounts;
use hardwon_core::foreign::{GeasForm, GeasHeader, GeasMemory, GeasSignals};
use hardwon_core::ids::RunId;
use hardwon_core::learn::confidence_by_sightings;
use hardwon_core::lesson::{Guidance, Kind, Lesson, Origin, State, Upkeep};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::text::Text;
use hardwon_core::time::Timestamp;
use hardwon_readers::{System, from_foreign, geas_place_of, to_foreign};

use super::agents::{ORCHESTRATOR, agent_type};
use super::{CANDIDATES, GeasLayout, names};
use crate::store::layout::entry::{Context, Entry};
use crate::store::layout::{Layout, Shelf};

/// Who states what a task taught.
pub(super) const RETROSPECTIVE: &str = "retrospective";
/// Longest title that is made of a text, in characters.
const TITLE_CHARS: usize = 80;
/// How a rule begins; every other line of a body is detail.
const RULE: &str = "IF ";
const DAY: i64 = 24 * 60 * 60 * 1000;

pub(super) fn lesson(entry: &Entry<'_, GeasLayout>) -> Lesson {
    let Entry { context, shelf, record, .. } = entry;
    let (kind, category) = kind(context, &record.kind);
    let n_sightings = n_sightings(record);
    let by_sightings = confidence_by_sightings(n_sightings, &context.policy.promotion);
    let confidence = record.signals.confidence.unwrap_or(by_sightings);
    let author = author(context, record);
    let state = state(record, shelf);
    let created_at = record.header.created_at.unwrap_or(context.now);
    let updated_at = record.header.updated_at.unwrap_or(created_at);
    let bare = entry.bare_lesson(kind, context.gate.line(&record.summary));
    Lesson {
        project: bare.project.clone().filter(|_| record.scope != "global"),
        category,
        scope: scope(context, record),
        tags: context.gate.tags(&record.tags),
        state,
        base_confidence: confidence,
        confidence,
        n_sightings,
        standing: n_sightings,
        last_seen_run: record.evidence_refs.iter().rev().find_map(|it| run_of(context, it)),
        effects: counts_of(&record.signals),
        // Who suggests a lesson has not examined the work.
        detectors: BTreeSet::new(),
        author,
        origin: Origin::Reviewer,
        aliases: Vec::from_iter(context.gate.word(&record.id)),
        upkeep: Upkeep {
            review_after: record.review_after,
            reviewing_since: (state == State::UnderReview).then_some(updated_at),
            reviewed_from: (state == State::UnderReview).then_some(State::Provisional),
            ..Upkeep::default()
        },
        guidance: guidance(context, &record.body),
        created_at,
        updated_at,
        ..bare
    }
}

fn kind(context: &Context<'_>, word: &str) -> (Kind, Option<String>) {
    match from_foreign(System::Geas, word) {
        Some((kind, category)) => (kind, category.map(str::to_owned)),
        None => (Kind::Hint, context.gate.word(word)),
    }
}

/// Its word, where it is one of geas's; or else what its folder says.
pub(super) fn state(record: &GeasMemory, shelf: &Shelf) -> State {
    let by_shelf = if shelf.path == CANDIDATES { State::Candidate } else { State::Provisional };
    let word = State::from_word(&record.state);
    word.filter(|state| *state != State::Quarantined).unwrap_or(by_shelf)
}

/// geas writes every document in the orchestrator's name.
fn author(context: &Context<'_>, record: &GeasMemory) -> String {
    let producer = context.gate.word(&record.header.producer);
    producer.filter(|it| it != ORCHESTRATOR).unwrap_or_else(|| RETROSPECTIVE.to_owned())
}

fn n_sightings(record: &GeasMemory) -> u32 {
    let refs: BTreeSet<&String> = record.evidence_refs.iter().collect();
    (refs.len() as u32).max(record.signals.evidence_count).max(1)
}

/// The run of a reference: `retro-TASK`, or `TASK/DOCUMENT`. Others name no run.
pub(super) fn run_of(context: &Context<'_>, reference: &str) -> Option<RunId> {
    let task = match reference.strip_prefix("retro-") {
        Some(task) => task,
        None => reference.rsplit_once('/')?.0,
    };
    context.run(task)
}

/// The task of a document: by the name of its lesson, or by what it was made of.
fn task(record: &GeasMemory) -> Option<String> {
    let by_id = names::number(&record.id).map(|(task, _)| task.to_owned());
    by_id.or_else(|| record.source_artifacts.iter().find_map(|it| geas_place_of(it).task))
}

/// No field says for which task, mission or agent a lesson is; what is not found narrows nothing.
fn scope(context: &Context<'_>, record: &GeasMemory) -> Scope {
    let (mut of_task, mut of_mission, mut of_agent) = (None, None, None);
    match record.scope.as_str() {
        "task" => of_task = task(record),
        "mission" => {
            let by_path = record.source_artifacts.iter().find_map(|it| geas_place_of(it).mission);
            let by_task = || {
                let run = run_of(context, &format!("retro-{}", task(record)?))?;
                names::parts(&run).0
            };
            of_mission = by_path.or_else(by_task);
        }
        "agent" => {
            let roles = &context.policy.scopes.roles;
            let words: BTreeSet<String> = words(&record.summary).collect();
            of_agent = roles.iter().find(|role| words.contains(role.as_str())).cloned();
        }
        _ => {}
    }
    context.scope([
        (Dimension::Task, of_task.as_deref()),
        (Dimension::Session, of_mission.as_deref()),
        (Dimension::Role, of_agent.as_deref()),
    ])
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
    words.map(|word| word.to_lowercase().replace('-', "_"))
}

/// A body's first line that is a rule, and the first that is none.
fn guidance(context: &Context<'_>, body: &[String]) -> Guidance {
    let prose = |raw: Option<&String>| context.prose(raw.map(String::as_str));
    let rule = body.iter().find(|line| line.starts_with(RULE));
    let detail = body.iter().find(|line| !line.starts_with(RULE) && !line.trim().is_empty());
    Guidance { rule: prose(rule), detail: prose(detail), ..Guidance::default() }
}

/// The document itself, if something in it would be lost when it becomes the other kind.
pub(super) fn extra(entry: &Entry<'_, GeasLayout>) -> Option<Text> {
    let GeasMemory { form, candidate_reason, body, supersedes, source_artifacts, .. } =
        entry.record;
    let is_lost = match form {
        GeasForm::Candidate => {
            let (reason, source) = usual_origin(entry.context, &entry.record.id).unzip();
            *candidate_reason != reason || *source_artifacts != Vec::from_iter(source)
        }
        GeasForm::Entry => body.len() > 2 || !supersedes.is_empty(),
    };
    let raw = std::str::from_utf8(entry.raw).ok().filter(|_| is_lost)?;
    Some(entry.context.gate.record(GeasLayout::WORD, raw))
}

/// Why there is a candidate of this id and of what it was made, if its task is one of the tree.
pub(super) fn usual_origin(context: &Context<'_>, id: &str) -> Option<(String, String)> {
    let (task, _) = names::number(id)?;
    let run = context.run_names?.get(task)?;
    let mission = names::parts(run).0?;
    let source = format!(".geas/missions/{mission}/tasks/{task}/retrospective.json");
    Some((format!("Extracted from task {task} retrospective"), source))
}

/// geas's counters as ours. What succeeded and failed is stated; the rest made no difference.
pub(super) fn counts_of(signals: &GeasSignals) -> EffectCounts {
    let GeasSignals { reuse_count, successful_reuses, failed_reuses, .. } = *signals;
    EffectCounts {
        n_helped: successful_reuses,
        n_hurt: failed_reuses.saturating_sub(signals.contradiction_count),
        n_contradicted: signals.contradiction_count,
        n_neutral: reuse_count.saturating_sub(successful_reuses).saturating_sub(failed_reuses),
        ..EffectCounts::default()
    }
}

/// Our counters as geas's, without what a review forgave.
fn signals_of(lesson: &Lesson, evidence_count: u32) -> GeasSignals {
    let (effects, upkeep) = (lesson.effects, lesson.upkeep);
    let n_contradicted = effects.n_contradicted.saturating_sub(upkeep.n_contradicted_forgiven);
    let n_hurt = effects.n_hurt.saturating_sub(upkeep.n_hurt_forgiven);
    GeasSignals {
        evidence_count,
        reuse_count: effects.n_shown(),
        successful_reuses: effects.n_helped,
        failed_reuses: n_hurt + effects.n_no_help + n_contradicted,
        contradiction_count: n_contradicted,
        confidence: Some(lesson.confidence),
    }
}

/// What the document of a lesson says that has none yet.
pub(super) fn record_of(lesson: &Lesson, profile: &str) -> GeasMemory {
    let id = names::memory_id(lesson).to_owned();
    let is_candidate = lesson.state == State::Candidate;
    GeasMemory {
        form: if is_candidate { GeasForm::Candidate } else { GeasForm::Entry },
        header: GeasHeader {
            artifact_id: id.clone(),
            producer: agent_type(&lesson.author, profile).to_owned(),
            created_at: Some(lesson.created_at),
            updated_at: (lesson.updated_at > lesson.created_at).then_some(lesson.updated_at),
            ..GeasHeader::default()
        },
        id,
        kind: to_foreign(System::Geas, lesson.kind, lesson.category.as_deref()).to_owned(),
        state: lesson.state.word().to_owned(),
        title: title_of(lesson.text.as_str()),
        summary: lesson.text.as_str().to_owned(),
        scope: scope_word(lesson).to_owned(),
        signals: signals_of(lesson, lesson.n_sightings),
        review_after: Some(review_after(lesson)),
        tags: lesson.tags.clone(),
        body: body_of(&lesson.guidance),
        ..GeasMemory::default()
    }
}

/// The schema wants a date for every entry, also for those that no date concerns.
pub(super) fn review_after(lesson: &Lesson) -> Timestamp {
    lesson.upkeep.review_after.unwrap_or(Timestamp(lesson.created_at.0 + 30 * DAY))
}

fn body_of(guidance: &Guidance) -> Vec<String> {
    guidance.detail.iter().chain(&guidance.rule).cloned().collect()
}

/// The narrowest of geas's words.
fn scope_word(lesson: &Lesson) -> &'static str {
    let has = |dimension| lesson.scope.0.contains_key(&dimension);
    match lesson.project {
        None => "global",
        _ if has(Dimension::Task) => "task",
        _ if has(Dimension::Session) => "mission",
        _ if has(Dimension::Role) => "agent",
        _ => "project",
    }
}

pub(super) fn title_of(text: &str) -> String {
    let clause = text.split([';', ':', '—']).next().unwrap_or(text);
    let clause = clause.split(". ").next().unwrap_or(clause).split(", ").next().unwrap_or(clause);
    let clause = clause.trim().trim_end_matches('.');
    let clause = if clause.is_empty() { text.trim() } else { clause };
    if clause.chars().count() <= TITLE_CHARS {
        return clause.to_owned();
    }
    let cut: String = clause.chars().take(TITLE_CHARS).collect();
    match cut.rsplit_once(' ') {
        Some((words, _)) if !words.is_empty() => words.to_owned(),
        _ => cut,
    }
}

/// What a document says, and what it would have to say. Whatever a lesson has no place for is the
/// same in both.
pub(super) fn compared(
    entry: &Entry<'_, GeasLayout>,
    stated: &Lesson,
    lesson: &Lesson,
) -> (GeasMemory, GeasMemory) {
    let record = entry.record;
    let has_usual_title = record.title == title_of(stated.text.as_str());
    let of = |lesson: &Lesson| {
        let next = record_of(lesson, &entry.context.policy.routing.profile);
        let review_after = lesson.upkeep.review_after.or(record.review_after);
        GeasMemory {
            header: GeasHeader { updated_at: Some(lesson.updated_at), ..record.header.clone() },
            id: record.id.clone(),
            title: if has_usual_title { next.title } else { record.title.clone() },
            evidence_refs: record.evidence_refs.clone(),
            signals: signals_of(lesson, record.signals.evidence_count),
            candidate_reason: record.candidate_reason.clone(),
            source_artifacts: record.source_artifacts.clone(),
            review_after: review_after.or(next.review_after),
            supersedes: record.supersedes.clone(),
            superseded_by: record.superseded_by.clone(),
            body: with_rest(next.body, &body_of(&stated.guidance), &record.body),
            ..next
        }
    };
    let from = GeasMemory { form: record.form, ..of(stated) };
    let to = of(lesson);
    // One that stands where its state has no place stays the document that it is.
    let form = if stated.state == lesson.state { record.form } else { to.form };
    (from, GeasMemory { form, ..to })
}

/// Lines of a body that a lesson has no place for stay behind the others.
fn with_rest(next: Vec<String>, stated: &[String], body: &[String]) -> Vec<String> {
    if next == stated {
        return body.to_vec();
    }
    let rest = body.iter().filter(|line| !stated.contains(line)).cloned();
    next.iter().cloned().chain(rest).collect()
}

/// Takes over what others changed in fields that only geas has.
pub(super) fn adopt(
    entry: &Entry<'_, GeasLayout>,
    theirs: &GeasMemory,
    ours: &GeasMemory,
    stated: Lesson,
    next: &mut Lesson,
) {
    if theirs.body != ours.body {
        next.guidance.detail = stated.guidance.detail;
        next.guidance.rule = stated.guidance.rule;
    }
    if theirs.review_after != ours.review_after {
        next.upkeep.review_after = stated.upkeep.review_after;
    }
    if theirs.state != ours.state {
        next.state = state(entry.record, entry.shelf);
        next.upkeep.reviewing_since = stated.upkeep.reviewing_since;
        next.upkeep.reviewed_from = stated.upkeep.reviewed_from;
    }
    if theirs.signals.confidence != ours.signals.confidence {
        let step = stated.confidence - next.confidence;
        next.base_confidence = (next.base_confidence + step).clamp(0.0, 1.0);
        next.confidence = stated.confidence;
    }
    let counts = |it: &GeasSignals| GeasSignals { confidence: None, ..*it };
    if counts(&theirs.signals) != counts(&ours.signals) {
        // What a review forgave is not in their counts.
        let forgiven = EffectCounts {
            n_hurt: next.upkeep.n_hurt_forgiven,
            n_contradicted: next.upkeep.n_contradicted_forgiven,
            ..EffectCounts::default()
        };
        // `take` finds out how much of it no log shows.
        next.effects = stated.effects.plus(forgiven);
    }
    let n_more = stated.n_sightings.saturating_sub(next.n_sightings);
    next.n_sightings += n_more;
    next.standing = next.standing.saturating_add(n_more);
    if n_more > 0 {
        next.last_seen_run = stated.last_seen_run;
    }
}
