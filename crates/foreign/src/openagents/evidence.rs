//! What a lesson of OpenAgents' is made of, and how often it was used: episodes that it
//! names as its evidence are runs in which it was seen.

use std::collections::BTreeSet;

use hardwon_core::change::Change;
use hardwon_core::digest::{hex, sha256};
use hardwon_core::effect::Injection;
use hardwon_core::episode::Episode;
use hardwon_core::finding::{Finding, FindingKey, FindingState};
use hardwon_core::foreign::{OpenagentsEvidence, OpenagentsLesson};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;
use hardwon_render::openagents::patched_lesson;

use super::OpenagentsLayout;
use super::translate::{self, foreign_id};
use crate::store::layout::Shelf;
use crate::store::{Known, News, Rows, Writing};

/// A record brought up to the lesson.
pub(super) fn updated(
    writing: &Writing<'_, OpenagentsLayout>,
    raw: &[u8],
    record: &OpenagentsLesson,
    shelf: &Shelf,
    lesson: &Lesson,
) -> Vec<u8> {
    let Some((from, mut to)) = translate::compared(writing.context, record, shelf, lesson) else {
        return raw.to_vec();
    };
    to.superseded_by =
        if lesson.state.is_on_ladder() { None } else { next(writing, lesson).or(to.superseded_by) };
    let known: BTreeSet<RunId> = record
        .evidence
        .episode_ids
        .iter()
        .filter_map(|id| translate::run(writing.context, id))
        .collect();
    let seen = seen_in(writing, lesson).iter().filter(|run| !known.contains(**run));
    to.evidence.episode_ids.extend(seen.map(|run| run.to_string()));
    patched_lesson(raw, &from, &to)
}

/// What the lesson that stands for it is called.
fn next(writing: &Writing<'_, OpenagentsLayout>, lesson: &Lesson) -> Option<String> {
    let next = writing.tables.lessons.get(lesson.superseded_by.as_ref()?)?;
    foreign_id(next).map(str::to_owned)
}

/// Runs in which a lesson was seen. One project's runs are nobody else's business.
fn seen_in<'w>(writing: &'w Writing<'_, OpenagentsLayout>, lesson: &Lesson) -> &'w [&'w RunId] {
    if lesson.project.is_some() { writing.seen_in(&lesson.id) } else { &[] }
}

pub(super) fn run<'w>(writing: &'w Writing<'_, OpenagentsLayout>, id: &RunId) -> Option<&'w Run> {
    writing.tables.runs.get(&(writing.context.project.clone(), id.clone()))
}

/// How often it was shown since its line was written, and when last.
pub(super) fn uses(
    writing: &Writing<'_, OpenagentsLayout>,
    lesson: &Lesson,
    record: &OpenagentsLesson,
) -> Option<(u32, Timestamp)> {
    let shows = |i: &Injection| i.shown.iter().any(|shown| shown.lesson == lesson.id);
    let new = writing.changes.iter().filter_map(|change| match change {
        Change::AddInjection { injection } => Some(injection),
        _ => None,
    });
    let all = writing.tables.injections.values();
    let is_uncounted = |i: &&Injection| record.last_used_at.is_none_or(|last| i.at > last);
    let shown: Vec<Timestamp> = if writing.is_unfinished {
        all.filter(is_uncounted).filter(|i| shows(i)).map(|i| i.at).collect()
    } else {
        new.filter(|i| shows(i)).map(|i| i.at).collect()
    };
    Some((shown.len() as u32, shown.into_iter().max()?))
}

/// A new record with all that is known of what it was made of and how it was used.
pub(super) fn completed(
    writing: &Writing<'_, OpenagentsLayout>,
    record: OpenagentsLesson,
    lesson: &Lesson,
) -> OpenagentsLesson {
    let injections = writing.tables.injections.values();
    let shown = injections.filter(|i| i.shown.iter().any(|shown| shown.lesson == lesson.id));
    let shown: Vec<Timestamp> = shown.map(|injection| injection.at).collect();
    OpenagentsLesson {
        superseded_by: next(writing, lesson).filter(|_| !lesson.state.is_on_ladder()),
        evidence: evidence(writing, lesson),
        usage_count: shown.len() as u32,
        last_used_at: shown.into_iter().max(),
        ..record
    }
}

/// What a new lesson was made of.
fn evidence(writing: &Writing<'_, OpenagentsLayout>, lesson: &Lesson) -> OpenagentsEvidence {
    let seen = seen_in(writing, lesson);
    let episodes: Vec<&Episode> =
        seen.iter().filter_map(|id| run(writing, id)).map(|run| &run.episode).collect();
    let all = |of: &dyn Fn(&Episode) -> Vec<String>| -> Vec<String> {
        let set: BTreeSet<String> = episodes.iter().flat_map(|episode| of(episode)).collect();
        set.into_iter().collect()
    };
    OpenagentsEvidence {
        episode_ids: seen.iter().map(|run| run.to_string()).collect(),
        trajectory_ids: all(&|episode| episode.trajectories.iter().cloned().collect()),
        session_ids: all(&|episode| episode.session.iter().cloned().collect()),
        run_log_paths: all(&|episode| episode.logs.iter().cloned().collect()),
    }
}

/// Episodes that a lesson names as its evidence are runs in which it was seen.
pub(super) fn witness(
    news: &mut News<'_, OpenagentsLayout>,
    rows: &Rows<OpenagentsLayout>,
    known: &Known,
) {
    let mut seen: BTreeSet<(RunId, LessonId)> = BTreeSet::new();
    for finding in news.tables.findings.values() {
        seen.extend(finding.lesson.clone().map(|lesson| (finding.run.clone(), lesson)));
    }
    for ((shelf, place), id) in known {
        let Some(record) = &rows.shelves[*shelf].lines[*place].record else { continue };
        for episode in &record.evidence.episode_ids {
            let run = translate::run(news.context, episode).and_then(|run| news.runs.get(&run));
            let Some(run) = run else { continue };
            if seen.insert((run.id.clone(), id.clone())) {
                let finding = Box::new(sighting(&news.lessons[id], run));
                news.changes.push(Change::AddFinding { finding });
            }
        }
    }
}

/// A lesson's evidence in one run, as far as OpenAgents tells of it.
fn sighting(lesson: &Lesson, run: &Run) -> Finding {
    let text = lesson.text.as_str();
    let signature = format!("s-{}", hex(&sha256(&["openagents", text])[..8]));
    Finding {
        key: FindingKey::of(&lesson.author, &signature, lesson.id.as_str(), None),
        run: run.id.clone(),
        root: run.root.clone(),
        author: lesson.author.clone(),
        severity: lesson.severity,
        category: lesson.category.clone(),
        rule: None,
        text: lesson.text.clone(),
        place: None,
        grade: None,
        signature,
        state: FindingState::Open,
        is_sighting: true,
        lesson: Some(lesson.id.clone()),
        likeness: 1.0,
        fixed_in: None,
    }
}
