//! What has to be written into the files? New records are added; only a change of a
//! record, or its end, rewrites it, and then every other record keeps its bytes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::foreign::ForeignLine;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;

use super::files::{FileWrite, Write, appended, rewritten};
use super::rows::{Pairs, Rows};
use crate::store::layout::{Context, Form, Layout, Shelf};

/// A batch on its way into the files: what they were, and what the tables are now.
pub struct Writing<'a, L: Layout> {
    pub layout: &'a L,
    pub context: &'a Context<'a>,
    pub rows: &'a Rows<L>,
    /// Which lesson each record was.
    pub pairs: &'a Pairs,
    pub tables: &'a Tables,
    pub changes: &'a [Change],
    /// An earlier write may have been done by halves.
    pub is_unfinished: bool,
    /// The user's files are locked, and may be written.
    pub(super) has_users: bool,
    pub(super) seen: OnceCell<BTreeMap<&'a LessonId, Vec<&'a RunId>>>,
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
        writes.sort_by_key(|write| write.write == Write::Remove);
        writes.extend(self.layout.side_writes(self));
        writes
    }

    fn shelf(&self, index: usize) -> Vec<FileWrite> {
        let shelf = &L::SHELVES[index];
        let mut archived = Vec::new();
        let lines = self.rows.shelves[index].lines.iter().zip(&self.pairs[index]);
        let lines: Vec<Option<Vec<u8>>> = lines
            .map(|(line, known)| match (&line.record, known) {
                (Some(record), Some(id)) => self.line(line, record, id, index, &mut archived),
                _ => Some(line.raw.clone()),
            })
            .collect();
        archived.extend(self.archived_at_once(index));
        let mut writes = Vec::new();
        if let Some(archive) = shelf.archive {
            let write = appended::<L, _>(&self.rows.shelves[archive], &archived);
            writes.extend(write.map(|write| of_shelf(&L::SHELVES[archive], write)));
        }
        match shelf.form {
            Form::Lines => {
                let new: Vec<Vec<u8>> =
                    self.new_lessons(index).map(|lesson| self.new_line(lesson, index)).collect();
                let write = rewritten::<L, _>(&self.rows.shelves[index], &lines, &new);
                writes.extend(write.map(|write| of_shelf(shelf, write)));
            }
            Form::Documents { ending } => writes.extend(self.documents(index, ending, lines)),
        }
        writes
    }

    fn documents(&self, index: usize, ending: &str, lines: Vec<Option<Vec<u8>>>) -> Vec<FileWrite> {
        let shelf = &L::SHELVES[index];
        let was = self.rows.shelves[index].lines.iter().zip(&self.rows.names[index]);
        let mut writes = Vec::new();
        for ((line, name), now) in was.zip(lines) {
            let write = match now {
                Some(now) if now == line.raw => continue,
                Some(now) => Write::Replace(now),
                None => Write::Remove,
            };
            writes.push(FileWrite { owner: shelf.owner, name: name.clone(), write });
        }
        for lesson in self.new_lessons(index) {
            let name = format!("{}/{}{ending}", shelf.path, self.layout.file_name(lesson));
            let write = Write::Replace(self.new_line(lesson, index));
            writes.push(FileWrite { owner: shelf.owner, name, write });
        }
        writes
    }

    /// A known record as it has to be now; `None` if it leaves the shelf.
    fn line(
        &self,
        line: &ForeignLine<L::Record>,
        record: &L::Record,
        id: &LessonId,
        index: usize,
        archived: &mut Vec<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let shelf = &L::SHELVES[index];
        // Undone: it never was.
        let lesson = self.tables.lessons.get(id)?;
        if self.layout.shelf_of(lesson) == Some(index) {
            return Some(self.layout.kept(self, line, record, shelf, lesson));
        }
        let archive = &self.rows.shelves[shelf.archive?];
        let now = self.layout.archived(self, line, record, shelf, lesson);
        let is_done = self.is_unfinished && archive.lines.iter().any(|known| known.raw == now);
        if !is_done {
            archived.push(now);
        }
        None
    }

    /// Lessons that have no record here yet.
    fn new_lessons(&self, index: usize) -> impl Iterator<Item = &'a Lesson> {
        let paired: BTreeSet<&LessonId> = self.pairs[index].iter().flatten().collect();
        let is_new = |lesson: &&Lesson| {
            self.layout.shelf_of(lesson) == Some(index) && !paired.contains(&lesson.id)
        };
        let mut new: Vec<&Lesson> = self.tables.lessons.values().filter(is_new).collect();
        new.sort_by_cached_key(|lesson| self.layout.position(lesson));
        new.into_iter()
    }

    /// A new record: made from the one that stands elsewhere or was imported, if there is
    /// one, so that nothing of it is lost.
    fn new_line(&self, lesson: &Lesson, index: usize) -> Vec<u8> {
        let shelf = &L::SHELVES[index];
        if let Some((raw, record, old)) = self.record_elsewhere(lesson, index) {
            return self.layout.updated(self, raw, record, old, lesson);
        }
        let imported = lesson.extra.as_ref().and_then(|extra| extra.body());
        let imported = imported.and_then(|raw| raw.strip_prefix(L::WORD)?.strip_prefix(':'));
        if let Some((raw, record)) = imported.and_then(|raw| Some((raw, L::read_record(raw)?))) {
            return self.layout.updated(self, raw.as_bytes(), &record, shelf, lesson);
        }
        self.layout.new_record(self, lesson, shelf)
    }

    /// The newest record of a lesson in the archive, or the one on another shelf.
    fn record_elsewhere(
        &self,
        lesson: &Lesson,
        index: usize,
    ) -> Option<(&'a [u8], &'a L::Record, &'static Shelf)> {
        let shelf = &L::SHELVES[index];
        let is_other = |other: &usize| {
            let is_current = !L::SHELVES[*other].is_archive && *other != index;
            is_current && L::SHELVES[*other].owner == shelf.owner
        };
        let others = (0..L::SHELVES.len()).filter(is_other);
        shelf.archive.into_iter().chain(others).find_map(|other| {
            let lines = self.rows.shelves[other].lines.iter().zip(&self.pairs[other]);
            let found = lines.rev().find(|(_, known)| known.as_ref() == Some(&lesson.id));
            let (line, _) = found?;
            let raw = line.raw.strip_suffix(b"\r").unwrap_or(&line.raw);
            Some((raw, line.record.as_ref()?, &L::SHELVES[other]))
        })
    }

    /// Records of lessons that come in put away.
    fn archived_at_once(&self, index: usize) -> Vec<Vec<u8>> {
        let shelf = &L::SHELVES[index];
        let Some(archive) = shelf.archive else { return Vec::new() };
        let has_users = L::SHELVES.iter().any(Shelf::is_of_user);
        let of_change = |change: &Change| {
            let Change::AddLesson { lesson, .. } = change else { return None };
            let lesson = self.tables.lessons.get(&lesson.id)?;
            let mut known = self.pairs[index].iter().chain(&self.pairs[archive]).flatten();
            let is_here = !has_users || shelf.is_owner_of(lesson);
            let is_due = is_here
                && L::PUT_AWAY.contains(&lesson.state)
                && !known.any(|known| *known == lesson.id);
            is_due.then(|| self.new_line(lesson, index))
        };
        self.changes.iter().filter_map(of_change).collect()
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
