//! Which lesson is meant? By id, by name, by what took its place, by what it is close to.
//! Every room that works on lessons begins here.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::attempt::Attempt;
use hardwon_core::attempt::tell::N_READ;
use hardwon_core::change::{Entry, Tombstone};
use hardwon_core::digest::{hex, sha256};
use hardwon_core::eligible::Exclusion;
use hardwon_core::event::issue_name;
use hardwon_core::find::{FoundRun, only_of_task};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::lifecycle::{self, Transition};
use hardwon_core::policy::RankOrder;
use hardwon_core::propose;
use hardwon_core::rank::Counted;
use hardwon_core::run::Run;
use hardwon_core::tally::{LessonCounts, NeedFacets};
use hardwon_core::versions::{Version, versions};
use hardwon_store::{
    About, CountQuery, FindingQuery, JournalQuery, LessonQuery, Pick, Proposals, RunQuery, Search,
    StoreError,
};

use crate::memory::{Call, EngineError, Memory, Result};
use crate::versions::N_KEPT;

/// How many runs of a session are looked at, the newest first.
const N_IN_SESSION: usize = 1000;

/// How many bytes of a digest tell versions apart.
const N_TAG: usize = 8;

/// How many lessons are considered because they came up most of late.
const N_FREQUENT: usize = 24;

/// How many lessons each lesson is compared with.
pub(crate) const N_NEAR: usize = 8;

pub fn find_lesson(memory: &Memory, call: &Call, id: &LessonId) -> Result<Option<Lesson>> {
    Ok(lessons_with(memory, &call.project, vec![id.clone()])?.pop())
}

/// A reason as it is told: of a candidate, what it waits for.
pub fn told(memory: &Memory, lesson: &Lesson, reason: Exclusion) -> Exclusion {
    match reason {
        Exclusion::State(State::Candidate) => {
            let waits = lifecycle::not_confirmed(lesson, &memory.policy.promotion);
            waits.map_or(reason, Exclusion::NotConfirmed)
        }
        reason => reason,
    }
}

/// The lessons with these ids, as far as they are there.
pub fn lessons_with(
    memory: &Memory,
    project: &ProjectId,
    ids: Vec<LessonId>,
) -> Result<Vec<Lesson>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = LessonQuery { pick: Pick::Ids(ids), ..LessonQuery::default() };
    memory.store.lessons(project, &query)
}

/// The run that a record tells of, by the name under which memory knows it: a task of one name
/// may be told of, or asked for, before its session is known.
pub fn run_of_task(memory: &Memory, call: &Call, found: &FoundRun) -> RunId {
    let id = memory.safe_run(&found.id);
    let Some(bare) = found.task_name() else { return id };
    let Some(session) = &found.stated.episode.session else {
        return run_called(memory, call, &id);
    };
    let tree = |run: &RunId| memory.store.tree(&call.project, run).unwrap_or_default();
    let known = tree(&bare);
    let is_its = |run: &Run| run.episode.session.as_ref().is_none_or(|known| known == session);
    let is_known = !known.runs.is_empty() || !known.injections.is_empty();
    let is_free = tree(&id).runs.is_empty();
    let mut own = known.runs.iter().filter(|run| run.id == bare);
    if is_known && is_free && own.all(is_its) { bare } else { id }
}

/// The run of this name; else the only one of a task of this name.
pub fn run_called(memory: &Memory, call: &Call, run: &RunId) -> RunId {
    let id = memory.safe_run(run);
    let tree = memory.store.tree(&call.project, &id).unwrap_or_default();
    if !tree.runs.is_empty() || !tree.injections.is_empty() {
        return id;
    }
    let all = memory.store.runs(&call.project, &RunQuery::default()).unwrap_or_default();
    only_of_task(&all, &id).unwrap_or(id)
}

/// The root runs of a session, the newest first.
pub(crate) fn roots_of_session(memory: &Memory, call: &Call, session: &str) -> Result<Vec<RunId>> {
    let limit = Some(N_IN_SESSION);
    let query = RunQuery { session: Some(session.to_owned()), limit, ..RunQuery::default() };
    let mut seen = BTreeSet::new();
    let roots = memory.store.runs(&call.project, &query)?.into_iter().map(|run| run.root);
    Ok(roots.filter(|root| seen.insert(root.clone())).collect())
}

