//! The files of one OpenAgents memory, read together, and which lesson each of their
//! lines is.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Tables;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, OpenagentsEpisode, OpenagentsLesson};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Lesson, Trust};
use hardwon_readers::{openagents_episodes, openagents_lessons};

use super::translate::Translator;
use crate::{Folder, FolderError, has_row};

pub(super) const EPISODES: &str = "episodes.jsonl";
/// Ours: what has no place in the others.
pub(super) const JOURNAL: &str = "hardwon.jsonl";

/// A file of lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shelf {
    Lessons,
    Archive,
    Global,
    GlobalArchive,
}

impl Shelf {
    pub const ALL: [Shelf; 4] =
        [Shelf::Lessons, Shelf::Archive, Shelf::Global, Shelf::GlobalArchive];

    pub fn name(self) -> &'static str {
        match self {
            Shelf::Lessons => "lessons.jsonl",
            Shelf::Archive => "lessons-archive.jsonl",
            Shelf::Global => "global-lessons.jsonl",
            Shelf::GlobalArchive => "global-lessons-archive.jsonl",
        }
    }

    /// Whether it belongs to the user rather than to the project.
    pub fn is_global(self) -> bool {
        matches!(self, Shelf::Global | Shelf::GlobalArchive)
    }

    pub fn is_archive(self) -> bool {
        matches!(self, Shelf::Archive | Shelf::GlobalArchive)
    }

    /// Where its lessons go when they are put away.
    pub fn archive(self) -> Shelf {
        if self.is_global() { Shelf::GlobalArchive } else { Shelf::Archive }
    }
}

/// The bytes of the files as they were read; nothing for a file that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    pub shelves: BTreeMap<Shelf, Vec<u8>>,
    pub episodes: Option<Vec<u8>>,
    pub journal: Option<Vec<u8>>,
}

impl Files {
    pub fn read(memory: &Folder, global: Option<&Folder>) -> Result<Files, FolderError> {
        let mut shelves = BTreeMap::new();
        for shelf in Shelf::ALL {
            let Some(folder) = (if shelf.is_global() { global } else { Some(memory) }) else {
                continue;
            };
            if let Some(bytes) = folder.read(shelf.name())? {
                shelves.insert(shelf, bytes);
            }
        }
        let (episodes, journal) = (memory.read(EPISODES)?, memory.read(JOURNAL)?);
        Ok(Files { shelves, episodes, journal })
    }

    /// Digests of the project's own files, by name. The user's global lessons are read
    /// anew each time, and are no part of the project's history.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let shelves = [Shelf::Lessons, Shelf::Archive];
        let shelves = shelves.map(|shelf| (shelf.name(), self.shelves.get(&shelf)));
        let files = shelves.into_iter().chain([(EPISODES, self.episodes.as_ref())]);
        let digest =
            |bytes: Option<&Vec<u8>>| bytes.map_or_else(String::new, |b| sha256_of_bytes(b));
        files.map(|(name, bytes)| (name.to_owned(), digest(bytes))).collect()
    }

    /// The lines of the files, and what could not be used.
    pub fn rows(&self) -> (Rows, Vec<Problem>) {
        let (mut shelves, mut problems) = (BTreeMap::new(), Vec::new());
        for shelf in Shelf::ALL {
            let bytes = self.shelves.get(&shelf).map_or(&[][..], Vec::as_slice);
            let (file, more) = openagents_lessons(shelf.name(), bytes);
            shelves.insert(shelf, file);
            problems.extend(more);
        }
        let bytes = self.episodes.as_deref().unwrap_or_default();
        let (episodes, more) = openagents_episodes(EPISODES, bytes);
        problems.extend(more);
        (Rows { shelves, episodes }, problems)
    }
}

/// The files, line by line.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub shelves: BTreeMap<Shelf, ForeignFile<OpenagentsLesson>>,
    pub episodes: ForeignFile<OpenagentsEpisode>,
}

