//! The evidence of OpenAgents' lessons, and how often they were used: episodes that a lesson
//! names as its evidence are runs in which it was seen.

use std::collections::BTreeSet;

use hardwon_core::change::Change;
use hardwon_core::effect::Injection;
use hardwon_core::foreign::{OpenagentsEvidence, OpenagentsLesson};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;

use super::OpenagentsLayout;
use super::translate::foreign_id;
use crate::sighting;
use crate::store::{News, Writing};

/// A record with the runs in which its lesson was seen since, and with what replaced it.
pub(super) fn extended(
    writing: &Writing<'_, OpenagentsLayout>,
    record: &OpenagentsLesson,
    mut to: OpenagentsLesson,
    lesson: &Lesson,
) -> OpenagentsLesson {
    to.superseded_by = if lesson.state.is_on_ladder() {
        None
    } else {
        replacement(writing, lesson).or(to.superseded_by)
    };
    let known = record.evidence.episode_ids.iter().filter_map(|id| writing.context.run(id));
    let known: BTreeSet<RunId> = known.collect();
    let seen = seen_in(writing, lesson).iter().filter(|run| !known.contains(**run));
    let new = evidence_of(writing, seen.copied());
    let there = &mut to.evidence;
    add(&mut there.episode_ids, new.episode_ids);
    add(&mut there.trajectory_ids, new.trajectory_ids);
    add(&mut there.session_ids, new.session_ids);
    add(&mut there.run_log_paths, new.run_log_paths);
    to
}

/// Adds what is not there yet, behind what is.
fn add(there: &mut Vec<String>, new: Vec<String>) {
    let missing: Vec<String> = new.into_iter().filter(|one| !there.contains(one)).collect();
    there.extend(missing);
}

/// The id of the lesson that replaced it.
fn replacement(writing: &Writing<'_, OpenagentsLayout>, lesson: &Lesson) -> Option<String> {
    let next = writing.tables.lessons.get(lesson.superseded_by.as_ref()?)?;
    foreign_id(next).map(str::to_owned)
}

/// Runs in which a lesson was seen. A global lesson names none: they are one project's.
fn seen_in<'w>(writing: &'w Writing<'_, OpenagentsLayout>, lesson: &Lesson) -> &'w [&'w RunId] {
    if lesson.project.is_some() { writing.seen_in(&lesson.id) } else { &[] }
}

pub(super) fn run_of<'w>(
    writing: &'w Writing<'_, OpenagentsLayout>,
    id: &RunId,
) -> Option<&'w Run> {
    writing.tables.runs.get(&(writing.context.project.clone(), id.clone()))
}

/// How often it was shown since its line was written, and when last.
pub(super) fn uses(
    writing: &Writing<'_, OpenagentsLayout>,
    lesson: &Lesson,
    record: &OpenagentsLesson,
) -> Option<(u32, Timestamp)> {
    let new = writing.changes.iter().filter_map(|change| match change {
        Change::AddInjection { injection } => Some(injection),
        _ => None,
    });
    let all = writing.tables.injections.values();
    let is_uncounted = |i: &&Injection| record.last_used_at.is_none_or(|last| i.at > last);
    let shown = if writing.is_unfinished {
        times_shown(all.filter(is_uncounted), lesson)
    } else {
        times_shown(new, lesson)
    };
    Some((shown.len() as u32, shown.into_iter().max()?))
}

fn times_shown<'a>(
    injections: impl Iterator<Item = &'a Injection>,
    lesson: &Lesson,
) -> Vec<Timestamp> {
    let shows = |i: &&Injection| i.shown.iter().any(|shown| shown.lesson == lesson.id);
    injections.filter(shows).map(|injection| injection.at).collect()
}

/// A new record with all that is known of its evidence and use.
pub(super) fn completed(
    writing: &Writing<'_, OpenagentsLayout>,
    record: OpenagentsLesson,
    lesson: &Lesson,
) -> OpenagentsLesson {
    let shown = times_shown(writing.tables.injections.values(), lesson);
    OpenagentsLesson {
        superseded_by: replacement(writing, lesson).filter(|_| !lesson.state.is_on_ladder()),
        evidence: evidence_of(writing, seen_in(writing, lesson).iter().copied()),
        usage_count: shown.len() as u32,
        last_used_at: shown.into_iter().max(),
        ..record
    }
}

/// What these runs are evidence by.
fn evidence_of<'w>(
    writing: &Writing<'_, OpenagentsLayout>,
    runs: impl Iterator<Item = &'w RunId>,
) -> OpenagentsEvidence {
    let seen: Vec<&RunId> = runs.collect();
    let (mut trajectories, mut sessions, mut logs) =
        <(BTreeSet<_>, BTreeSet<_>, BTreeSet<_>)>::default();
    for Run { episode, .. } in seen.iter().filter_map(|id| run_of(writing, id)) {
        trajectories.extend(episode.trajectories.iter().cloned());
        sessions.extend(episode.session.clone());
        logs.extend(episode.logs.iter().cloned());
    }
    OpenagentsEvidence {
        episode_ids: seen.iter().map(|run| run.to_string()).collect(),
        trajectory_ids: trajectories.into_iter().collect(),
        session_ids: sessions.into_iter().collect(),
        run_log_paths: logs.into_iter().collect(),
    }
}

/// Adds a sighting for each run that a lesson names as its evidence.
pub(super) fn witness(news: &mut News<'_, OpenagentsLayout>) {
    let mut seen: BTreeSet<(RunId, LessonId)> = BTreeSet::new();
    for finding in news.tables.findings.values() {
        seen.extend(finding.lesson.clone().map(|lesson| (finding.run.clone(), lesson)));
    }
    for ((shelf, place), id) in &news.known {
        let Some(record) = &news.rows.shelves[*shelf].lines[*place].record else { continue };
        for episode in &record.evidence.episode_ids {
            let run = news.context.run(episode).and_then(|run| news.runs.get(&run));
            let Some(run) = run else { continue };
            if seen.insert((run.id.clone(), id.clone())) {
                let finding = Box::new(sighting("openagents", &news.lessons[id], run));
                news.changes.push(Change::AddFinding { finding });
            }
        }
    }
}