/// How often these come up, where a policy lets that decide when they fade.
pub fn rates_of(
    memory: &Memory,
    call: &Call,
    lessons: Vec<LessonId>,
) -> Result<BTreeMap<LessonId, LessonCounts>> {
    if lessons.is_empty() || memory.policy.decay.usual_times == 0.0 {
        return Ok(BTreeMap::new());
    }
    let query = CountQuery { lessons, ..CountQuery::default() };
    Ok(memory.store.counts(&call.project, &query)?.lessons)
}

/// What bears on these facets: about these lessons, those that came up most, and those that
/// came up there. Nothing where another order decides.
pub(crate) fn counted(
    memory: &Memory,
    call: &Call,
    facets: NeedFacets,
    lessons: Vec<LessonId>,
) -> Result<Counted, StoreError> {
    let RankOrder::Chance(_) = &memory.policy.ranking.order else {
        return Ok(Counted::default());
    };
    let query = CountQuery {
        facets: facets.facets.clone(),
        lessons,
        n_frequent: N_FREQUENT,
        only_injectable: true,
    };
    let counts = memory.store.counts(&call.project, &query)?;
    Ok(Counted { facets, counts })
}

/// The lesson that a person means by an id, an unambiguous beginning of one, or an
/// alias.
pub fn lesson_named(memory: &Memory, call: &Call, name: &str) -> Result<Lesson> {
    let unknown = || EngineError::UnknownLesson { name: hardwon_core::gate::without_control(name) };
    if name.is_empty() {
        return Err(unknown());
    }
    let query = LessonQuery { pick: Pick::Named(name.to_owned()), ..LessonQuery::default() };
    let mut found = memory.store.lessons(&call.project, &query)?;
    if let Some(exact) = found.iter().position(|lesson| lesson.id.as_str() == name) {
        return Ok(found.swap_remove(exact));
    }
    // Another system gives the id of what it put away to another lesson.
    if found.iter().filter(|found| found.state.is_on_ladder()).count() == 1 {
        found.retain(|found| found.state.is_on_ladder() || found.id.as_str().starts_with(name));
    }
    match found.len() {
        0 => Err(erased_mark(memory, call, name)?.map_or_else(unknown, |mark| {
            let Tombstone { lesson, at, by, .. } = mark;
            EngineError::Erased { lesson: lesson.to_string(), on: at.date(), by }
        })),
        1 => Ok(found.remove(0)),
        _ => Err(EngineError::AmbiguousLesson {
            name: hardwon_core::gate::without_control(name),
            candidates: found.iter().map(|lesson| lesson.id.to_string()).collect(),
        }),
    }
}

/// The same for whoever is about to change it: refused if it is not the version that they saw.
/// Inside of a write, so that nobody comes in between.
pub fn lesson_to_change(memory: &Memory, call: &Call, name: &str) -> Result<Lesson> {
    let lesson = lesson_named(memory, call, name)?;
    match &call.if_match {
        Some(seen) if *seen != version_tag(&lesson) => {
            Err(EngineError::Changed { lesson: lesson.id.to_string() })
        }
        Some(_) | None => Ok(lesson),
    }
}

/// A word for a lesson as it is: another one when anything about it is changed. Being shown
/// changes nothing.
pub fn version_tag(lesson: &Lesson) -> String {
    // Every field, whatever is added to it: what is kept of a lesson is this.
    let fields = serde_json::to_string(lesson).unwrap_or_default();
    hex(&sha256(&[&fields])[..N_TAG])
}

/// The mark of a lesson that was forgotten for good, by its id or a unique prefix of it.
pub(crate) fn erased_mark(memory: &Memory, call: &Call, name: &str) -> Result<Option<Tombstone>> {
    let marks = memory.store.tombstones(&call.project)?;
    let mut named = marks.into_iter().filter(|mark| mark.lesson.as_str().starts_with(name));
    Ok(named.next().filter(|_| named.next().is_none()))
}

/// The lesson that replaced this one in the end, or itself.
pub(crate) fn standing_for(memory: &Memory, call: &Call, lesson: Lesson) -> Result<Lesson> {
    let mut known = BTreeSet::from([lesson.id.clone()]);
    let mut current = lesson;
    while current.state == State::Superseded {
        let Some(next) = current.superseded_by.clone().filter(|id| known.insert(id.clone())) else {
            break;
        };
        match find_lesson(memory, call, &next)? {
            Some(lesson) => current = lesson,
            None => break,
        }
    }
    Ok(current)
}

