//! Which terms does a text have in the index of a database, and did they change?

use std::collections::BTreeSet;

use hardwon_core::lesson::Lesson;

hardwon_core::vocabulary! {
    /// What sort of text holds a term.
    Sort {
        Lesson = "lesson",
        Finding = "finding",
        Deliberation = "deliberation",
    }
}

/// Most edits count something and change no term: these cost the index nothing.
pub(crate) fn has_same_terms(before: Option<&Lesson>, after: Option<&Lesson>) -> bool {
    let (Some(a), Some(b)) = (before, after) else { return false };
    (&a.text, &a.tags, &a.category, &a.paths, &a.signatures, &a.guidance.wordings)
        == (&b.text, &b.tags, &b.category, &b.paths, &b.signatures, &b.guidance.wordings)
        && a.is_injectable() == b.is_injectable()
}

/// The terms of something, if it is there.
pub(crate) fn terms<T>(thing: Option<&T>, terms_of: fn(&T) -> Vec<String>) -> BTreeSet<String> {
    thing.map_or(Vec::new(), terms_of).into_iter().collect()
}
