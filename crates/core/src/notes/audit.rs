//! Does each fact still hold? In four steps, so that the world is asked as little as can be:
//!
//! 1. [`Tree::for_facts`] notes what all facts together want to know.
//! 2. The caller walks the tree once: [`Tree::take_path`] for every file, and [`Tree::take_text`]
//!    with the content of those that are text.
//! 3. [`questions`] are what history is asked, at most one for a fact that failed the search;
//!    [`Reading`] takes the lines of one pass over history that answers many of them.
//! 4. [`judge`] gives findings, each with its evidence and a proposed edit.
//!
//! No evidence, no finding: what is not there, and of which history knows nothing, may never
//! have been there.

mod judge;
mod past;
mod question;
mod tree;

pub use judge::{AuditFinding, AuditKind, Edit, judge};
pub use past::{Pass, Reading, renames, take_renames};
pub use question::{Ask, History, Question, questions};
pub use tree::{HitLine, Tree};

use super::claims::{Claimed, claims};
use super::{Note, NoteKind};
use crate::time::Timestamp;

/// A fact to be audited: a note, or a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The file of a note, or the id of a lesson.
    pub name: String,
    pub text: String,
    /// Whether it says how somebody wants to work, and so cannot become untrue by itself.
    pub is_preference: bool,
    /// When it was last changed.
    pub written: Option<Timestamp>,
    pub claims: Vec<Claimed>,
}

impl Fact {
    pub fn new(name: &str, text: &str, is_preference: bool, written: Option<Timestamp>) -> Self {
        let (name, text) = (name.to_owned(), text.to_owned());
        let claims = claims(&text);
        Fact { name, text, is_preference, written, claims }
    }

    /// The fact of a note; `written` is asked where the note does not say when it was changed.
    pub fn of_note(note: &Note, written: Option<Timestamp>) -> Self {
        let is_preference = match note.kind {
            Some(NoteKind::User | NoteKind::Feedback) => true,
            Some(NoteKind::Project | NoteKind::Reference) | None => false,
        };
        Fact::new(&note.file, &note.whole_text(), is_preference, note.modified.or(written))
    }
}

#[cfg(test)]
mod tests;
