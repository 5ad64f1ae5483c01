//! The notes of one folder with their index: what links to what, and what is wrong with them?
//! Every fault comes with the repair that it would get.

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
    BadLine { line: usize, target: String, why: &'static str },
    /// No line of the index points to a note.
    FileWithoutLine { file: String },
    /// A note names one that is not there.
    DeadLink { file: String, link: String },
    /// Notes that lead back to each other. Told, and allowed.
    Cycle { slugs: Vec<String> },
    /// Two lines of the index point to one file.
    DoubleLine { line: usize, first: usize, file: String },
    /// Two notes say the same in the same words.
    DoubleNote { file: String, other: String },
    /// The index is longer than what is loaded.
    OverLimit { what: Limit, is: usize, limit: usize },
    /// A file cannot be read.
    Unreadable { file: String, line: Option<usize>, reason: String },
}

/// What repairs a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    RemoveLine {
        line: usize,
    },
    AddLine(IndexLine),
    /// The link becomes plain words.
    Unlink {
        file: String,
        link: String,
    },
    /// The link is to this note, by a name that it nearly has.
    Relink {
        file: String,
        link: String,
        to: String,
    },
    /// `notes shorten`.
    Shorten,
    /// A person has to decide.
    ByHand,
    /// Nothing has to be done.
    Nothing,
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

    /// Everything that is wrong, worst first, each with its repair.
    ///
    /// A cycle of links is told, and no fault. A link into a role's notebook (`[[builder/slug]]`)
    /// is judged where the notebooks are known.
    pub fn check(&self, limits: &IndexLimits) -> Vec<(Fault, Repair)> {
        let mut faults = Vec::new();
        for Unreadable { file, line, reason } in &self.unreadable {
            let (file, line, reason) = (file.clone(), *line, reason.clone());
            faults.push((Fault::Unreadable { file, line, reason }, Repair::ByHand));
        }
        self.check_limits(limits, &mut faults);
        self.check_lines(&mut faults);
        self.check_links(&mut faults);
        self.check_doubles(&mut faults);
        for slugs in self.cycles() {
            faults.push((Fault::Cycle { slugs }, Repair::Nothing));
        }
        faults
    }

    fn check_limits(&self, limits: &IndexLimits, faults: &mut Vec<(Fault, Repair)>) {
        let index = &self.index;
        for (what, is, limit) in [
            (Limit::AllLines, index.n_lines, limits.all_lines),
            (Limit::AllBytes, index.n_bytes, limits.all_bytes),
            (Limit::OwnLines, index.n_own_lines, limits.own_lines),
            (Limit::OwnBytes, index.n_own_bytes, limits.own_bytes),
        ] {
            if is > limit {
                faults.push((Fault::OverLimit { what, is, limit }, Repair::Shorten));
            }
        }
    }

    fn check_lines(&self, faults: &mut Vec<(Fault, Repair)>) {
        let unreadable = self.unreadable.iter().map(|it| it.file.as_str());
        let files: BTreeSet<&str> =
            self.notes.iter().map(|note| note.file.as_str()).chain(unreadable).collect();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for entry in &self.index.lines {
            let (line, repair) = (entry.line, Repair::RemoveLine { line: entry.line });
            match names::inside(&entry.file) {
                // The index of other things may point to other things.
                Err(BadName::Ending) => {}
                Err(why) => {
                    let (target, why) = (entry.file.clone(), why.as_str());
                    faults.push((Fault::BadLine { line, target, why }, repair));
                }
                Ok(file) if !files.contains(file.as_str()) => {
                    faults.push((Fault::LineWithoutFile { line, file }, repair));
                }
                Ok(file) => match seen.get(&file) {
                    Some(first) => {
                        let first = *first;
                        faults.push((Fault::DoubleLine { line, first, file }, repair));
                    }
                    None => drop(seen.insert(file, line)),
                },
            }
        }
        if self.is_index_unreadable() {
            return;
        }
        for note in self.notes.iter().filter(|note| !seen.contains_key(&note.file)) {
            let fault = Fault::FileWithoutLine { file: note.file.clone() };
            faults.push((fault, Repair::AddLine(NoteSet::line_for(note))));
        }
    }

    fn check_links(&self, faults: &mut Vec<(Fault, Repair)>) {
        for note in &self.notes {
            for link in &note.links {
                if self.find(link).is_some() || self.leads_to_role(link) {
                    continue;
                }
                let (file, link) = (note.file.clone(), link.clone());
                let repair = match self.nearly(&link) {
                    Some(to) => Repair::Relink { file: file.clone(), link: link.clone(), to },
                    None => Repair::Unlink { file: file.clone(), link: link.clone() },
                };
                faults.push((Fault::DeadLink { file, link }, repair));
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

    fn check_doubles(&self, faults: &mut Vec<(Fault, Repair)>) {
        let mut seen: BTreeMap<Vec<String>, &str> = BTreeMap::new();
        for note in &self.notes {
            let words = unique_words(note.statement());
            if words.len() < 3 {
                continue;
            }
            match seen.get(&words) {
                Some(other) => {
                    let (file, other) = (note.file.clone(), (*other).to_owned());
                    faults.push((Fault::DoubleNote { file, other }, Repair::ByHand));
                }
                None => drop(seen.insert(words, &note.file)),
            }
        }
    }

    /// Circles of links, no note in two of them, each from its first file on.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let place: BTreeMap<&str, usize> =
            self.notes.iter().enumerate().map(|(at, note)| (note.file.as_str(), at)).collect();
        let targets: Vec<Vec<usize>> = self
            .notes
            .iter()
            .map(|note| {
                let found = self.links_from(note);
                found.iter().filter_map(|other| place.get(other.file.as_str()).copied()).collect()
            })
            .collect();
        let mut alive: BTreeSet<usize> = (0..self.notes.len()).collect();
        let mut cycles = Vec::new();
        loop {
            strip(&mut alive, &targets);
            let Some(first) = alive.first().copied() else { return cycles };
            let cycle = walk(first, &alive, &targets);
            alive.retain(|at| !cycle.contains(at));
            cycles.push(cycle.into_iter().map(|at| self.notes[at].slug().to_owned()).collect());
        }
    }
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || ".,;:!-–—".contains(c)
}

/// Takes away what leads nowhere, until all that is left leads on for ever.
fn strip(alive: &mut BTreeSet<usize>, targets: &[Vec<usize>]) {
    loop {
        let n_before = alive.len();
        let leads_on: BTreeSet<usize> = alive
            .iter()
            .copied()
            .filter(|at| targets[*at].iter().any(|target| alive.contains(target)))
            .collect();
        *alive = leads_on;
        if alive.len() == n_before {
            return;
        }
    }
}

/// Follows links until a note comes again; the circle from there on.
fn walk(first: usize, alive: &BTreeSet<usize>, targets: &[Vec<usize>]) -> Vec<usize> {
    let mut path = vec![first];
    loop {
        let last = path[path.len() - 1];
        let Some(next) = targets[last].iter().copied().find(|target| alive.contains(target)) else {
            return path;
        };
        if let Some(begin) = path.iter().position(|at| *at == next) {
            return path.split_off(begin);
        }
        path.push(next);
    }
}

#[cfg(test)]
mod tests;
