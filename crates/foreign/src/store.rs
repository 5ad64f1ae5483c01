//! A folder of another system's files as a live store, with a journal of ours beside them
//! for what has no place there.
//!
//! Coming in: the journal is replayed into a memory store, then whatever others did to
//! the files since is taken over as changes. Going out, under the system's lock: the
//! batch goes to the journal, which is what counts after a crash, then the files are
//! brought up to the tables. Each journal line names the digests of the files before
//! and after: so it is known whether somebody else wrote in between, or whether we died
//! before we were done.

mod as_store;
mod commit;
mod files;
mod journal;
pub mod layout;
mod news;
mod plan;
mod remembered;
mod rows;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::lesson::Lesson;
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_engine::layout::OpenRequest;
use hardwon_store::{Access, JournalLine, MemoryStore, StoreError};

use crate::store::layout::{Beside, Context, Layout, Owner, Place, Shelf};
use crate::{FolderError, Lock};
pub use files::{FileWrite, Files, Write, appended, rewritten};
pub use news::{Known, News};
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

/// The mark of a journal line that some records of the files were of no use.
const PROBLEMS: &str = "problems";

/// Where there are shelves of the user, the first operation is always one that takes over:
/// their lessons go in under it.
const FIRST: OperationId = OperationId(1);

/// The records of all files, and what could not be used.
type Parsed<L> = Arc<(Rows<L>, Vec<Problem>)>;

