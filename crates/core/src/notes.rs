//! Facts that are kept in files which hosts load by themselves: what is a note, is the set of
//! them sound, does a new one earn its file, and does each still hold?
//!
//! Everything comes in as values: the files as `readers` parsed them, the documents as
//! sentences, the tree and its history as what a search found. Nothing here knows the bytes of a
//! file, and nothing is written: the answers are findings with their evidence, and proposals.

pub mod bar;
pub mod documents;
pub mod found;
pub mod names;
pub mod policy;
pub mod references;
pub mod review;
pub mod set;
pub mod shown;
mod wording;

use crate::time::Timestamp;
use crate::vocabulary;

vocabulary! {
    /// What sort of fact a note holds; the `type` of a topic file.
    NoteKind {
        /// Who the user is.
        User = "user",
        /// How to work: a correction, or what was confirmed.
        Feedback = "feedback",
        /// Goals, constraints and decisions that the code does not say.
        Project = "project",
        /// Where something is found outside.
        Reference = "reference",
    }
}

impl NoteKind {
    /// The kind of this word, in any case; `None` for others.
    pub fn parse(word: &str) -> Option<Self> {
        NoteKind::from_word(&word.trim().to_ascii_lowercase())
    }
}

/// One fact in a file of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Its place below the folder of notes: `feedback_use-pnpm.md`.
    pub file: String,
    pub name: String,
    /// One line that says what it is about.
    pub description: String,
    /// `None` if the file names none, or one that is not known.
    pub kind: Option<NoteKind>,
    /// The session in which a host wrote it.
    pub session: Option<String>,
    /// When it was last changed, by its own word.
    pub modified: Option<Timestamp>,
    /// The fact itself.
    pub text: String,
    pub why: Option<String>,
    pub how: Option<String>,
    /// Slugs of the notes that it names, each once, in order.
    pub links: Vec<String>,
}

impl Note {
    /// What links call it by: its file without folder and ending.
    pub fn slug(&self) -> &str {
        names::stem(&self.file)
    }

    /// Whether a link means this note: by its file, or by its name with dashes.
    pub fn is_named(&self, link: &str) -> bool {
        let link = link.trim();
        let bare = link.strip_suffix(".md").unwrap_or(link);
        bare.eq_ignore_ascii_case(self.slug())
            || (!self.name.is_empty() && names::slug(bare) == names::slug(&self.name))
    }

    /// All that it says, for comparing.
    pub fn whole_text(&self) -> String {
        let parts = [Some(&self.text), self.why.as_ref(), self.how.as_ref()];
        let parts = parts.into_iter().flatten().map(|part| part.trim());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The fact in the fewest words that still say it.
    pub fn statement(&self) -> &str {
        let text = self.text.trim();
        if text.is_empty() { self.description.trim() } else { text }
    }
}

/// One line of the index that points to a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexLine {
    pub title: String,
    /// Where it points, as it stands there.
    pub file: String,
    /// What stands behind the dash.
    pub hook: String,
    /// Whether it stands between our marks.
    pub is_ours: bool,
    /// Its number in the index, from 1; 0 for one that is still to be written.
    pub line: usize,
}
