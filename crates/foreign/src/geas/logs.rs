//! Application logs: one document for each lesson that was shown in a task that ended.

use std::collections::BTreeSet;

use hardwon_core::change::Change;
use hardwon_core::effect::{Effect, EffectKind, FollowUp, Surface};
use hardwon_core::foreign::{GeasHeader, GeasLog};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_render::geas as render;

use super::agents::{ORCHESTRATOR, agent_type};
use super::{GeasLayout, LOGS, names};
use crate::store::layout::Layout;
use crate::store::{FileWrite, Write, Writing};

/// How the notes of an application begin that the task contradicted.
const CONTRADICTION: &str = "Contradiction:";

/// What geas's words for an effect are for us. The notes tell a contradiction from mere harm.
pub(super) fn effect_kind(log: &GeasLog) -> Option<EffectKind> {
    match log.effect.as_str() {
        "positive" => Some(EffectKind::Helped),
        "negative" if log.notes.starts_with(CONTRADICTION) => Some(EffectKind::Contradicted),
        "negative" | "neutral_but_risky" => Some(EffectKind::Hurt),
        "neutral" => Some(EffectKind::Neutral),
        "unknown" => Some(EffectKind::NoOpportunity),
        _ => None,
    }
}

fn effect_word(kind: EffectKind) -> &'static str {
    match kind {
        EffectKind::Helped => "positive",
        EffectKind::NoHelp | EffectKind::Hurt | EffectKind::Contradicted => "negative",
        EffectKind::Neutral | EffectKind::NoOpportunity => "neutral",
    }
}

/// Logs of this batch's applications; all that are missing, where a writer died.
pub(super) fn writes(writing: &Writing<'_, GeasLayout>) -> Vec<FileWrite> {
    let mut touched: BTreeSet<&LessonId> = BTreeSet::new();
    for change in writing.changes {
        if let Change::AddEffect { effect } | Change::RemoveEffect { effect } = change {
            touched.insert(&effect.lesson);
        }
    }
    if writing.is_unfinished {
        touched.extend(writing.tables.effects.values().map(|effect| &effect.lesson));
    }
    let of = |id: &LessonId| writing.tables.lessons.get(id);
    touched.into_iter().filter_map(of).flat_map(|lesson| of_lesson(writing, lesson)).collect()
}

fn of_lesson(writing: &Writing<'_, GeasLayout>, lesson: &Lesson) -> Vec<FileWrite> {
    if lesson.state == State::Quarantined {
        return Vec::new();
    }
    let all = writing.tables.effects.values();
    let mut effects: Vec<&Effect> =
        all.filter(|it| it.lesson == lesson.id && it.was_shown()).collect();
    effects.sort_by_cached_key(|effect| (effect.run_number, effect.root.clone()));
    let id = names::memory_id(lesson);
    let there = |task: &str| {
        let logs = writing.rows.side.logs.iter();
        logs.filter(|(_, log)| log.memory_id == id && log.task_id == task).collect::<Vec<_>>()
    };
    let undone = undone(writing, lesson);
    let mut writes = Vec::new();
    let mut done: BTreeSet<String> = BTreeSet::new();
    for effect in &effects {
        let task = names::parts(&effect.root).1;
        if !done.insert(task.clone()) {
            continue;
        }
        let of_task: Vec<&&Effect> =
            effects.iter().filter(|other| names::parts(&other.root).1 == task).collect();
        let known = there(&task);
        for (n, effect) in of_task.iter().enumerate() {
            let log = log(writing, lesson, effect, &task);
            match known.get(n) {
                Some((_, is))
                    if is.effect == log.effect || effect_kind(is) == Some(effect.kind) => {}
                Some((name, _)) => writes.push(put(name, &log)),
                None => writes.push(put(&free_name(writing, lesson, &task), &log)),
            }
        }
        let more = known.iter().skip(of_task.len());
        writes.extend(more.filter(|_| !undone.is_empty()).map(|(name, _)| remove(name)));
    }
    // An application that was undone, in a task of which nothing else is left.
    for root in undone {
        let task = names::parts(root).1;
        if !done.contains(&task) {
            writes.extend(there(&task).last().map(|(name, _)| remove(name)));
        }
    }
    writes
}

