//! Lessons as rows: `list`, `search`, and the one line that commands on a single lesson
//! answer with.

use hardwon_core::lesson::State;

use super::columns::{cut, headed_table};
use crate::answer::{Hits, Lesson, Lessons, NoteHit};

/// Columns of the list, in this order for ever.
const COLUMNS: &str = "ID STATE KIND >SEEN >HELPED SCOPE TEXT";
const SCOPE_COLUMNS: usize = 20;

/// A table with a heading; the text is cut to the width.
pub fn lessons(lessons: &Lessons, width: usize) -> String {
    if lessons.lessons.is_empty() {
        return "no lessons\n".to_owned();
    }
    let more = if lessons.has_more { "(there are more: raise --limit)\n" } else { "" };
    headed_table(COLUMNS, lessons.lessons.iter().map(row), width) + more
}

/// The same table, with what each lesson has in common with the search below it.
pub fn hits(hits: &Hits, width: usize) -> String {
    let lessons = hits.lessons.iter().map(|hit| hit.lesson.clone()).collect();
    let table = self::lessons(&Lessons { lessons, has_more: hits.has_more, next: None }, width);
    let mut why = hits.lessons.iter();
    let mut text = String::with_capacity(2 * table.len());
    for (at, line) in table.lines().enumerate() {
        text += line;
        text.push('\n');
        if let Some(hit) = (at > 0).then(|| why.next()).flatten() {
            let reasons = hit.why.join(", ");
            text += &cut(&format!("  {:.2} by {reasons}", hit.score.0), width);
            text.push('\n');
        }
    }
    text + &notes_found(&hits.notes, width)
}

/// Notes come behind the lessons: no run confirmed them.
fn notes_found(notes: &[NoteHit], width: usize) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let line = |note: &NoteHit| {
        let reasons = format!("  {:.2} by {}", note.score.0, note.why.join(", "));
        let lines = [format!("{}  {}", note.slug, note.text), reasons];
        lines.map(|line| cut(&line, width) + "\n").concat()
    };
    let notes: String = notes.iter().map(line).collect();
    format!("notes (`hardwon jkz show SLUG`):\n{notes}")
}

/// One lesson in one line: `l-abc1234 (provisional pattern): text`.
pub fn lesson(lesson: &Lesson, width: usize) -> String {
    let pinned = if lesson.is_pinned { ", pinned" } else { "" };
    let Lesson { id, state, kind, text, .. } = lesson;
    // A preference is shown although nothing has confirmed it: "candidate" would mislead.
    let state = if lesson.is_injectable && *state == State::Candidate {
        format!("{kind}, shown from now on{pinned}")
    } else {
        format!("{state} {kind}{pinned}")
    };
    cut(&format!("{id} ({state}): {text}"), width) + "\n"
}

/// `domain=code`, `global`, `project` for a lesson of the whole project.
fn scope(lesson: &Lesson) -> String {
    let owner = match (&lesson.scope.project, lesson.scope.pairs.is_empty()) {
        (None, _) => Some("global".to_owned()),
        (Some(_), true) => Some("project".to_owned()),
        (Some(_), false) => None,
    };
    let pairs = lesson.scope.pairs.iter().map(|(dimension, value)| format!("{dimension}={value}"));
    owner.into_iter().chain(pairs).collect::<Vec<_>>().join(" ")
}

/// `3/4`: how often it helped, of how often it was tested.
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
