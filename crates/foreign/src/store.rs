//! A folder of another system's files as a live store, with a journal of ours beside them
//! for what has no place there.
//!
//! Coming in: the journal is replayed into a memory store, then whatever others did to
//! the files since is taken over as changes. Going out, under the system's lock: the
//! batch goes to the journal, which is what counts after a crash, then the files are
//! brought up to the tables. Each journal line names the digests of the files before
//! and after: so it is known whether another program wrote in between, or whether we died
//! before we were done.

mod as_store;
mod commit;
mod compact;
mod edits;
mod files;
mod hold;
mod journal;
pub mod layout;
mod news;
mod outgoing;
mod plan;
mod remembered;
mod rows;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hardwon_core::change::{Batch, Change, FileEdit, OperationHead};
use hardwon_core::event::Problem;
use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_engine::layout::OpenRequest;
use hardwon_store::{Access, JournalLine, MemoryStore, StoreError};

use crate::{FolderError, Lock};
pub use files::{Beside, FileWrite, Files, Write, appended, rewritten};
pub use hold::{Held, Holdings};
use layout::entry::Context;
use layout::{Layout, Owner, Place, Shelf, has_users};
pub use news::News;
use outgoing::Outgoing;
pub use plan::Writing;
pub use remembered::Remembered;
pub(crate) use rows::n_unusable;
pub use rows::{Pairs, Rows};

/// How long a writer waits for another: as long as ArcheFlow's own script does.
const WRITE_WAIT: Duration = Duration::from_secs(30);
/// An injection is recorded on the way to a run and must not delay it.
const INJECTION_WAIT: Duration = Duration::from_millis(100);
/// Readers see whole files anyway; they wait only so as not to meet half an append.
const READ_WAIT: Duration = Duration::from_millis(250);

/// The mark of a journal line that some records of the files could not be used.
const PROBLEMS: &str = "problems";

/// Where there are shelves of the user, the first operation is always one that takes over:
/// their lessons go in under it.
const FIRST: OperationId = OperationId(1);

/// One memory in another system's files.
pub struct FolderStore<L: Layout> {
    layout: L,
    place: Place,
    access: Access,
    project: ProjectId,
    policy: Policy,
    gate: Remembered,
    now: Timestamp,
    pub(crate) memory: MemoryStore,
    files: Files,
    /// As they were when this was opened, as long as nobody else changed them since.
    opened: Option<Files>,
    /// The records of the files, once they were needed.
    rows: OnceCell<Arc<Rows<L>>>,
    /// What others did, not yet in the journal.
    pending: Vec<JournalLine>,
    /// Our last write did not get to the files: the journal is right, not they.
    is_unfinished: bool,
    /// Edits of that write that are still to be made.
    redo: Vec<FileEdit>,
    /// Batches of that write, and whatever else it was not noted of that it is done.
    undone: Vec<JournalLine>,
    /// What was taken in and is not on the disk yet, while a group is written.
    group: Option<Outgoing<L>>,
    is_grouping: bool,
    /// Some of the group could not be written: somebody else did.
    is_group_lost: bool,
    pub(crate) problems: Vec<Problem>,
    /// What the journal has to be before anything is added to it, if it is not that.
    pub(crate) repaired: Option<Vec<u8>>,
    /// Some line of the journal cannot be used.
    is_damaged: bool,
}

impl<L: Layout> FolderStore<L> {
    /// Opens the memory of a folder. Opening writes nothing; a folder that is not there
    /// reads as empty.
    pub fn open(place: Place, request: OpenRequest) -> Result<Self, StoreError> {
        let OpenRequest { gate, access, policy, now } = request;
        let mut store = FolderStore {
            layout: L::new(&place),
            place,
            access,
            project: ProjectId::new(L::WORD),
            policy,
            gate: Remembered::new(gate),
            now,
            memory: MemoryStore::new(),
            files: Files::default(),
            opened: None,
            rows: OnceCell::new(),
            pending: Vec::new(),
            is_unfinished: false,
            redo: Vec::new(),
            undone: Vec::new(),
            group: None,
            is_grouping: false,
            is_group_lost: false,
            problems: Vec::new(),
            repaired: None,
            is_damaged: false,
        };
        store.check_folders().map_err(|error| store.trouble(error))?;
        let _lock = match store.place.journal().lock_to_read(L::LOCK, READ_WAIT) {
            // A lock that stays taken is no reason to refuse a read: files are replaced whole.
            Err(FolderError::Locked(_)) => None,
            lock => lock.map_err(|error| store.trouble(error))?,
        };
        store.load()?;
        store.opened = Some(store.files.clone());
        Ok(store)
    }