/// One memory in another system's files.
pub struct FolderStore<L: Layout> {
    layout: L,
    place: Place,
    access: Access,
    project: ProjectId,
    policy: Policy,
    gate: Remembered,
    now: Timestamp,
    memory: MemoryStore,
    files: Files,
    /// The records of the files, once somebody asked for them.
    rows: OnceCell<Parsed<L>>,
    /// What others did, not yet in the journal.
    pending: Vec<JournalLine>,
    /// Our last write did not get to the files: the journal is right, not they.
    is_unfinished: bool,
    problems: Vec<Problem>,
    /// What the journal has to be before anything is added to it, if it is not that.
    mended: Option<Vec<u8>>,
    /// Some line of the journal is of no use.
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
            rows: OnceCell::new(),
            pending: Vec::new(),
            is_unfinished: false,
            problems: Vec::new(),
            mended: None,
            is_damaged: false,
        };
        store.check_folders().map_err(|error| store.trouble(error))?;
        // A lock that stays taken is no reason to refuse a read: files change whole.
        match store.place.files.lock_to_read(L::LOCK, READ_WAIT) {
            Ok(_lock) => store.load()?,
            Err(FolderError::Locked(_)) => store.load()?,
            Err(error) => return Err(store.trouble(error)),
        }
        Ok(store)
    }

    /// Opens a folder for looking at it, by its own system's rules.
    pub fn open_to_look(place: Place, policy: Policy, now: Timestamp) -> Result<Self, StoreError> {
        let request = OpenRequest { gate: Gate::standard(), access: Access::Read, policy, now };
        FolderStore::open(Place { of_user: None, ..place }, request)
    }

    /// What in the files could not be used.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether our journal has an end, or more, that is of no use.
    pub fn is_journal_cut(&self) -> bool {
        self.mended.is_some()
    }

    /// The whole state, for taking it elsewhere.
    pub fn memory(&self) -> &MemoryStore {
        &self.memory
    }

    /// The record of each lesson of the project that has one, active or archived.
    pub fn records(&self) -> BTreeMap<LessonId, Vec<u8>> {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let pairs = rows.pairs(&self.layout, self.memory.tables(), &self.context());
        let mut records = BTreeMap::new();
        let archives_first = |index: &usize| !L::SHELVES[*index].is_archive;
        let mut shelves: Vec<usize> = (0..L::SHELVES.len()).collect();
        shelves.sort_by_key(archives_first);
        for index in shelves.into_iter().filter(|index| !L::SHELVES[*index].is_of_user()) {
            let known = rows.shelves[index].lines.iter().zip(&pairs[index]);
            records.extend(known.filter_map(|(line, id)| Some((id.clone()?, line.raw.clone()))));
        }
        records
    }

    /// Records of lessons that could not be used.
    pub fn n_unusable(&self) -> usize {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let n_lost: usize = rows.shelves.iter().map(n_unusable).sum();
        n_lost + self.refused(|_| true).len()
    }

    /// What stays behind when this folder is imported.
    pub fn left_behind(&self) -> Vec<(&'static str, usize)> {
        self.layout.left_behind(&self.rows().0, self.memory.tables())
    }

    /// What lies beside the records.
    pub fn beside(&self) -> Result<Beside, StoreError> {
        let found = self.layout.beside(&self.context(), self.memory.tables());
        found.map_err(|error| self.trouble(error))
    }

    /// Where a lesson stands in the system's own lists.
    pub fn position(&self, lesson: &Lesson) -> (u64, String) {
        self.layout.position(lesson)
    }

    /// Records that the layout refuses, which nobody here vouched for.
    fn refused(&self, is_asked: impl Fn(&Shelf) -> bool) -> Vec<Problem> {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let pairs = rows.pairs(&self.layout, self.memory.tables(), &self.context());
        let mut refused = Vec::new();
        for (index, shelf) in L::SHELVES.iter().enumerate().filter(|(_, shelf)| is_asked(shelf)) {
            for (place, line) in rows.shelves[index].lines.iter().enumerate() {
                let record = line.record.as_ref().filter(|_| pairs[index][place].is_none());
                let reason = record.and_then(|record| self.layout.refuses(record, shelf));
                refused.extend(reason.map(|why| Problem::new(rows.at(index, place), why)));
            }
        }
        refused
    }

    fn load(&mut self) -> Result<(), StoreError> {
        self.files = Files::read::<L>(&self.place).map_err(|error| self.trouble(error))?;
        self.rows = OnceCell::new();
        self.pending.clear();
        self.problems.clear();
        let journal = self.files.journal.clone().unwrap_or_default();
        let replayed = journal::replay(&journal, &self.project);
        self.memory = replayed.memory;
        self.mended = (replayed.good != journal).then_some(replayed.good);
        self.is_damaged = replayed.damage.is_some();
        let mut marks = replayed.marks;
        let had_problems = marks.remove(PROBLEMS).is_some();
        self.is_unfinished = false;
        match self.is_known(&marks, replayed.is_done) {
            true if had_problems => {
                let of_files = self.rows().1.clone();
                let refused = self.refused(|shelf| !shelf.is_of_user());
                self.problems = of_files.into_iter().chain(refused).collect();
            }
            true => {}
            false => self.take_over()?,
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
        let has_begun = !has_users::<L>() || self.memory.next_operation() > FIRST;
        (is_in_step || self.is_unfinished) && has_begun
    }

    /// Whether a lesson lost its text: the journal was edited by hand.
    fn has_gaps(&self) -> bool {
        let mut lessons = self.memory.tables().lessons.values();
        lessons.any(|lesson| lesson.state.is_on_ladder() && lesson.text.body().is_none())
    }

    /// Takes over what others did to the project's files.
    fn take_over(&mut self) -> Result<(), StoreError> {
        let parsed = self.rows();
        let (rows, problems) = &*parsed;
        self.problems.clone_from(problems);
        let (changes, more) =
            news::reconcile(&self.layout, self.memory.tables(), rows, &self.context());
        self.problems.extend(more);
        let operation = self.memory.next_operation();
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
        let parsed = self.rows();
        let (rows, problems) = &*parsed;
        let (changes, more) =
            news::users_lessons(&self.layout, self.memory.tables(), rows, &self.context());
        let is_new = |problem: &&Problem| !self.problems.contains(problem);
        let new: Vec<Problem> = problems.iter().filter(is_new).cloned().collect();
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

    fn rows(&self) -> Parsed<L> {
        self.rows.get_or_init(|| Arc::new(Rows::read(&self.layout, &self.files))).clone()
    }

    fn context(&self) -> Context<'_> {
        let runs = self.memory.tables().runs.values().filter(|run| run.is_counted);
        Context {
            gate: &self.gate,
            policy: &self.policy,
            project: &self.project,
            now: self.now,
            counted: runs.filter_map(|run| run.number).max().unwrap_or(0),
        }
    }

    /// Refuses folders that are links or no folders.
    fn check_folders(&self) -> Result<(), FolderError> {
        self.place.base.check(L::FOLDERS)?;
        self.place.files.check(&[])?;
        self.place.of_user.iter().try_for_each(|folder| folder.check(&[]))
    }

    /// The lock of the project's files, and that of the user's if they are touched.
    fn lock(&self, changes: &[Change], wait: Duration) -> Result<Vec<Lock>, StoreError> {
        let lock = self.place.files.lock(L::LOCK, wait);
        let mut locks = vec![lock.map_err(|error| self.trouble(error))?];
        let of_user = L::SHELVES.iter().find(|shelf| shelf.is_of_user());
        let is_touched = changes.iter().any(|change| self.touches_users(change));
        let Some(shelf) = of_user.filter(|_| is_touched) else { return Ok(locks) };
        let Some(folder) = self.place.folder(Owner::User) else {
            let detail = "no home folder is known, so there are no global lessons".to_owned();
            return Err(StoreError::Unusable { path: self.place.base.base().to_owned(), detail });
        };
        locks.push(folder.lock(shelf.path, wait).map_err(|error| self.trouble(error))?);
        folder.sweep(shelf.path);
        Ok(locks)
    }

    fn touches_users(&self, change: &Change) -> bool {
        let is_users = |id: &LessonId| self.lesson(id).is_some_and(|l| l.project.is_none());
        match change {
            Change::AddInjection { injection } => {
                has_users::<L>() && injection.shown.iter().any(|shown| is_users(&shown.lesson))
            }
            change => self.is_of_users(change),
        }
    }

    /// Whether a change is one of the user's own lessons themselves.
    fn is_of_users(&self, change: &Change) -> bool {
        if !has_users::<L>() {
            return false;
        }
        match change {
            Change::AddLesson { lesson, .. } | Change::RemoveLesson { lesson, .. } => {
                lesson.project.is_none()
            }
            Change::EditLesson { lesson, .. } => {
                self.lesson(lesson).is_some_and(|lesson| lesson.project.is_none())
            }
            _ => false,
        }
    }

    fn lesson(&self, id: &LessonId) -> Option<&Lesson> {
        self.memory.tables().lessons.get(id)
    }

    fn trouble(&self, error: FolderError) -> StoreError {
        match error {
            FolderError::Locked(path) => StoreError::Busy { path },
            other => StoreError::Unusable {
                path: self.place.base.base().to_owned(),
                detail: other.to_string(),
            },
        }
    }
}

/// Whether some lessons are the user's, not the project's.
fn has_users<L: Layout>() -> bool {
    L::SHELVES.iter().any(Shelf::is_of_user)
}
