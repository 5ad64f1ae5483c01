//! OpenAgents' own files as a live store: `episodes.jsonl`, `lessons.jsonl` and
//! `lessons-archive.jsonl` of the Archivist's specification, with a journal of ours beside
//! them for what has no place there, and the user's `global-lessons.jsonl`.
//!
//! It works as ArcheFlow's store does: the journal is replayed, what others did to the
//! project's files since is taken over as changes, and a write goes to the journal first
//! and then to the files, under a lock. The global lessons are different: they belong to
//! no project, so they are in no project's journal. They are read anew each time, and
//! what is decided about them stands in their own file only.

mod commit;
mod episodes;
mod files;
mod layout;
mod names;
mod orders;
mod place;
mod reconcile;
mod shipped;
mod store;
mod translate;
mod write_back;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ForeignLine, OpenagentsLesson};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::lesson::Lesson;
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_store::{Access, JournalLine, MemoryStore, StoreError};

use crate::archeflow::journal;
use crate::archeflow::remembered::Remembered;
use crate::{FolderError, Lock, has_row};
use files::{Files, JOURNAL, Rows, Shelf};
pub use layout::OpenagentsLayout;
use orders::Orders;
pub use place::{OpenagentsPlace, openagents_place};
pub use shipped::Shipped as OpenagentsShipped;
use translate::Translator;

/// How long a writer waits for another.
const WRITE_WAIT: Duration = Duration::from_secs(30);
/// An injection is recorded on the way to a run and must not delay it.
const INJECTION_WAIT: Duration = Duration::from_millis(100);
/// Readers see whole files anyway; they wait only so as not to meet half an append.
const READ_WAIT: Duration = Duration::from_millis(250);

/// The mark of a journal line that some lines of the files were of no use.
const PROBLEMS: &str = "problems";

/// The command under which what others did stands in the journal.
pub(crate) const TAKEN_FROM_OPENAGENTS: &str = "openagents";

/// The first operation is always one that takes over: global lessons go in under it.
const FIRST: OperationId = OperationId(1);