    /// Records on these shelves that the layout refuses and that no user of ours trusts.
    fn refused(&self, is_asked: impl Fn(&Shelf) -> bool) -> Vec<Problem> {
        let (rows, context) = (self.rows(), self.context());
        let pairs = rows.pairs(self.memory.tables(), &context);
        let refused = rows.by_place(|index, place| {
            let is_open = pairs[index][place].is_none() && is_asked(&L::SHELVES[index]);
            let entry = rows.entry(&context, index, place).filter(|_| is_open)?;
            Some(Problem::new(rows.at(index, place), L::refuses(&entry)?))
        });
        refused.into_iter().flatten().flatten().collect()
    }

    fn load(&mut self) -> Result<(), StoreError> {
        self.opened = None;
        self.files = Files::read::<L>(&self.place).map_err(|error| self.trouble(error))?;
        self.rows = OnceCell::new();
        self.pending.clear();
        self.problems.clear();
        let journal = self.files.journal.clone().unwrap_or_default();
        let replayed = journal::replay(&journal, &self.project);
        self.memory = replayed.memory;
        self.repaired = (replayed.good != journal).then_some(replayed.good);
        self.is_damaged = replayed.damage.is_some();
        let mut marks = replayed.marks;
        let had_problems = marks.remove(PROBLEMS).is_some();
        self.is_unfinished = false;
        self.redo.clear();
        self.undone = replayed.undone;
        self.undone.retain(|line| line.batch.head.actor != L::WORD);
        let is_known = self.is_known(&marks, replayed.is_done);
        if is_known && !replayed.is_done {
            self.redo = self.not_done(replayed.edits);
            self.is_unfinished |= !self.redo.is_empty();
        }
        if !is_known {
            self.take_over()?;
        } else if had_problems {
            self.problems = self.rows().problems.clone();
            self.problems.extend(self.refused(|shelf| !shelf.is_of_user()));
        }
        self.take_users()?;
        if let Some((line, reason)) = replayed.damage {
            let reason = format!(
                "{reason}; history from here on is not used, lessons are taken from the other \
                 files, and the next write puts this file aside"
            );
            self.problems.insert(0, Problem::new(format_args!("hardwon.jsonl:{line}"), reason));
        }
        Ok(())
    }

    /// Whether the files are as our last write left them, or as it would have left them
    /// had it come to its end.
    fn is_known(&mut self, marks: &BTreeMap<String, String>, is_done: bool) -> bool {
        let (before, after) = files::digests_of(marks);
        let named: BTreeSet<String> = marks.keys().cloned().collect();
        let now = self.files.digests::<L>(&named);
        let is_in_step = now == after && !self.is_damaged && !self.has_gaps();
        // Files are written one after the other, so some may be done.
        let is_ours = |(name, digest): (&String, &String)| {
            before.get(name) == Some(digest) || after.get(name) == Some(digest)
        };
        let is_cut_off = !is_done && !self.is_damaged;
        self.is_unfinished = !is_in_step && is_cut_off && now.iter().all(is_ours);
        let has_begun = !has_users::<L>() || self.memory.next_operation(&self.project) > FIRST;
        (is_in_step || self.is_unfinished) && has_begun
    }

    /// Whether a lesson lost its text: the journal was edited by hand.
    fn has_gaps(&self) -> bool {
        let mut lessons = self.memory.tables().lessons.values();
        lessons.any(|lesson| lesson.state.is_on_ladder() && lesson.text.body().is_none())
    }

    /// Takes over what others did to the project's files.
    fn take_over(&mut self) -> Result<(), StoreError> {
        let (rows, context) = (self.rows(), self.context());
        let news = News::new(&context, self.memory.tables(), &rows).take_project();
        let (changes, more) = (news.changes, news.problems);
        self.problems = rows.problems.iter().cloned().chain(more).collect();
        let operation = self.memory.next_operation(&self.project);
        let is_needed = has_users::<L>() && operation == FIRST;
        if changes.is_empty() && !is_needed {
            return Ok(());
        }
        let line = self.taken_over(operation, changes);
        if self.access == Access::Write {
            self.pending.push(line.clone());
        }
        self.memory.replay(line)
    }

