//! The records of one memory's files, and which lesson each of them is.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Tables;
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignFile, ForeignLine};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Lesson, Trust};

use super::files::Files;
use super::layout::entry::{Context, Entry};
use super::layout::{Form, Layout, Shelf};

/// The records of the files.
pub struct Rows<L: Layout> {
    /// By the number of the shelf. A document is one line.
    pub shelves: Vec<ForeignFile<L::Record>>,
    /// The file of each record of a shelf of documents.
    pub(super) names: Vec<Vec<String>>,
    pub side: L::Side,
    /// What could not be used.
    pub(super) problems: Vec<Problem>,
    /// Documents that another one of the same lesson has overtaken.
    pub(super) aside: BTreeSet<String>,
}

/// Which lesson each record of each shelf is.
pub type Pairs = Vec<Vec<Option<LessonId>>>;

impl<L: Layout> Rows<L> {
    pub(crate) fn read(files: &Files) -> Rows<L> {
        let (side, of_side) = L::read_side(files);
        let (mut shelves, mut names, mut problems) = (Vec::new(), Vec::new(), files.odd.clone());
        for shelf in L::SHELVES {
            let (file, of_shelf) = read_shelf::<L>(shelf, files, &mut problems);
            shelves.push(file);
            names.push(of_shelf);
        }
        problems.extend(of_side);
        let aside = BTreeSet::new();
        let mut rows = Rows { shelves, names, side, problems, aside };
        L::settle(&mut rows);
        rows
    }

    /// Every record of lessons that could be read.
    pub fn records(&self) -> impl Iterator<Item = &L::Record> {
        self.lines().filter_map(|line| line.record.as_ref())
    }

    /// The files of all documents, whether they can be read or not.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().flatten().map(String::as_str)
    }

    /// The file of a document and what it states.
    pub fn documents(&self, shelf: usize) -> impl Iterator<Item = (&str, Option<&L::Record>)> {
        let lines = self.shelves[shelf].lines.iter().map(|line| line.record.as_ref());
        self.names[shelf].iter().map(String::as_str).zip(lines)
    }

    /// Every record that could be read, with its shelf.
    pub fn shelf_records(&self) -> impl Iterator<Item = (&'static Shelf, &L::Record)> {
        let shelves = L::SHELVES.iter().zip(&self.shelves);
        shelves.flat_map(|(shelf, file)| {
            file.lines.iter().filter_map(move |line| Some((shelf, line.record.as_ref()?)))
        })
    }

    /// Uses a document as none, for this reason; the next write puts it aside.
    pub fn put_aside(&mut self, shelf: usize, place: usize, reason: &str) {
        self.shelves[shelf].lines[place].record = None;
        let name = self.names[shelf][place].clone();
        self.problems.push(Problem::new(&name, reason));
        self.aside.insert(name);
    }

    /// Reports something else that cannot be used.
    pub fn tell(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Every line or document.
    pub fn lines(&self) -> impl Iterator<Item = &ForeignLine<L::Record>> {
        self.shelves.iter().flat_map(|file| &file.lines)
    }

    /// The record at a place of a shelf.
    pub(super) fn entry<'a>(
        &'a self,
        context: &'a Context<'a>,
        index: usize,
        place: usize,
    ) -> Option<Entry<'a, L>> {
        let ForeignLine { raw, record } = &self.shelves[index].lines[place];
        Some(Entry { context, shelf: &L::SHELVES[index], raw, record: record.as_ref()? })
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
    pub fn pairs(&self, tables: &Tables, context: &Context<'_>) -> Pairs {
        self.pairs_of(tables.lessons.values(), context)
    }

    /// The same for these lessons only.
    pub(super) fn pairs_of<'a>(
        &self,
        lessons: impl Iterator<Item = &'a Lesson>,
        context: &Context<'_>,
    ) -> Pairs {
        let mut finder = Finder::new(lessons);
        if finder.by_alias.is_empty() {
            return self.by_place(|_, _| None);
        }
        finder.put_away = self.put_away(context);
        let lesson = |index, place| finder.lesson(&self.entry(context, index, place)?);
        self.by_place(lesson)
    }

    /// Ids and texts of the records in archives.
    fn put_away(&self, context: &Context<'_>) -> BTreeSet<(String, String)> {
        let archives = L::SHELVES.iter().zip(&self.shelves).filter(|(shelf, _)| shelf.is_archive);
        let records = archives.flat_map(|(_, file)| &file.lines).filter_map(|l| l.record.as_ref());
        let key = |record| {
            let said = L::said(record);
            let alias = L::alias(context, said.id).unwrap_or_default();
            (alias, context.gate.line(said.text).as_str().to_owned())
        };
        records.map(key).collect()
    }

    /// A value for each record or line.
    pub(super) fn by_place<T>(&self, mut value: impl FnMut(usize, usize) -> T) -> Vec<Vec<T>> {
        let shelves = self.shelves.iter().enumerate();
        let of_shelf = |(index, file): (usize, &ForeignFile<L::Record>)| {
            (0..file.lines.len()).map(|place| value(index, place)).collect()
        };
        shelves.map(of_shelf).collect()
    }
}

