//! `ledger/events.jsonl`: what happened to lessons, one object a line, behind whatever stands
//! there. It is written and never read.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use hardwon_core::change::{Change, LessonField};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::State;
use hardwon_render::geas::{Happening, event};

use super::{EVENTS, GeasLayout, RULES, names};
use crate::store::{FileWrite, Write, Writing};

/// What this batch did, in the order in which it did it.
pub(super) fn write(writing: &Writing<'_, GeasLayout>) -> Option<FileWrite> {
    let name = |id: &LessonId| {
        let lesson = writing.tables.lessons.get(id)?;
        (lesson.state != State::Quarantined).then(|| names::memory_id(lesson).to_owned())
    };
    let mut lines = String::new();
    let mut push =
        |happening: &Happening<'_>| lines.push_str(&event(happening, writing.context.now));
    for (task_id, candidates) in extracted(writing) {
        push(&Happening::Extracted { task_id: &task_id, candidates });
    }
    for status in writing.changes.iter().filter_map(rules_status) {
        push(&Happening::Rules { status });
    }
    for change in writing.changes {
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
            push(&Happening::Promoted { memory_id, from: from.word(), to: to.word() });
        }
    }
    if lines.is_empty() {
        return None;
    }
    let gap = if ends_open(writing) { "\n" } else { "" };
    Some(FileWrite::of_project(EVENTS, Write::Log(format!("{gap}{lines}").into_bytes())))
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

/// How many lessons each task of this batch started.
fn extracted(writing: &Writing<'_, GeasLayout>) -> BTreeMap<String, usize> {
    let mut n_by_task = BTreeMap::new();
    for change in writing.changes {
        let Change::AddLesson { lesson, .. } = change else { continue };
        let task = writing.changes.iter().find_map(|change| match change {
            Change::AddFinding { finding } if finding.lesson.as_ref() == Some(&lesson.id) => {
                Some(names::parts(&finding.root).1)
            }
            _ => None,
        });
        if let Some(task) = task {
            *n_by_task.entry(task).or_default() += 1;
        }
    }
    n_by_task
}

/// Whether the last line of the file has no end: somebody else's, or half of one.
fn ends_open(writing: &Writing<'_, GeasLayout>) -> bool {
    let last = || -> std::io::Result<u8> {
        let mut file = std::fs::File::open(writing.layout.files.path(EVENTS))?;
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [b'\n'];
        file.read_exact(&mut byte)?;
        Ok(byte[0])
    };
    last().is_ok_and(|byte| byte != b'\n')
}