    /// Adds the user's own lessons, which no journal of a project holds.
    fn take_users(&mut self) -> Result<(), StoreError> {
        let mut of_user = L::SHELVES.iter().filter(|shelf| shelf.is_of_user());
        if !of_user.any(|shelf| self.files.has(shelf)) {
            return Ok(());
        }
        let (rows, context) = (self.rows(), self.context());
        let news = News::new(&context, self.memory.tables(), &rows).take_users();
        let (changes, more) = (news.changes, news.problems);
        let is_new = |problem: &&Problem| !self.problems.contains(problem);
        let new: Vec<Problem> = rows.problems.iter().filter(is_new).cloned().collect();
        self.problems.extend(new.into_iter().chain(more));
        self.memory.replay(self.taken_over(FIRST, changes))
    }

    fn taken_over(&self, operation: OperationId, changes: Vec<Change>) -> JournalLine {
        let head = OperationHead {
            command: L::WORD.to_owned(),
            actor: L::WORD.to_owned(),
            at: self.now,
            undoes: None,
        };
        let batch = Batch { project: self.project.clone(), head, continues: None, changes };
        JournalLine { operation, batch, marks: BTreeMap::new() }
    }

    fn rows(&self) -> Arc<Rows<L>> {
        self.rows.get_or_init(|| Arc::new(Rows::read(&self.files))).clone()
    }

    fn context(&self) -> Context<'_> {
        let runs = self.memory.tables().runs.values().filter(|run| run.is_counted);
        Context {
            gate: &self.gate,
            policy: &self.policy,
            project: &self.project,
            now: self.now,
            counted: runs.filter_map(|run| run.number).max().unwrap_or(0),
            run_names: self.layout.run_names(),
        }
    }

    /// Refuses links, and whatever else is not a folder.
    fn check_folders(&self) -> Result<(), FolderError> {
        self.place.base.check(L::FOLDERS)?;
        self.place.files.check(&[])?;
        self.place.of_user.iter().try_for_each(|folder| folder.check(&[]))
    }

    /// The lock of the project's files, and that of the user's if they are touched.
    fn lock(&self, changes: &[Change], wait: Duration) -> Result<Vec<Lock>, StoreError> {
        let lock = self.place.journal().lock(L::LOCK, wait);
        let mut locks = vec![lock.map_err(|error| self.trouble(error))?];
        let of_user = L::SHELVES.iter().find(|shelf| shelf.is_of_user());
        let is_touched = changes.iter().any(|change| self.touches_users(change));
        let Some(shelf) = of_user.filter(|_| is_touched) else { return Ok(locks) };
        let Some(folder) = self.place.folder(Owner::User) else {
            return Err(self.unusable("no home folder is known, so there are no global lessons"));
        };
        locks.push(folder.lock(shelf.path, wait).map_err(|error| self.trouble(error))?);
        folder.sweep(shelf.path);
        Ok(locks)
    }

    /// Whether a change needs the user's files.
    fn touches_users(&self, change: &Change) -> bool {
        match change {
            Change::AddInjection { injection } => {
                has_users::<L>() && injection.shown.iter().any(|shown| self.is_users(&shown.lesson))
            }
            change => self.is_of_users(change),
        }
    }

    /// Whether a change is one of the user's own lessons themselves.
    fn is_of_users(&self, change: &Change) -> bool {
        has_users::<L>()
            && match change {
                Change::AddLesson { lesson, .. } | Change::RemoveLesson { lesson, .. } => {
                    lesson.project.is_none()
                }
                Change::EditLesson { lesson, .. } => self.is_users(lesson),
                _ => false,
            }
    }

    fn is_users(&self, id: &LessonId) -> bool {
        self.memory.tables().lessons.get(id).is_some_and(|lesson| lesson.project.is_none())
    }

    fn trouble(&self, error: FolderError) -> StoreError {
        match error {
            FolderError::Locked(path) => StoreError::Busy { place: path.display().to_string() },
            other => self.unusable(&other.to_string()),
        }
    }

    fn unusable(&self, detail: &str) -> StoreError {
        let place = self.place.base.base().display().to_string();
        StoreError::Unusable { place, detail: detail.to_owned() }
    }
}
