//! The notes of one folder with their index: what links to what, and what is wrong with them?

use std::collections::{BTreeMap, BTreeSet};

use super::names::{self, BadName};
use super::policy::IndexLimits;
use super::wording::overlap;
use super::{IndexLine, Note};
use crate::words::unique_words;

/// The file of the index.
pub const INDEX: &str = "MEMORY.md";

/// A file that holds no note that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub file: String,
    /// Of its head; `None` where the file itself cannot be read.
    pub line: Option<usize>,
    pub reason: String,
}

/// The index of a folder, with its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteIndex {
    pub lines: Vec<IndexLine>,
    pub n_lines: usize,
    pub n_bytes: usize,
    pub n_own_lines: usize,
    pub n_own_bytes: usize,
}

/// The notes of one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteSet {
    /// In the order of their files.
    pub notes: Vec<Note>,
    pub unreadable: Vec<Unreadable>,
    pub index: NoteIndex,
    /// The notes of each role, for links such as `[[builder/slug]]`; `None` where nobody looked.
    pub notebooks: Option<BTreeMap<String, Vec<Note>>>,
}

/// What can be too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    OwnLines,
    OwnBytes,
    AllLines,
    AllBytes,
}

/// What is wrong with a set of notes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The index points to a file that is not there.
    LineWithoutFile { line: usize, file: String },
    /// The index points out of its folder, or to what cannot be a note.
    BadLine { line: usize, target: String, why: BadName },
    /// No line of the index points to a note.
    FileWithoutLine { file: String },
    /// A note names one that is not there; one nearly has the name.
    DeadLink { file: String, link: String, nearly: Option<String> },
    /// Two lines of the index point to one file.
    DoubleLine { line: usize, first: usize, file: String },
    /// The index is longer than what is loaded.
    OverLimit { what: Limit, is: usize, limit: usize },
    /// A file cannot be read.
    Unreadable { file: String, line: Option<usize>, reason: String },
}

impl Fault {
    /// Whether something leads nowhere or cannot be read.
    pub fn is_broken(&self) -> bool {
        use Fault::*;
        matches!(
            self,
            LineWithoutFile { .. } | BadLine { .. } | DeadLink { .. } | Unreadable { .. }
        )
    }
}

impl NoteSet {
    /// The note that a link means.
    pub fn find(&self, link: &str) -> Option<&Note> {
        let by_file = self.notes.iter().find(|note| note.slug().eq_ignore_ascii_case(link.trim()));
        by_file.or_else(|| self.notes.iter().find(|note| note.is_named(link)))
    }

    /// The notes that this one names.
    pub fn links_from<'a>(&'a self, note: &'a Note) -> Vec<&'a Note> {
        let mut found: Vec<&Note> = Vec::new();
        for other in note.links.iter().filter_map(|link| self.find(link)) {
            if !found.iter().any(|known| known.file == other.file) {
                found.push(other);
            }
        }
        found
    }

    /// The notes that name this one.
    pub fn links_to(&self, note: &Note) -> Vec<&Note> {
        let is_it = |link: &String| self.find(link).is_some_and(|found| found.file == note.file);
        self.notes.iter().filter(|other| other.links.iter().any(is_it)).collect()
    }

    /// Whether a note says this: they share so much of their words.
    pub fn says(&self, text: &str, bar: f64) -> bool {
        let words = unique_words(text);
        self.notes.iter().any(|note| overlap(&unique_words(note.statement()), &words) >= bar)
    }

    /// The line of the index that a note gets.
    pub fn line_for(note: &Note) -> IndexLine {
        let title = if note.name.is_empty() { note.slug() } else { &note.name };
        let hook = if note.description.is_empty() {
            note.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
        } else {
            &note.description
        };
        let hook = hook.trim_start_matches('#').trim();
        // A hook that begins as the title does says the rest.
        let rest = hook.strip_prefix(title).map(|rest| rest.trim_start_matches(is_between));
        let (title, hook) = (title.to_owned(), rest.unwrap_or(hook).to_owned());
        IndexLine { title, file: note.file.clone(), hook, ..IndexLine::default() }
    }