/// The attempts at an issue, the newest first.
pub(crate) fn attempts(memory: &Memory, call: &Call, issue: &str) -> Result<Vec<Attempt>> {
    let about = About::Attempts(issue_name(issue));
    let search = Search { about, limit: N_READ, ..Search::default() };
    Ok(memory.store.search(&call.project, &search)?.attempts)
}

/// What was done to a lesson, oldest first.
pub(crate) fn history_of(memory: &Memory, call: &Call, lesson: &LessonId) -> Result<Vec<Entry>> {
    let query = JournalQuery { lesson: Some(lesson.clone()), ..JournalQuery::default() };
    Ok(memory.store.journal(&call.project, &query)?)
}

/// The findings that a lesson was recognized in, or started by, oldest first.
pub(crate) fn evidence_of(memory: &Memory, call: &Call, lesson: &LessonId) -> Result<Vec<Finding>> {
    Ok(memory.store.findings(&call.project, &FindingQuery::OfLesson(lesson.clone()))?)
}

/// What the index proposes for these terms; only what may be shown if that is wanted.
/// Lessons that may be shown or confirmed and are nearest to a text.
pub fn near(memory: &Memory, call: &Call, text: &str, limit: usize) -> Result<Vec<Lesson>> {
    let terms = propose::terms_of_text(text, &[""; 0]);
    let mut lessons = proposals(memory, call, terms, false, limit)?.lessons;
    lessons.retain(|lesson| !lesson.state.is_put_away() && lesson.state != State::Quarantined);
    Ok(lessons)
}

pub(crate) fn proposals(
    memory: &Memory,
    call: &Call,
    terms: Vec<String>,
    only_injectable: bool,
    limit: usize,
) -> Result<Proposals> {
    let search = Search { terms, only_injectable, limit, ..Search::default() };
    Ok(memory.store.search(&call.project, &search)?)
}

/// The versions of a lesson that are kept, oldest first.
pub(crate) fn versions_of(memory: &Memory, call: &Call, lesson: &LessonId) -> Result<Vec<Version>> {
    let mut all = versions(&history_of(memory, call, lesson)?);
    let n_kept = memory.settings.count("versions").map_or(N_KEPT, |n| n as usize);
    Ok(all.split_off(all.len().saturating_sub(n_kept.max(1))))
}

/// Lessons that may be shown and share words with this one.
pub(crate) fn near_shown(memory: &Memory, call: &Call, lesson: &Lesson) -> Result<Vec<Lesson>> {
    let terms = propose::terms_of_lesson(lesson);
    Ok(proposals(memory, call, terms, true, N_NEAR)?.lessons)
}

/// The step that doubts a lesson because another tells the opposite.
pub(crate) fn clash_of(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
) -> Result<Option<Transition>> {
    if !lesson.is_injectable() {
        return Ok(None);
    }
    let policy = &memory.policy.ranking;
    let others = near_shown(memory, call, lesson)?;
    let clash = others.iter().find_map(|other| lifecycle::clash(lesson, other, policy));
    Ok(clash.map(|[own, _]| own))
}

/// An id for this text: the one it had before, or a free one.
pub fn free_id(
    memory: &Memory,
    call: &Call,
    project: Option<&ProjectId>,
    kind: Kind,
    text: &str,
) -> Result<LessonId> {
    let mut failure = None;
    let id = LessonId::derive(project, kind.word(), text, |id| {
        is_other(memory, call, id, kind, text).unwrap_or_else(|error| {
            failure = Some(error);
            false
        })
    });
    failure.map_or(Ok(id), Err)
}

/// Whether an id belongs to another lesson, so that a new one cannot have it. The
/// same kind and text is not a collision: it is the same lesson, also when a pattern
/// has become one role's hint since.
pub(crate) fn is_other(
    memory: &Memory,
    call: &Call,
    id: &LessonId,
    kind: Kind,
    text: &str,
) -> Result<bool> {
    match find_lesson(memory, call, id)? {
        Some(known) => Ok(known.text.as_str() != text || !known.kind.is_alike(kind)),
        None => Ok(memory.store.is_taken(&call.project, id)?),
    }
}
