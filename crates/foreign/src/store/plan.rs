//! What has to be written into the files? New records are added; only a change of a
//! record, or its end, rewrites it, and then every other record keeps its bytes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_store::JournalLine;

use super::files::{FileWrite, Write, appended, rewritten};
use super::layout::entry::{Context, Entry};
use super::layout::{Form, Layout, Shelf};
use super::rows::{Pairs, Rows};
use crate::free_name;

/// A batch on its way into the files: what they were, and what the tables are now.
pub struct Writing<'a, L: Layout> {
    pub layout: &'a L,
    pub context: &'a Context<'a>,
    pub rows: &'a Rows<L>,
    /// Which lesson each record was.
    pub pairs: &'a Pairs,
    pub tables: &'a Tables,
    pub changes: &'a [Change],
    /// The batches of these changes.
    pub lines: &'a [JournalLine],
    /// Batches of a writer that may have died before it was done.
    pub undone: &'a [JournalLine],
    /// An earlier write may have been done in part only.
    pub is_unfinished: bool,
    /// The user's files are locked, and may be written.
    pub(super) has_users: bool,
    pub(super) seen: OnceCell<BTreeMap<&'a LessonId, Vec<&'a RunId>>>,
    /// Lessons that the changes make or edit.
    pub(super) touched: OnceCell<BTreeSet<&'a LessonId>>,
}

impl<'a, L: Layout> Writing<'a, L> {
    /// Runs in which a lesson was seen, in the order of their ids.
    pub fn seen_in(&self, lesson: &LessonId) -> &[&'a RunId] {
        let seen = self.seen.get_or_init(|| seen(self.tables));
        seen.get(lesson).map_or(&[], Vec::as_slice)
    }

    /// How the files are brought up to the tables: in this order, so that what moves is
    /// written where it goes before it leaves.
    pub(super) fn plan(&self) -> Vec<FileWrite> {
        let mut writes = Vec::new();
        for (index, shelf) in L::SHELVES.iter().enumerate() {
            if !shelf.is_archive && (self.has_users || !shelf.is_of_user()) {
                writes.extend(self.shelf(index));
            }
        }
        // Of a move the new document first: a crash must not lose it.
        writes.sort_by_key(|write| matches!(write.write, Write::Remove | Write::SetAside));
        let beside = L::side_writes(self, &writes);
        writes.extend(beside);
        writes
    }

    /// A record brought up to its lesson.
    pub fn updated(&self, entry: &Entry<'_, L>, lesson: &Lesson) -> Vec<u8> {
        match entry.compared(lesson) {
            Some((from, to)) => L::patched(self, entry, &from, to, lesson),
            None => entry.raw.to_vec(),
        }
    }

    fn shelf(&self, index: usize) -> Vec<FileWrite> {
        let (shelf, file) = (&L::SHELVES[index], &self.rows.shelves[index]);
        let mut archived: Vec<Archived> = Vec::new();
        let mut lines: Vec<Option<Vec<u8>>> = Vec::new();
        for (place, known) in self.pairs[index].iter().enumerate() {
            let entry = self.rows.entry(self.context, index, place);
            let mut gone = Vec::new();
            lines.push(match (entry, known) {
                (Some(entry), Some(id)) => self.line(&entry, id, index, &mut gone),
                _ => Some(file.lines[place].raw.clone()),
            });
            let name = self.rows.names[index].get(place);
            archived.extend(gone.into_iter().map(|raw| Archived { name: name.cloned(), raw }));
        }
        let at_once = self.archived_at_once(index);
        archived.extend(at_once.into_iter().map(|raw| Archived { name: None, raw }));
        let mut writes = Vec::new();
        if let Some(archive) = shelf.archive {
            writes.extend(self.to_archive(archive, archived));
            writes.extend(self.brought_back(archive));
        }
        if let Form::Documents { ending } = shelf.form {
            writes.extend(self.documents(index, ending, lines));
            return writes;
        }
        let new = self.new_lessons(index).into_iter();
        let new: Vec<Vec<u8>> = new.map(|lesson| self.new_line(lesson, index)).collect();
        let write = rewritten::<L, _>(file, &lines, &new);
        writes.extend(write.map(|write| of_shelf(shelf, write)));
        writes
    }