    /// Everything that is wrong, worst first.
    ///
    /// A link into a role's notebook (`[[builder/slug]]`) is judged where the notebooks are known.
    pub fn check(&self, limits: &IndexLimits) -> Vec<Fault> {
        let unreadable = self.unreadable.iter().map(|it| Fault::Unreadable {
            file: it.file.clone(),
            line: it.line,
            reason: it.reason.clone(),
        });
        let mut faults: Vec<Fault> = unreadable.collect();
        self.check_limits(limits, &mut faults);
        self.check_lines(&mut faults);
        self.check_links(&mut faults);
        faults
    }

    fn check_limits(&self, limits: &IndexLimits, faults: &mut Vec<Fault>) {
        let index = &self.index;
        for (what, is, limit) in [
            (Limit::AllLines, index.n_lines, limits.all_lines),
            (Limit::AllBytes, index.n_bytes, limits.all_bytes),
            (Limit::OwnLines, index.n_own_lines, limits.own_lines),
            (Limit::OwnBytes, index.n_own_bytes, limits.own_bytes),
        ] {
            if is > limit {
                faults.push(Fault::OverLimit { what, is, limit });
            }
        }
    }

    fn check_lines(&self, faults: &mut Vec<Fault>) {
        let unreadable = self.unreadable.iter().map(|it| it.file.as_str());
        let files: BTreeSet<&str> =
            self.notes.iter().map(|note| note.file.as_str()).chain(unreadable).collect();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for entry in &self.index.lines {
            let line = entry.line;
            match names::inside(&entry.file) {
                // The index of other things may point to other things.
                Err(BadName::Ending) => {}
                Err(why) => {
                    faults.push(Fault::BadLine { line, target: entry.file.clone(), why });
                }
                Ok(file) if !files.contains(file.as_str()) => {
                    faults.push(Fault::LineWithoutFile { line, file });
                }
                Ok(file) => match seen.get(&file) {
                    Some(first) => faults.push(Fault::DoubleLine { line, first: *first, file }),
                    None => drop(seen.insert(file, line)),
                },
            }
        }
        if self.is_index_unreadable() {
            return;
        }
        let unlisted = self.notes.iter().filter(|note| !seen.contains_key(&note.file));
        faults.extend(unlisted.map(|note| Fault::FileWithoutLine { file: note.file.clone() }));
    }

    fn check_links(&self, faults: &mut Vec<Fault>) {
        for note in &self.notes {
            for link in &note.links {
                if self.find(link).is_none() && !self.leads_to_role(link) {
                    let (file, link, nearly) = (note.file.clone(), link.clone(), self.nearly(link));
                    faults.push(Fault::DeadLink { file, link, nearly });
                }
            }
        }
    }

    /// Whether a link leads to a note of a role. Where nobody looked, it may.
    fn leads_to_role(&self, link: &str) -> bool {
        let Some((role, slug)) = link.trim().split_once('/') else { return false };
        let Some(notebooks) = &self.notebooks else { return true };
        let is_named = |notes: &Vec<Note>| notes.iter().any(|note| note.is_named(slug));
        notebooks.get(role.trim()).is_some_and(is_named)
    }

    /// Whether the index cannot be read, so that nobody knows what it points to.
    pub fn is_index_unreadable(&self) -> bool {
        self.unreadable.iter().any(|it| it.file == INDEX)
    }

    /// The one note whose file has this name behind its kind, as in `feedback_use-pnpm`.
    fn nearly(&self, link: &str) -> Option<String> {
        let wanted = names::slug(link);
        let bare = |slug: &str| names::slug(slug.split_once('_').map_or(slug, |(_, rest)| rest));
        let mut near = self.notes.iter().filter(|note| bare(note.slug()) == wanted);
        let first = near.next()?;
        near.next().is_none().then(|| first.slug().to_owned())
    }
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || ".,;:!-–—".contains(c)
}

#[cfg(test)]
mod tests;
