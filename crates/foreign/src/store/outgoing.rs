//! Batches on their way out: taken in one by one, so that each is decided on what the one before
//! it did, and put on the disk together. A command that writes once is a group of one.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hardwon_core::change::{Batch, Change, LessonField};
use hardwon_core::ids::{LessonId, OperationId};
use hardwon_core::lesson::Lesson;
use hardwon_store::{JournalLine, Store, StoreError};

use super::edits::{Edited, edits_of};
use super::files::FileWrite;
use super::layout::{Layout, has_users};
use super::{FIRST, FolderStore, News, Pairs, Rows, Writing};
use crate::Lock;

/// So many batches go out together at most: others wait for the lock meanwhile.
const MAX_BATCHES: usize = 128;

/// What was taken in and is not on the disk yet.
pub(super) struct Outgoing<L: Layout> {
    /// Held until it is.
    locks: Vec<Lock>,
    lines: Vec<JournalLine>,
    /// Of all lines, and of the user's own lessons.
    changes: Vec<Change>,
    edited: Edited,
    /// The records of the files with those edits, once they were needed.
    rows: Option<Arc<Rows<L>>>,
    /// Which lesson each record was before all this, where every record has to be looked at.
    pairs: Option<Pairs>,
    /// Lessons that are touched, as they were, where only their records are.
    before: BTreeMap<LessonId, Lesson>,
    has_users: bool,
    is_durable: bool,
}

impl<L: Layout> Outgoing<L> {
    pub fn new(locks: Vec<Lock>) -> Self {
        let (lines, changes, edited, before) = Default::default();
        let (rows, pairs, has_users, is_durable) = (None, None, false, false);
        Outgoing { locks, lines, changes, edited, rows, pairs, before, has_users, is_durable }
    }

    pub fn is_full(&self) -> bool {
        self.lines.len() >= MAX_BATCHES
    }
}

/// Whether a batch goes out by itself: it edits files, or strikes texts wherever they stand.
pub(super) fn is_apart(batch: &Batch) -> bool {
    let mut changes = batch.changes.iter();
    changes.any(|it| matches!(it, Change::EditFile { .. } | Change::Erase { .. }))
}

impl<L: Layout> FolderStore<L> {
    /// Writes a batch under these locks.
    pub(super) fn write(
        &mut self,
        batch: &Batch,
        locks: Vec<Lock>,
    ) -> Result<OperationId, StoreError> {
        let mut outgoing = Outgoing::new(locks);
        let operation = self.take_in(&mut outgoing, batch)?;
        self.put(outgoing).map(|()| operation)
    }

    /// Applies a batch to the tables, and notes what it comes to in the files.
    pub(super) fn take_in(
        &mut self,
        outgoing: &mut Outgoing<L>,
        batch: &Batch,
    ) -> Result<OperationId, StoreError> {
        let has_edits = edits_of(&batch.changes).next().is_some();
        if outgoing.lines.is_empty() {
            outgoing.edited = self.edited(batch)?;
        }
        let looks_at_all = !self.looks_at_touched(outgoing, batch);
        if looks_at_all && outgoing.rows.is_none() {
            outgoing.rows = Some(match outgoing.edited.is_empty() {
                true => self.rows(),
                false => Arc::new(Rows::read(&self.files.after(&outgoing.edited.own))),
            });
        }
        let mut changes = self.named(batch);
        if let Some(rows) = outgoing.rows.as_ref().filter(|_| has_edits)
            && !changes.iter().any(|change| change.lesson().is_some())
        {
            // What the files say now is part of the same operation.
            let context = self.context();
            changes.extend(News::new(&context, self.memory.tables(), rows).take_project().changes);
        }
        if looks_at_all && !has_edits && outgoing.pairs.is_none() {
            let rows = outgoing.rows.as_ref();
            outgoing.pairs = rows.map(|rows| rows.pairs(self.memory.tables(), &self.context()));
        }
        if !looks_at_all {
            self.note_before(outgoing, &changes);
        }
        if has_users::<L>() && batch.head.undoes == Some(FIRST) {
            // Reading them cannot be undone.
            changes.retain(|change| !self.is_of_users(change));
        }
        let of_project = changes.iter().filter(|change| !self.is_of_users(change));
        let journaled = Batch { changes: of_project.cloned().collect(), ..batch.clone() };
        let batch = Batch { changes, ..batch.clone() };
        outgoing.has_users |= batch.changes.iter().any(|change| self.touches_users(change));
        outgoing.is_durable |= batch.changes.iter().any(Change::touches_memory);
        let operation = self.memory.apply(&batch, None)?;
        outgoing.lines.push(JournalLine { operation, batch: journaled, marks: BTreeMap::new() });
        outgoing.changes.extend(batch.changes);
        Ok(operation)
    }