    /// Records that go to an archive: lines at its end, or documents of their own.
    fn to_archive(&self, archive: usize, archived: Vec<Archived>) -> Vec<FileWrite> {
        let shelf = &L::SHELVES[archive];
        if let Form::Documents { ending } = shelf.form {
            let mut taken: BTreeSet<String> = self.rows.names[archive].iter().cloned().collect();
            return archived.into_iter().map(|it| it.document(shelf, ending, &mut taken)).collect();
        }
        let lines: Vec<Vec<u8>> = archived.into_iter().map(|it| it.raw).collect();
        let write = appended::<L, _>(&self.rows.shelves[archive], &lines);
        write.map(|write| of_shelf(shelf, write)).into_iter().collect()
    }

    /// Documents of an archive whose lesson stands on a shelf again: lines stay where they are,
    /// but a document is moved.
    fn brought_back(&self, archive: usize) -> Vec<FileWrite> {
        let shelf = &L::SHELVES[archive];
        let documents = self.rows.names[archive].iter().zip(&self.pairs[archive]);
        let is_back = |id: &Option<LessonId>| {
            let lesson = id.as_ref().and_then(|id| self.tables.lessons.get(id));
            lesson.is_some_and(|lesson| L::shelf_of(lesson).is_some())
        };
        let back = documents.filter(|(_, id)| is_back(id)).map(|(name, _)| name.clone());
        let removed = |name| FileWrite { owner: shelf.owner, name, write: Write::Remove };
        back.map(removed).collect()
    }

    fn documents(&self, index: usize, ending: &str, lines: Vec<Option<Vec<u8>>>) -> Vec<FileWrite> {
        let shelf = &L::SHELVES[index];
        let was = self.rows.shelves[index].lines.iter().zip(&self.rows.names[index]);
        let mut writes = Vec::new();
        for ((line, name), now) in was.zip(lines) {
            let write = match now {
                _ if self.rows.aside.contains(name) => Write::SetAside,
                Some(now) if now == line.raw => continue,
                Some(now) => Write::Replace(now),
                None => Write::Remove,
            };
            writes.push(FileWrite { owner: shelf.owner, name: name.clone(), write });
        }
        let mut taken = self.not_ours(index);
        for lesson in self.new_lessons(index) {
            let document = self.new_line(lesson, index);
            let stem = shelf.file(&L::file_name(lesson));
            let is_free = |name: &String| taken.get(name).is_none_or(|there| *there == document);
            let name = free_name(&stem, ending, is_free);
            taken.insert(name.clone(), Vec::new());
            let write = Write::Replace(document);
            writes.push(FileWrite { owner: shelf.owner, name, write });
        }
        writes
    }

    /// Documents of a shelf that are no lesson of ours: nothing is written over them.
    fn not_ours(&self, index: usize) -> BTreeMap<String, Vec<u8>> {
        let documents = self.rows.names[index].iter().zip(&self.rows.shelves[index].lines);
        let unknown = documents.zip(&self.pairs[index]).filter(|(_, known)| known.is_none());
        let unknown = unknown.filter(|((name, _), _)| !self.rows.aside.contains(*name));
        unknown.map(|((name, line), _)| (name.clone(), line.raw.clone())).collect()
    }

    /// A known record as it has to be now; `None` if it leaves the shelf.
    fn line(
        &self,
        entry: &Entry<'_, L>,
        id: &LessonId,
        index: usize,
        archived: &mut Vec<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        // After an undo it has never existed.
        let lesson = self.tables.lessons.get(id)?;
        if L::shelf_of(lesson) == Some(index) || L::stays(entry, lesson) {
            return Some(L::kept(self, entry, lesson));
        }
        let archive = &self.rows.shelves[entry.shelf.archive?];
        let now = L::archived(self, entry, lesson);
        let is_done = self.is_unfinished && archive.lines.iter().any(|known| known.raw == now);
        if !is_done {
            archived.push(now);
        }
        None
    }