fn read_shelf<L: Layout>(
    shelf: &Shelf,
    files: &Files,
    problems: &mut Vec<Problem>,
) -> (ForeignFile<L::Record>, Vec<String>) {
    let mut read = |label: &str, bytes: &[u8]| {
        let (file, more) = L::read(label, bytes);
        problems.extend(more);
        file
    };
    if shelf.form == Form::Lines {
        return (read(shelf.label(), files.get(shelf.path)), Vec::new());
    }
    let (mut lines, mut names) = (Vec::new(), Vec::new());
    for (name, bytes) in files.documents_of::<L>(shelf) {
        let record = read(name, bytes).lines.into_iter().find_map(|line| line.record);
        lines.push(ForeignLine { raw: bytes.to_vec(), record });
        names.push(name.to_owned());
    }
    (ForeignFile { lines, has_end: true }, names)
}

/// Lines of a file that could not be used.
pub(crate) fn n_unusable<T>(file: &ForeignFile<T>) -> usize {
    let is_lost =
        |line: &&ForeignLine<T>| line.record.is_none() && !line.raw.trim_ascii().is_empty();
    file.lines.iter().filter(is_lost).count()
}

struct Finder<'a> {
    by_alias: BTreeMap<&'a str, Vec<&'a Lesson>>,
    /// Lessons that have their record among the active ones.
    taken: BTreeSet<&'a LessonId>,
    /// Ids and texts of the records in archives.
    put_away: BTreeSet<(String, String)>,
}

impl<'a> Finder<'a> {
    fn new(lessons: impl Iterator<Item = &'a Lesson>) -> Self {
        let mut by_alias: BTreeMap<&str, Vec<&Lesson>> = BTreeMap::new();
        for lesson in lessons {
            if lesson.aliases.is_empty() {
                by_alias.entry("").or_default().push(lesson);
            }
            for alias in &lesson.aliases {
                by_alias.entry(alias).or_default().push(lesson);
            }
        }
        Finder { by_alias, taken: BTreeSet::new(), put_away: BTreeSet::new() }
    }

    /// A record of an archive is recognized by id and text; of an active record's lesson, the
    /// text may have been edited. A record that the layout refuses can only be one that was
    /// trusted in the same words.
    fn lesson<L: Layout>(&mut self, entry: &Entry<'_, L>) -> Option<LessonId> {
        let alias = L::alias(entry.context, L::said(entry.record).id).unwrap_or_default();
        let is_archive = entry.shelf.is_archive;
        // The system put that one away, and gave its id to another.
        let is_given_away = |l: &Lesson| {
            let text = l.text.as_str().to_owned();
            let is_away = || self.put_away.contains(&(alias.clone(), text));
            !has_text(l, entry) && is_away() && !L::is_reworded(entry, l)
        };
        let is_free = |l: &&&Lesson| {
            let is_open = is_archive || !self.taken.contains(&l.id) && !is_given_away(l);
            entry.shelf.may_hold::<L>(l) && is_open
        };
        let named = self.by_alias.get(alias.as_str())?;
        let free: Vec<&'a Lesson> = named.iter().filter(is_free).copied().collect();
        let found = lesson_among(&free, entry)?;
        let is_own = || found.trust == Trust::Trusted && has_text(found, entry);
        if L::refuses(entry).is_some() && !is_own() {
            return None;
        }
        if !is_archive {
            self.taken.insert(&found.id);
        }
        Some(found.id.clone())
    }
}

fn lesson_among<'a, L: Layout>(free: &[&'a Lesson], entry: &Entry<'_, L>) -> Option<&'a Lesson> {
    let has_id = !L::said(entry.record).id.is_empty() && !entry.shelf.is_archive;
    let may_be_edited = |lesson: &Lesson| (lesson.state.is_on_ladder() || L::KEEPS_ALL) && has_id;
    if let [only] = free
        && may_be_edited(only)
    {
        return Some(only);
    }
    // Of several with one id and text, the one that is the same in everything.
    let is_same = |lesson: &&&Lesson| {
        let compared = entry.compared(lesson);
        compared.is_some_and(|(theirs, ours)| theirs == ours)
    };
    let by_all = free.iter().filter(|_| free.len() > 1).find(is_same);
    let by_text = || free.iter().find(|lesson| has_text(lesson, entry));
    let by_name = || free.iter().find(|lesson| may_be_edited(lesson));
    by_all.or_else(by_text).or_else(by_name).copied()
}

fn has_text<L: Layout>(lesson: &Lesson, entry: &Entry<'_, L>) -> bool {
    lesson.text == entry.context.gate.line(L::said(entry.record).text)
}