    /// Whether only records of lessons that the changes touch can become others: the files are
    /// as we left them, and nothing else is to be done there.
    fn looks_at_touched(&self, outgoing: &Outgoing<L>, batch: &Batch) -> bool {
        let is_in_step = self.pending.is_empty() && !self.is_unfinished && self.undone.is_empty();
        L::CHANGES_ALONE && is_in_step && outgoing.edited.is_empty() && !is_apart(batch)
    }

    /// Notes the lessons that are touched by these changes, unless an earlier batch did.
    fn note_before(&self, outgoing: &mut Outgoing<L>, changes: &[Change]) {
        for id in touched(changes) {
            let is_new =
                |it: &Change| matches!(it, Change::AddLesson { lesson, .. } if lesson.id == *id);
            if outgoing.before.contains_key(id) || outgoing.changes.iter().any(is_new) {
                continue;
            }
            let lesson = self.memory.tables().lessons.get(id).cloned();
            outgoing.before.extend(lesson.map(|lesson| (id.clone(), lesson)));
        }
    }

    /// Puts what was taken in on the disk.
    pub(super) fn put(&mut self, outgoing: Outgoing<L>) -> Result<(), StoreError> {
        let writes = self.planned(&outgoing);
        let Outgoing { locks, lines, edited, is_durable, .. } = outgoing;
        let put = match self.commit(lines, &writes, &edited.outside, is_durable) {
            Ok(true) => self.compact(),
            Ok(false) => self.load().and(Err(StoreError::Conflict)),
            Err(error) => {
                // The next reader will find it as far as it came, and so must we.
                let error = self.trouble(error);
                self.load().and(Err(error))
            }
        };
        drop(locks);
        put
    }

    fn planned(&self, outgoing: &Outgoing<L>) -> Vec<FileWrite> {
        let is_of_all = outgoing.rows.is_some();
        if !is_of_all && !outgoing.is_durable {
            // No file tells what was shown.
            return Vec::new();
        }
        let rows = outgoing.rows.clone().unwrap_or_else(|| self.rows());
        let (context, tables) = (self.context(), self.memory.tables());
        let pairs = match &outgoing.pairs {
            Some(pairs) => pairs.clone(),
            // Records that an edit brought are those of the lessons that came with it.
            None if is_of_all => rows.pairs(tables, &context),
            None => rows.pairs_of(outgoing.before.values(), &context),
        };
        let writing = Writing {
            layout: &self.layout,
            context: &context,
            rows: &rows,
            pairs: &pairs,
            tables,
            changes: &outgoing.changes,
            lines: &outgoing.lines,
            undone: &self.undone,
            is_unfinished: self.is_unfinished,
            has_users: outgoing.has_users,
            seen: OnceCell::new(),
            touched: OnceCell::new(),
        };
        outgoing.edited.own.iter().cloned().chain(writing.plan()).collect()
    }

    /// The changes, with an id of the system's own for every new lesson.
    fn named(&self, batch: &Batch) -> Vec<Change> {
        let mut changes = batch.changes.clone();
        if !changes.iter().any(|change| matches!(change, Change::AddLesson { .. })) {
            return changes;
        }
        let (rows, tables) = (self.rows(), self.memory.tables());
        let aliases = tables.lessons.values().flat_map(|lesson| lesson.aliases.clone());
        let ids = rows.records().map(|record| L::said(record).id.to_owned());
        let mut taken: BTreeSet<String> = ids.chain(aliases).collect();
        let mut name = L::namer(batch, &rows, tables);
        for change in &mut changes {
            let Change::AddLesson { lesson, .. } = change else { continue };
            // An id that another record has already names that one.
            lesson.aliases.retain(|alias| !L::is_id(alias) || !taken.contains(alias));
            name(lesson, &taken);
            taken.extend(lesson.aliases.iter().cloned());
        }
        changes
    }
}

/// Lessons about which these changes say something, and those that they link to.
fn touched(changes: &[Change]) -> BTreeSet<&LessonId> {
    let mut touched: BTreeSet<&LessonId> = changes.iter().filter_map(Change::lesson).collect();
    for change in changes {
        match change {
            Change::EditFinding { before, .. } => touched.extend(&before.lesson),
            Change::EditLesson { fields, .. } => {
                for field in fields {
                    if let LessonField::SupersededBy(step) = field {
                        touched.extend(step.from.iter().chain(&step.to));
                    }
                }
            }
            _ => {}
        }
    }
    touched
}