fn put(name: &str, log: &GeasLog) -> FileWrite {
    FileWrite::of_project(name, Write::Replace(render::log(log).into_bytes()))
}

fn remove(name: &str) -> FileWrite {
    FileWrite::of_project(name, Write::Remove)
}

/// Runs in which it was applied, as this batch no longer holds.
fn undone<'a>(writing: &Writing<'a, GeasLayout>, lesson: &Lesson) -> Vec<&'a RunId> {
    let of_change = |change: &'a Change| match change {
        Change::RemoveEffect { effect } if effect.lesson == lesson.id => Some(&effect.root),
        _ => None,
    };
    writing.changes.iter().filter_map(of_change).collect()
}

/// `TASK-MEMORY.json`; a second one of the pair is `.2.json`.
fn free_name(writing: &Writing<'_, GeasLayout>, lesson: &Lesson, task: &str) -> String {
    let stem = format!("{task}-{}", names::file_stem(lesson));
    let shelf = &GeasLayout::SIDE_SHELVES[LOGS[0]];
    let others = (2..).map(|n| format!("{stem}.{n}.json"));
    let mut names = std::iter::once(format!("{stem}.json")).chain(others).map(|it| shelf.file(&it));
    // The numbers do not end.
    names.find(|name| !writing.rows.side.bytes.contains_key(name)).unwrap_or_default()
}

fn log(writing: &Writing<'_, GeasLayout>, lesson: &Lesson, effect: &Effect, task: &str) -> GeasLog {
    let id = names::memory_id(lesson).to_owned();
    let run = writing.tables.runs.get(&(writing.context.project.clone(), effect.root.clone()));
    let at = run.map(|run| run.finished.unwrap_or(run.recorded_at));
    let is_contradicted = effect.kind == EffectKind::Contradicted;
    let notes = if is_contradicted && !effect.why.starts_with(CONTRADICTION) {
        format!("{CONTRADICTION} {}", effect.why)
    } else {
        effect.why.clone()
    };
    GeasLog {
        header: GeasHeader {
            artifact_id: format!("mal-{task}-{id}"),
            producer: ORCHESTRATOR.to_owned(),
            created_at: at.or(Some(lesson.updated_at)),
            ..GeasHeader::default()
        },
        memory_id: id,
        task_id: task.to_owned(),
        applied_by: agent_type(&role(writing, effect), &writing.context.policy.routing.profile)
            .to_owned(),
        surface: effect.surface.word().to_owned(),
        effect: effect_word(effect.kind).to_owned(),
        notes,
        followup: follow_up(writing, lesson, effect).to_owned(),
    }
}

/// Who was shown the lesson.
fn role(writing: &Writing<'_, GeasLayout>, effect: &Effect) -> String {
    let shows = |run: &RunId| {
        let key = (writing.context.project.clone(), run.clone());
        let root = writing.tables.runs.get(&key).map(|run| &run.root);
        *run == effect.root || root == Some(&effect.root)
    };
    let mut injections =
        writing.tables.injections.values().filter(|it| {
            shows(&it.run) && it.shown.iter().any(|shown| shown.lesson == effect.lesson)
        });
    injections.next().map(|injection| injection.role.clone()).unwrap_or_default()
}

/// What comes of it: as it was concluded, or as the same batch shows.
fn follow_up(writing: &Writing<'_, GeasLayout>, lesson: &Lesson, effect: &Effect) -> &'static str {
    let stepped = |to: &[State]| {
        let mut of_it = writing.changes.iter().filter(|it| it.lesson() == Some(&lesson.id));
        of_it.any(|change| to.iter().any(|state| change.reason_for(*state).is_some()))
    };
    match effect.follow_up {
        _ if effect.kind == EffectKind::Contradicted => FollowUp::Weaken.word(),
        FollowUp::None if stepped(&[State::UnderReview]) => FollowUp::ReviewRequired.word(),
        FollowUp::None if stepped(&[State::Superseded]) => FollowUp::Supersede.word(),
        FollowUp::None if stepped(&[State::Stable, State::Canonical]) => {
            FollowUp::Strengthen.word()
        }
        other => other.word(),
    }
}

/// Into what a block was put, in geas's words.
pub(super) fn surface(word: &str) -> Surface {
    Surface::from_word(word).unwrap_or_default()
}