    /// Lessons that have no record here yet.
    fn new_lessons(&self, index: usize) -> Vec<&'a Lesson> {
        let paired: BTreeSet<&LessonId> = self.pairs[index].iter().flatten().collect();
        let stays_elsewhere = |lesson: &Lesson| {
            let entry = self.record_elsewhere(lesson, index);
            entry.is_some_and(|entry| L::stays(&entry, lesson))
        };
        let is_new = |lesson: &&Lesson| {
            let is_missing = L::shelf_of(lesson) == Some(index) && !paired.contains(&lesson.id);
            is_missing && self.is_written_anew(lesson) && !stays_elsewhere(lesson)
        };
        let mut new: Vec<&Lesson> = self.tables.lessons.values().filter(is_new).collect();
        new.sort_by_cached_key(|lesson| L::position(lesson));
        new
    }

    /// Whether a lesson without a record gets one. Where every state has its place, the record of
    /// an old lesson is missing because somebody removed it.
    fn is_written_anew(&self, lesson: &Lesson) -> bool {
        let of_change = |change: &'a Change| match change {
            Change::AddLesson { lesson, .. } => Some(&lesson.id),
            Change::EditLesson { lesson, .. } => Some(lesson),
            _ => None,
        };
        let touched =
            || self.touched.get_or_init(|| self.changes.iter().filter_map(of_change).collect());
        !L::KEEPS_ALL || self.is_unfinished || touched().contains(&lesson.id)
    }

    /// A new record: made from the one that stands elsewhere or was imported, if there is
    /// one, so that nothing of it is lost.
    fn new_line(&self, lesson: &Lesson, index: usize) -> Vec<u8> {
        if let Some(entry) = self.record_elsewhere(lesson, index) {
            return self.updated(&entry, lesson);
        }
        let (context, shelf) = (self.context, &L::SHELVES[index]);
        let imported = lesson.extra.as_ref().and_then(|extra| extra.body());
        let imported = imported.and_then(|raw| raw.strip_prefix(L::WORD)?.strip_prefix(':'));
        if let Some((raw, record)) = imported.and_then(|raw| Some((raw, L::read_record(raw)?))) {
            let entry = Entry { context, shelf, raw: raw.as_bytes(), record: &record };
            return self.updated(&entry, lesson);
        }
        L::new_record(self, lesson, shelf)
    }

    /// The newest record of a lesson in the archive, or the one on another shelf.
    fn record_elsewhere(&self, lesson: &Lesson, index: usize) -> Option<Entry<'a, L>> {
        let shelf = &L::SHELVES[index];
        let is_other = |other: &usize| {
            let is_current = !L::SHELVES[*other].is_archive && *other != index;
            is_current && L::SHELVES[*other].owner == shelf.owner
        };
        let others = (0..L::SHELVES.len()).filter(is_other);
        shelf.archive.into_iter().chain(others).find_map(|other| {
            let is_it = |known: &Option<LessonId>| known.as_ref() == Some(&lesson.id);
            let place = self.pairs[other].iter().rposition(is_it)?;
            let entry = self.rows.entry(self.context, other, place)?;
            let raw = entry.raw.strip_suffix(b"\r").unwrap_or(entry.raw);
            Some(Entry { raw, ..entry })
        })
    }

    /// Records of new lessons that go straight to the archive.
    fn archived_at_once(&self, index: usize) -> Vec<Vec<u8>> {
        let shelf = &L::SHELVES[index];
        let Some(archive) = shelf.archive else { return Vec::new() };
        let of_change = |change: &Change| {
            let Change::AddLesson { lesson, .. } = change else { return None };
            let lesson = self.tables.lessons.get(&lesson.id)?;
            let mut known = self.pairs[index].iter().chain(&self.pairs[archive]).flatten();
            let is_due = shelf.may_hold::<L>(lesson)
                && L::PUT_AWAY.contains(&lesson.state)
                && !known.any(|known| *known == lesson.id);
            is_due.then(|| self.new_line(lesson, index))
        };
        self.changes.iter().filter_map(of_change).collect()
    }
}

/// A record that is put away.
struct Archived {
    /// Of its file, where it has one of its own.
    name: Option<String>,
    raw: Vec<u8>,
}

impl Archived {
    /// A document of the archive, under a name that is free there.
    fn document(self, shelf: &Shelf, ending: &str, taken: &mut BTreeSet<String>) -> FileWrite {
        let name = self.name.unwrap_or_else(|| format!("{}{ending}", sha256_of_bytes(&self.raw)));
        let own = name.rsplit('/').next().unwrap_or(&name);
        let stem = own.strip_suffix(ending).unwrap_or(own);
        let name = free_name(&shelf.file(stem), ending, |name| taken.insert(name.clone()));
        FileWrite { owner: shelf.owner, name, write: Write::Replace(self.raw) }
    }
}

fn of_shelf(shelf: &Shelf, write: Write) -> FileWrite {
    FileWrite { owner: shelf.owner, name: shelf.path.to_owned(), write }
}

fn seen(tables: &Tables) -> BTreeMap<&LessonId, Vec<&RunId>> {
    let mut seen: BTreeMap<&LessonId, Vec<&RunId>> = BTreeMap::new();
    for finding in tables.findings.values().filter(|finding| finding.is_sighting) {
        let Some(lesson) = &finding.lesson else { continue };
        let runs = seen.entry(lesson).or_default();
        if runs.last() != Some(&&finding.run) {
            runs.push(&finding.run);
        }
    }
    seen
}