/// One OpenAgents memory.
pub struct OpenagentsStore {
    place: OpenagentsPlace,
    access: Access,
    project: ProjectId,
    policy: Policy,
    gate: Remembered,
    orders: Orders,
    now: Timestamp,
    memory: MemoryStore,
    files: Files,
    /// The lines of the files, once somebody asked for them.
    rows: OnceCell<Rc<(Rows, Vec<Problem>)>>,
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

impl OpenagentsStore {
    /// Opens the memory of an `.openagents` folder. Opening writes nothing; a folder that
    /// is not there reads as empty.
    pub fn open(
        gate: Gate,
        place: OpenagentsPlace,
        access: Access,
        policy: Policy,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let mut store = OpenagentsStore {
            place,
            access,
            project: OpenagentsStore::project(),
            policy,
            gate: Remembered::new(gate),
            orders: Orders::new(),
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
        store.place.check().map_err(|error| store.trouble(error))?;
        // A lock that stays taken is no reason to refuse a read: files change whole.
        let lock = store.place.memory.lock_to_read(Shelf::Lessons.name(), READ_WAIT);
        if !matches!(lock, Ok(_) | Err(FolderError::Locked(_))) {
            return Err(store.trouble(lock.expect_err("matched above")));
        }
        store.load()?;
        Ok(store)
    }

    /// What the project is called: the folder is one, wherever it lies.
    pub fn project() -> ProjectId {
        ProjectId::new("openagents")
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

    /// The line of each of the project's lessons that has one, active or archived.
    pub fn records(&self) -> BTreeMap<LessonId, Vec<u8>> {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let pairs = rows.pairs(self.memory.tables(), &self.translator());
        let mut records = BTreeMap::new();
        for shelf in [Shelf::Archive, Shelf::Lessons] {
            let known = rows.shelves[&shelf].lines.iter().zip(&pairs[&shelf]);
            let known = known.filter_map(|(line, id)| Some((id.clone()?, line.raw.clone())));
            records.extend(known);
        }
        records
    }

    /// Lines of lessons that could not be used.
    pub fn n_unusable(&self) -> usize {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let lines = rows.shelves.values().flat_map(|file| &file.lines);
        let is_lost = |line: &&ForeignLine<OpenagentsLesson>| {
            line.record.is_none() && !line.raw.trim_ascii().is_empty()
        };
        lines.filter(is_lost).count() + self.refused(&Shelf::ALL).len()
    }

    /// Lines that command their reader, which nobody here vouched for.
    fn refused(&self, shelves: &[Shelf]) -> Vec<Problem> {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let mut refused = Vec::new();
        let pairs = rows.pairs(self.memory.tables(), &self.translator());
        for &shelf in shelves {
            let lines = rows.shelves[&shelf].lines.iter().zip(&pairs[&shelf]);
            for (place, (line, known)) in lines.enumerate() {
                let is_order = |record| self.orders.are_in(record, shelf);
                if known.is_none() && line.record.as_ref().is_some_and(is_order) {
                    refused.push(orders::problem(shelf, place));
                }
            }
        }
        refused
    }

    fn load(&mut self) -> Result<(), StoreError> {
        self.files = self.place.read().map_err(|error| self.trouble(error))?;
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
        let (before, after) = digests_of(&marks);
        let now = self.files.digests();
        let is_in_step = now == after && !self.is_damaged && !self.has_gaps();
        // Files are written one after the other, so some may be done.
        let is_ours = |(name, digest): (&String, &String)| {
            before.get(name) == Some(digest) || after.get(name) == Some(digest)
        };
        let is_cut_off = !replayed.is_done && !self.is_damaged;
        self.is_unfinished = !is_in_step && is_cut_off && now.iter().all(is_ours);
        let is_known = is_in_step || self.is_unfinished;
        match is_known && self.memory.next_operation() > FIRST {
            true if had_problems => {
                let parsed = self.rows();
                let refused = self.refused(&[Shelf::Lessons, Shelf::Archive]);
                self.problems = parsed.1.iter().cloned().chain(refused).collect();
            }
            true => {}
            false => self.take_over()?,
        }
        self.take_global()?;
        if let Some((line, reason)) = replayed.damage {
            let reason = format!(
                "{reason}; history from here on is not used, lessons are taken from the other \
                 files, and the next write puts this file aside"
            );
            self.problems.insert(0, Problem::new(format_args!("{JOURNAL}:{line}"), reason));
        }
        Ok(())
    }

    /// Whether a lesson lost its text: the journal was edited by hand.
    fn has_gaps(&self) -> bool {
        let mut lessons = self.memory.tables().lessons.values();
        lessons.any(|lesson| has_row(lesson.state) && lesson.text.body().is_none())
    }

    /// Takes over what others did to the project's files.
    fn take_over(&mut self) -> Result<(), StoreError> {
        let parsed = self.rows();
        let (rows, problems) = &*parsed;
        self.problems.clone_from(problems);
        let (changes, more) = reconcile::reconcile(self.memory.tables(), rows, &self.translator());
        self.problems.extend(more);
        let operation = self.memory.next_operation();
        if changes.is_empty() && operation > FIRST {
            return Ok(());
        }
        let line = self.taken_over(operation, changes);
        if self.access == Access::Write {
            self.pending.push(line.clone());
        }
        self.memory.replay(line)
    }

    /// Adds the user's global lessons, which no journal of a project holds.
    fn take_global(&mut self) -> Result<(), StoreError> {
        let is_empty = |shelf: &Shelf| !self.files.shelves.contains_key(shelf);
        if [Shelf::Global, Shelf::GlobalArchive].iter().all(is_empty) {
            return Ok(());
        }
        let parsed = self.rows();
        let (rows, problems) = &*parsed;
        let tables = self.memory.tables();
        let (changes, more) = reconcile::global_lessons(tables, rows, &self.translator());
        let is_new = |problem: &&Problem| !self.problems.contains(problem);
        let new: Vec<Problem> = problems.iter().filter(is_new).cloned().collect();
        self.problems.extend(new.into_iter().chain(more));
        self.memory.replay(self.taken_over(FIRST, changes))
    }

    fn taken_over(&self, operation: OperationId, changes: Vec<Change>) -> JournalLine {
        let head = OperationHead {
            command: TAKEN_FROM_OPENAGENTS.to_owned(),
            actor: TAKEN_FROM_OPENAGENTS.to_owned(),
            at: self.now,
            undoes: None,
        };
        let batch = Batch { project: self.project.clone(), head, continues: None, changes };
        JournalLine { operation, batch, marks: BTreeMap::new() }
    }

    fn rows(&self) -> Rc<(Rows, Vec<Problem>)> {
        self.rows.get_or_init(|| Rc::new(self.files.rows())).clone()
    }

    fn translator(&self) -> Translator<'_> {
        let runs = self.memory.tables().runs.values().filter(|run| run.is_counted);
        Translator {
            gate: &self.gate,
            orders: &self.orders,
            policy: &self.policy,
            project: &self.project,
            now: self.now,
            root: self.place.root(),
            counted: runs.filter_map(|run| run.number).max().unwrap_or(0),
        }
    }

    /// The lock of the project's files, and that of the global ones if they are touched.
    fn lock(&self, changes: &[Change], wait: Duration) -> Result<Vec<Lock>, StoreError> {
        let lock = self.place.memory.lock(Shelf::Lessons.name(), wait);
        let mut locks = vec![lock.map_err(|error| self.trouble(error))?];
        if !changes.iter().any(|change| self.touches_global(change)) {
            return Ok(locks);
        }
        let Some(global) = &self.place.global else {
            let detail = "no home folder is known, so there are no global lessons".to_owned();
            return Err(StoreError::Unusable { path: self.place.base().to_owned(), detail });
        };
        let lock = global.lock(Shelf::Global.name(), wait).map_err(|error| self.trouble(error))?;
        locks.push(lock);
        global.sweep(Shelf::Global.name());
        Ok(locks)
    }

    fn touches_global(&self, change: &Change) -> bool {
        let is_global = |id: &LessonId| self.lesson(id).is_some_and(|l| l.project.is_none());
        match change {
            Change::AddInjection { injection } => {
                injection.shown.iter().any(|shown| is_global(&shown.lesson))
            }
            change => self.is_of_global(change),
        }
    }

    /// Whether a change is one of a global lesson itself.
    fn is_of_global(&self, change: &Change) -> bool {
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
                path: self.place.base().to_owned(),
                detail: other.to_string(),
            },
        }
    }
}

fn digests_of(
    marks: &BTreeMap<String, String>,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let split = |(name, pair): (&String, &String)| {
        let (before, after) = pair.split_once(' ').unwrap_or_default();
        ((name.clone(), before.to_owned()), (name.clone(), after.to_owned()))
    };
    marks.iter().map(split).unzip()
}
