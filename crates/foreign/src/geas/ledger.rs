//! `ledger/events.jsonl`: what happened to lessons, one object a line, behind whatever stands
//! there. It is written and never read.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Batch, Change, LessonField};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::State;
use hardwon_render::geas::{Happening, event};
use hardwon_store::JournalLine;

use super::{EVENTS, GeasLayout, RULES, names};
use crate::store::{FileWrite, Write, Writing};

/// So much of its end is looked at for what a writer that died may have written.
const TAIL_BYTES: u64 = 1 << 20;

/// What these batches did, in the order in which they did it, after whatever a writer that died
/// did not come to.
pub(super) fn write(writing: &Writing<'_, GeasLayout>) -> Option<FileWrite> {
    let of = |line: &JournalLine| told(writing, &line.batch);
    let missing = missing(writing, writing.undone.iter().map(of).collect());
    let lines: String = missing.into_iter().chain(writing.lines.iter().map(of)).collect();
    if lines.is_empty() {
        return None;
    }
    let gap = if ends_open(writing) { "\n" } else { "" };
    Some(FileWrite::of_project(EVENTS, Write::Log(format!("{gap}{lines}").into_bytes())))
}

/// Those of these lines that do not stand there yet.
fn missing(writing: &Writing<'_, GeasLayout>, lines: String) -> Option<String> {
    if lines.is_empty() {
        return None;
    }
    let path = writing.layout.files.path(EVENTS);
    let there = hardwon_store::files::tail(&path, TAIL_BYTES).unwrap_or_default();
    let there: BTreeSet<&str> = there.lines().collect();
    let missing = lines.split_inclusive('\n').filter(|line| !there.contains(line.trim_end()));
    Some(missing.collect())
}

fn told(writing: &Writing<'_, GeasLayout>, batch: &Batch) -> String {
    let name = |id: &LessonId| {
        let lesson = writing.tables.lessons.get(id)?;
        (lesson.state != State::Quarantined).then(|| names::memory_id(lesson).to_owned())
    };
    let mut lines = String::new();
    let mut push = |happening: &Happening<'_>| lines.push_str(&event(happening, batch.head.at));
    for (task_id, candidates) in extracted(&batch.changes) {
        push(&Happening::Extracted { task_id: &task_id, candidates });
    }
    for status in batch.changes.iter().filter_map(rules_status) {
        push(&Happening::Rules { status });
    }
    for change in &batch.changes {
        let Change::EditLesson { lesson, fields, because } = change else { continue };
        let step = fields.iter().find_map(|field| match field {
            LessonField::State(step) => Some(step),
            _ => None,
        });
        let (Some(step), Some(memory_id)) = (step, name(lesson)) else { continue };
        let (from, to, memory_id) = (step.from, step.to, memory_id.as_str());
        if because.starts_with("undo: ") {
            continue;
        }
        if to == State::Decayed {
            let reason = change.reason_for(State::Decayed).unwrap_or(because);
            push(&Happening::Decayed { memory_id, reason });
        } else if to.is_active() && is_step_up(from, to) {
            push(&Happening::Promoted { memory_id, from_state: from.word(), to_state: to.word() });
        }
    }
    lines
}

/// What became of rules: whoever writes them is a person, or takes that back.
fn rules_status(change: &Change) -> Option<&'static str> {
    let Change::EditFile { edit } = change else { return None };
    let is_taken_back = edit.added.is_empty();
    (edit.path == RULES).then_some(if is_taken_back { "superseded" } else { "approved" })
}

fn is_step_up(from: State, to: State) -> bool {
    let place = |state: State| State::ALL.iter().position(|known| *known == state);
    from.is_on_ladder() && place(from) < place(to)
}

/// How many lessons each task of a batch started.
fn extracted(changes: &[Change]) -> BTreeMap<String, usize> {
    let seen: BTreeMap<&LessonId, &RunId> = changes
        .iter()
        .rev()
        .filter_map(|change| match change {
            Change::AddFinding { finding } => Some((finding.lesson.as_ref()?, &finding.root)),
            _ => None,
        })
        .collect();
    let mut n_by_task = BTreeMap::new();
    for change in changes {
        let Change::AddLesson { lesson, .. } = change else { continue };
        if let Some(root) = seen.get(&lesson.id) {
            *n_by_task.entry(names::parts(root).1).or_default() += 1;
        }
    }
    n_by_task
}

/// Whether the last line of the file has no end: somebody else's, or half of one.
fn ends_open(writing: &Writing<'_, GeasLayout>) -> bool {
    let last = hardwon_store::files::tail(&writing.layout.files.path(EVENTS), 1);
    last.is_ok_and(|last| !last.is_empty() && !last.ends_with('\n'))
}
