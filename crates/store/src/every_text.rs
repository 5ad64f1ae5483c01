//! Which words does a store hold, and where? Everything that came from outside: bodies of
//! texts, the free fields of every row, and the journal. For a search through the store for
//! something that should not be there.

use hardwon_core::change::{Entry, Row, Tables, Worded};
use hardwon_core::ids::LessonId;

/// One text, and the row that keeps it.
#[derive(Clone, Debug)]
pub struct KeptText<'a> {
    /// `lesson l-…`, `run r7`, `entry 12 of project shop`.
    pub row: &'a str,
    /// The lesson with which it can be erased.
    pub lesson: Option<&'a LessonId>,
    pub text: &'a str,
}

/// Called with every text.
pub type Visit<'a> = &'a mut dyn FnMut(&KeptText<'_>);

/// Everything in the tables.
pub(crate) fn of_tables(tables: &Tables, visit: Visit<'_>) {
    for lesson in tables.lessons.values() {
        of_row(&lesson.name(), Some(&lesson.id), lesson, visit);
    }
    for finding in tables.findings.values() {
        of_row(&finding.name(), finding.lesson.as_ref(), finding, visit);
    }
    for run in tables.runs.values() {
        of_row(&run.name(), None, run, visit);
    }
    for injection in tables.injections.values() {
        of_row(&format!("the block shown to run {}", injection.run), None, injection, visit);
    }
    for deliberation in tables.deliberations.values() {
        of_row(&deliberation.name(), None, deliberation, visit);
    }
    for attempt in tables.attempts.values() {
        of_row(&attempt.name(), None, attempt, visit);
    }
    for effect in tables.effects.values() {
        of_row(&effect.name(), Some(&effect.lesson), effect, visit);
    }
}

/// One entry of the journal.
pub(crate) fn of_entry(entry: &Entry, visit: Visit<'_>) {
    let row = format!("entry {} of project {}", entry.sequence, entry.project);
    visit(&KeptText { row: &row, lesson: None, text: &entry.head.actor });
    of_row(&row, entry.change.lesson(), &entry.change, visit);
}

fn of_row<T: Worded + Clone>(row: &str, lesson: Option<&LessonId>, of: &T, visit: Visit<'_>) {
    let mut of = of.clone();
    of.for_each_text(&mut |text| {
        if let Some(text) = text.body() {
            visit(&KeptText { row, lesson, text });
        }
    });
    of.for_each_word(&mut |word| visit(&KeptText { row, lesson, text: word }));
}
