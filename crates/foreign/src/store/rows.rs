//! The records of one memory's files, and which lesson each of them is.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Tables;
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, ForeignLine};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Lesson, Trust};

use super::files::Files;
use crate::store::layout::{Context, Form, Layout, Shelf};

/// The records of the files.
pub struct Rows<L: Layout> {
    /// By the number of the shelf. A document is one line.
    pub shelves: Vec<ForeignFile<L::Record>>,
    /// The file of each record of a shelf of documents.
    pub(super) names: Vec<Vec<String>>,
    pub side: L::Side,
}

/// Which lesson each record of each shelf is.
pub type Pairs = Vec<Vec<Option<LessonId>>>;

impl<L: Layout> Rows<L> {
    pub(super) fn read(layout: &L, files: &Files) -> (Rows<L>, Vec<Problem>) {
        let (mut shelves, mut names, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for shelf in L::SHELVES {
            let (file, of_shelf, more) = read_shelf(layout, shelf, files);
            shelves.push(file);
            names.push(of_shelf);
            problems.extend(more);
        }
        let (side, more) = layout.read_side(files);
        problems.extend(more);
        (Rows { shelves, names, side }, problems)
    }

    /// Every record of lessons that could be read.
    pub fn records(&self) -> impl Iterator<Item = &L::Record> {
        self.lines().filter_map(|line| line.record.as_ref())
    }

    /// Every line or document.
    pub fn lines(&self) -> impl Iterator<Item = &ForeignLine<L::Record>> {
        self.shelves.iter().flat_map(|file| &file.lines)
    }

    /// Where a record stands, for messages.
    pub(super) fn at(&self, index: usize, place: usize) -> String {
        match self.names[index].get(place) {
            Some(name) => name.clone(),
            None => format!("{}:{}", L::SHELVES[index].label(), place + 1),
        }
    }

    /// Finds each record's lesson by its id and, where that is not enough, by its text:
    /// an id may have been given away again once its lesson was archived.
    pub fn pairs(&self, layout: &L, tables: &Tables, context: &Context<'_>) -> Pairs {
        let mut finder = Finder::new(layout, tables, context);
        let mut pairs = Pairs::new();
        for (file, shelf) in self.shelves.iter().zip(L::SHELVES) {
            let records = file.lines.iter().map(|line| line.record.as_ref());
            pairs.push(records.map(|record| finder.lesson(record?, shelf)).collect());
        }
        pairs
    }
}

fn read_shelf<L: Layout>(
    layout: &L,
    shelf: &Shelf,
    files: &Files,
) -> (ForeignFile<L::Record>, Vec<String>, Vec<Problem>) {
    if shelf.form == Form::Lines {
        let (file, problems) = layout.read(shelf, shelf.label(), files.get(shelf.path));
        return (file, Vec::new(), problems);
    }
    let mut all = ForeignFile { lines: Vec::new(), has_end: true };
    let (mut names, mut problems) = (Vec::new(), Vec::new());
    for (name, bytes) in files.documents(shelf) {
        let (file, more) = layout.read(shelf, name, bytes);
        let record = file.lines.into_iter().find_map(|line| line.record);
        all.lines.push(ForeignLine { raw: bytes.to_vec(), record });
        names.push(name.to_owned());
        problems.extend(more);
    }
    (all, names, problems)
}

/// Lines of a file that could not be used.
pub(crate) fn n_unusable<T>(file: &ForeignFile<T>) -> usize {
    let is_lost =
        |line: &&ForeignLine<T>| line.record.is_none() && !line.raw.trim_ascii().is_empty();
    file.lines.iter().filter(is_lost).count()
}

struct Finder<'a, L: Layout> {
    layout: &'a L,
    context: &'a Context<'a>,
    by_alias: BTreeMap<&'a str, Vec<&'a Lesson>>,
    /// Lessons that have their record among the active ones.
    taken: BTreeSet<&'a LessonId>,
}

impl<'a, L: Layout> Finder<'a, L> {
    fn new(layout: &'a L, tables: &'a Tables, context: &'a Context<'a>) -> Self {
        let mut by_alias: BTreeMap<&str, Vec<&Lesson>> = BTreeMap::new();
        for lesson in tables.lessons.values() {
            if lesson.aliases.is_empty() {
                by_alias.entry("").or_default().push(lesson);
            }
            for alias in &lesson.aliases {
                by_alias.entry(alias).or_default().push(lesson);
            }
        }
        Finder { layout, context, by_alias, taken: BTreeSet::new() }
    }

    /// A record of an archive is known by id and text; of an active record's lesson, the
    /// text may have been edited. What the layout refuses is only whoever's own words it
    /// was all along.
    fn lesson(&mut self, record: &L::Record, shelf: &Shelf) -> Option<LessonId> {
        let alias = self.layout.alias(self.context, L::id(record)).unwrap_or_default();
        let named = self.by_alias.get(alias.as_str())?;
        let has_users = L::SHELVES.iter().any(Shelf::is_of_user);
        let is_free = |l: &&&Lesson| {
            (!has_users || shelf.is_owner_of(l))
                && (shelf.is_archive || !self.taken.contains(&l.id))
        };
        let free: Vec<&'a Lesson> = named.iter().filter(is_free).copied().collect();
        let found = self.found(&free, record, shelf)?;
        let is_refused = self.layout.refuses(record, shelf).is_some();
        let is_own = || found.trust == Trust::Trusted && self.has_text(found, record);
        if is_refused && !is_own() {
            return None;
        }
        if !shelf.is_archive {
            self.taken.insert(&found.id);
        }
        Some(found.id.clone())
    }

    fn found(&self, free: &[&'a Lesson], record: &L::Record, shelf: &Shelf) -> Option<&'a Lesson> {
        let may_be_edited =
            |l: &Lesson| l.state.is_on_ladder() && !L::id(record).is_empty() && !shelf.is_archive;
        match free {
            [] => None,
            [only] if may_be_edited(only) => Some(only),
            _ => {
                // Of several with one id and text, the one that says all the same.
                let is_it = |lesson: &&&Lesson| self.says_the_same(record, shelf, lesson);
                let by_all = free.iter().filter(|_| free.len() > 1).find(is_it);
                let by_text = || free.iter().find(|lesson| self.has_text(lesson, record));
                let by_name = || free.iter().find(|lesson| may_be_edited(lesson));
                by_all.or_else(by_text).or_else(by_name).copied()
            }
        }
    }

    fn has_text(&self, lesson: &Lesson, record: &L::Record) -> bool {
        lesson.text == self.context.gate.line(L::text(record))
    }

    fn says_the_same(&self, record: &L::Record, shelf: &Shelf, lesson: &Lesson) -> bool {
        let compared = self.layout.compared(self.context, record, shelf, lesson);
        compared.is_some_and(|(theirs, ours)| theirs == ours)
    }
}
