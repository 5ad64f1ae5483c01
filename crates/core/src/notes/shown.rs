//! Which notes does a block tell, in which order, and how many of them? A role is told what
//! stands in its own notebook, and of another role's only what a note of its own links to. The
//! project's notes come behind. Each part has its own few tokens, both together at most half of
//! the block. Notes are no lessons: nobody counts whether they helped.

use std::collections::BTreeSet;

use super::{IndexLine, Note, names};
use crate::budget::{Room, estimate_tokens, shorten};
use crate::danger::danger;
use crate::gate::{Gate, gives_orders, one_line};
use crate::time::Timestamp;

/// A block tells at most so many tokens of a notebook, and as many of the project's notes.
pub const MAX_TOKENS: u32 = 150;

/// Of a note so many characters are told.
pub const MAX_CHARS: usize = 200;

/// A note as it lies in a file, or as a line of an index says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteAtHand {
    /// Whose notebook it stands in; `None` for the project's notes.
    pub role: Option<String>,
    /// Empty for a line that points to no file.
    pub slug: String,
    pub text: String,
    pub changed: Option<Timestamp>,
    /// `other/slug` leads into another role's notebook.
    pub links: Vec<String>,
}

/// What lies in files for one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotesAtHand {
    /// Of the asking role, and of those that its notes link to.
    pub notebooks: Vec<NoteAtHand>,
    /// In the order of the index; empty where the host loads it by itself.
    pub project: Vec<NoteAtHand>,
}

/// A note as a block may tell it: its words passed the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldNote {
    /// `slug` or `role/slug`; empty for a line that points to no file.
    pub name: String,
    pub text: String,
}

impl NoteAtHand {
    /// The note of a topic file: the fact itself if it is short, else what it is about.
    pub fn of(note: &Note, role: Option<&str>, changed: Option<Timestamp>) -> Self {
        let fact = one_line(note.statement());
        let is_short = fact.chars().count() <= MAX_CHARS;
        let text = match note.description.trim() {
            about if is_short || about.is_empty() => fact,
            about => one_line(&format!("{}: {about}", note.name)),
        };
        NoteAtHand {
            role: role.map(str::to_owned),
            slug: note.slug().to_owned(),
            text,
            changed: note.modified.or(changed),
            links: note.links.clone(),
        }
    }

    /// A line of an index; `None` if it leads out of its folder.
    pub fn of_line(line: &IndexLine) -> Option<Self> {
        let file = names::inside(&line.file).ok()?;
        let text = match line.hook.trim() {
            "" => line.title.clone(),
            hook => format!("{}: {hook}", line.title),
        };
        let slug = names::stem(&file).to_owned();
        Some(NoteAtHand { slug, text: one_line(&text), ..NoteAtHand::default() })
    }

    fn is_of(&self, role: &str) -> bool {
        self.role.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(role))
    }

    /// What may be told of it; nothing if it commands its reader, or tells to run what nobody should.
    pub(super) fn told(&self, gate: &Gate) -> Option<ToldNote> {
        let text = gate.line(&self.text);
        let text = text.as_str();
        let name = match &self.role {
            Some(role) if !self.slug.is_empty() => format!("{role}/{}", self.slug),
            _ => self.slug.clone(),
        };
        let is_fit = !text.trim().is_empty() && !gives_orders(text) && danger(text).is_none();
        is_fit.then(|| ToldNote { name, text: shorten(text, MAX_CHARS) })
    }
}

impl NotesAtHand {
    pub fn is_empty(&self) -> bool {
        self.notebooks.is_empty() && self.project.is_empty()
    }

    /// Notes of a role's notebook, newest first, each followed by what it links to of others.
    fn of_role(&self, role: Option<&str>) -> Vec<&NoteAtHand> {
        let Some(role) = role.and_then(|role| names::role(role).ok()) else { return Vec::new() };
        let mut own: Vec<&NoteAtHand> =
            self.notebooks.iter().filter(|note| note.is_of(role)).collect();
        own.sort_by_key(|note| std::cmp::Reverse(note.changed));
        let mut all = Vec::new();
        for note in own {
            all.push(note);
            all.extend(note.links.iter().filter_map(|link| {
                let (other, slug) = other_notebook(link)?;
                let is_meant = |it: &&NoteAtHand| it.is_of(other) && it.slug == slug;
                self.notebooks.iter().find(is_meant)
            }));
        }
        all
    }
}

/// Role and slug of a link into a notebook: `builder/detached-head`.
pub fn other_notebook(link: &str) -> Option<(&str, &str)> {
    let (role, slug) = link.trim().split_once('/')?;
    let slug = slug.strip_suffix(".md").unwrap_or(slug);
    let is_inside =
        names::inside(&format!("{slug}.md")).is_ok_and(|file| file == format!("{slug}.md"));
    (names::role(role).is_ok() && is_inside && !slug.contains('/')).then_some((role, slug))
}

/// The lines that a block tells of notes, worded by `line`, and their tokens. Never more than a
/// half of the block, nor than what its frame leaves; an equal text is told once.
pub fn fitting(
    at_hand: &NotesAtHand,
    role: Option<&str>,
    gate: &Gate,
    room: &Room,
    line: impl Fn(&ToldNote) -> String,
) -> (Vec<String>, u32) {
    let within = (room.tokens / 2).min(room.tokens.saturating_sub(room.frame_tokens));
    let max_chars = (room.max_chars / 2).min(room.max_chars.saturating_sub(room.frame_chars));
    let (mut lines, mut n_tokens, mut n_chars) = (Vec::new(), 0, 0);
    let mut known = BTreeSet::new();
    for part in [at_hand.of_role(role), at_hand.project.iter().collect()] {
        let until = within.min(n_tokens + MAX_TOKENS);
        for told in part.into_iter().filter_map(|note| note.told(gate)) {
            if !known.insert(told.text.to_lowercase()) {
                continue;
            }
            let line = line(&told);
            let more = estimate_tokens(&format!("{line}\n"));
            let more_chars = line.chars().count() as u32 + 1;
            if n_tokens + more > until || n_chars + more_chars > max_chars {
                break;
            }
            (n_tokens, n_chars) = (n_tokens + more, n_chars + more_chars);
            lines.push(line);
        }
    }
    (lines, n_tokens)
}

#[cfg(test)]
mod tests;
