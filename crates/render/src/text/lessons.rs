//! Lessons as rows: `list`, `search`, and the one line that commands on a single lesson
//! answer with.

use hardwon_core::lesson::State;

use super::columns::{Side, cut, table};
use crate::answer::{Lesson, Lessons};

/// Columns of the list, in this order for ever.
const COLUMNS: [(&str, Side); 7] = [
    ("ID", Side::Left),
    ("STATE", Side::Left),
    ("KIND", Side::Left),
    ("SEEN", Side::Right),
    ("HELPED", Side::Right),
    ("SCOPE", Side::Left),
    ("TEXT", Side::Left),
];
/// Longest scope in a row.
const SCOPE_COLUMNS: usize = 20;

/// A table with a heading; the text is cut to the width.
pub fn lessons(lessons: &Lessons, width: usize) -> String {
    if lessons.lessons.is_empty() {
        return "no lessons\n".to_owned();
    }
    let head = COLUMNS.map(|(name, _)| name.to_owned()).to_vec();
    let rows: Vec<Vec<String>> =
        [head].into_iter().chain(lessons.lessons.iter().map(row)).collect();
    let mut out = table(&rows, &COLUMNS.map(|(_, side)| side), width);
    if lessons.has_more {
        out += "(there are more: raise --limit)\n";
    }
    out
}

/// One lesson in one line: `l-abc1234 (provisional pattern): text`.
pub fn lesson(lesson: &Lesson, width: usize) -> String {
    let pinned = if lesson.is_pinned { ", pinned" } else { "" };
    let Lesson { id, state, kind, text, .. } = lesson;
    // A wish is shown although nothing has confirmed it: "candidate" would mislead.
    let state = if lesson.is_injectable && *state == State::Candidate {
        format!("{kind}, shown from now on{pinned}")
    } else {
        format!("{state} {kind}{pinned}")
    };
    cut(&format!("{id} ({state}): {text}"), width) + "\n"
}

/// `domain=code`, `global`, `project` for a lesson of the whole project.
pub(super) fn scope(lesson: &Lesson) -> String {
    let owner = match (&lesson.scope.project, lesson.scope.pairs.is_empty()) {
        (None, _) => Some("global".to_owned()),
        (Some(_), true) => Some("project".to_owned()),
        (Some(_), false) => None,
    };
    let pairs = lesson.scope.pairs.iter().map(|(dimension, value)| format!("{dimension}={value}"));
    owner.into_iter().chain(pairs).collect::<Vec<_>>().join(" ")
}

/// `3/4`: helped, of how often it was put to the test.
fn helped(lesson: &Lesson) -> String {
    match lesson.effects.n_tried() {
        0 => "-".to_owned(),
        n_tried => format!("{}/{n_tried}", lesson.effects.n_helped),
    }
}

fn row(lesson: &Lesson) -> Vec<String> {
    let pinned = if lesson.is_pinned { "[pinned] " } else { "" };
    vec![
        lesson.id.to_string(),
        lesson.state.to_string(),
        lesson.kind.to_string(),
        lesson.n_sightings.to_string(),
        helped(lesson),
        cut(&scope(lesson), SCOPE_COLUMNS),
        format!("{pinned}{}", lesson.text),
    ]
}