/// Which lesson each line of each file is.
pub(super) type Pairs = BTreeMap<Shelf, Vec<Option<LessonId>>>;

impl Rows {
    /// Finds each line's lesson by its id and, where that is not enough, by its text.
    pub fn pairs(&self, tables: &Tables, translator: &Translator<'_>) -> Pairs {
        let mut finder = Finder::new(tables, translator);
        let mut pairs = Pairs::new();
        for (&shelf, file) in &self.shelves {
            let records = file.lines.iter().map(|line| line.record.as_ref());
            let found = records.map(|record| finder.lesson(record?, shelf));
            pairs.insert(shelf, found.collect());
        }
        pairs
    }

    /// The factor of the importance in new lines: that of the lines that are there.
    pub fn scale(&self, shelf: Shelf) -> f64 {
        let records = self.shelves[&shelf].lines.iter().filter_map(|line| line.record.as_ref());
        let scales =
            records.map(|record| hardwon_core::foreign::importance_scale(record.importance));
        scales.fold(1.0, f64::max)
    }

    /// Ids that stand in the files of lessons.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let lines = self.shelves.values().flat_map(|file| &file.lines);
        lines.filter_map(|line| Some(line.record.as_ref()?.id.as_str()))
    }
}

struct Finder<'a> {
    translator: &'a Translator<'a>,
    by_alias: BTreeMap<&'a str, Vec<&'a Lesson>>,
    /// Lessons that have their line among the active ones.
    taken: BTreeSet<&'a LessonId>,
}

impl<'a> Finder<'a> {
    fn new(tables: &'a Tables, translator: &'a Translator<'a>) -> Self {
        let mut by_alias: BTreeMap<&str, Vec<&Lesson>> = BTreeMap::new();
        for lesson in tables.lessons.values() {
            if lesson.aliases.is_empty() {
                by_alias.entry("").or_default().push(lesson);
            }
            for alias in &lesson.aliases {
                by_alias.entry(alias).or_default().push(lesson);
            }
        }
        Finder { translator, by_alias, taken: BTreeSet::new() }
    }

    /// A line of the archive is known by id and text; of an active line's lesson, the
    /// text may have been edited.
    fn lesson(&mut self, record: &OpenagentsLesson, shelf: Shelf) -> Option<LessonId> {
        let alias = self.translator.alias(&record.id).unwrap_or_default();
        let named = self.by_alias.get(alias.as_str()).cloned().unwrap_or_default();
        let is_free = |l: &&&Lesson| {
            l.project.is_none() == shelf.is_global()
                && (shelf.is_archive() || !self.taken.contains(&l.id))
        };
        let free: Vec<&Lesson> = named.iter().filter(is_free).copied().collect();
        let text = self.translator.gate.line(&record.summary);
        // Of several with one id and text, the one that says all the same.
        let is_it = |lesson: &&&Lesson| self.says_the_same(record, shelf, lesson);
        let by_all = free.iter().filter(|_| free.len() > 1).find(is_it);
        let by_text = by_all.or_else(|| free.iter().find(|lesson| lesson.text == text));
        let is_edited = |lesson: &&&Lesson| has_row(lesson.state) && !record.id.is_empty();
        let by_name = || free.iter().find(is_edited).filter(|_| !shelf.is_archive());
        // An order is nobody's but whoever's own words it was all along.
        let is_order = || self.translator.orders.are_in(record, shelf);
        let is_vouched_for = |lesson: &&Lesson| lesson.trust == Trust::Trusted || !is_order();
        let by_name = || by_name().filter(|_| !is_order());
        let found = by_text.or_else(by_name).copied().filter(is_vouched_for)?;
        if !shelf.is_archive() {
            self.taken.insert(&found.id);
        }
        Some(found.id.clone())
    }

    fn says_the_same(&self, record: &OpenagentsLesson, shelf: Shelf, lesson: &Lesson) -> bool {
        let compared = self.translator.compared(record, shelf, lesson);
        compared.is_some_and(|(theirs, ours)| theirs == ours)
    }
}
