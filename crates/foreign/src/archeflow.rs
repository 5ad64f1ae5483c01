//! ArcheFlow's own files as a live store: `lessons.jsonl`, `archive.jsonl` and
//! `audit.jsonl`, with a journal of ours beside them for what has no place there.
//!
//! Coming in: the journal is replayed into a memory store, then whatever others did to
//! the files since is taken over as changes. Going out, under ArcheFlow's lock: the
//! batch goes to the journal, which is what counts after a crash, then the files are
//! brought up to the tables. Each journal line names the digests of the files before
//! and after: so it is known whether somebody else wrote in between, or whether we died
//! before we were done.

pub mod commands;
mod files;
pub(crate) mod journal;
mod layout;
mod names;
mod reconcile;
pub(crate) mod remembered;
mod store;
mod translate;
mod write_back;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use hardwon_core::change::{Batch, OperationHead};
use hardwon_core::event::{Event, Problem};
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignLine};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_readers::archeflow_run_name;
use hardwon_store::{Access, JournalLine, MemoryStore, Store, StoreError};

use crate::{Folder, FolderError, Mode};
use files::{ARCHIVE, AUDIT, Files, JOURNAL, LESSONS, Rows};
pub use layout::ArcheflowLayout;
use remembered::Remembered;
use translate::Translator;
pub(crate) use translate::has_row;
use write_back::{Before, Plan, Write, plan};

/// How long a writer waits for ArcheFlow's lock: as long as its own script does.
const WRITE_WAIT: Duration = Duration::from_secs(30);
/// An injection is recorded on the way to a run and must not delay it.
const INJECTION_WAIT: Duration = Duration::from_millis(100);
/// Readers see whole files anyway; they wait only so as not to meet half an append.
const READ_WAIT: Duration = Duration::from_millis(250);

/// Folders that ArcheFlow keeps its state in; a link among them could lead anywhere.
pub(crate) const FOLDERS: &[&str] = &[
    "events",
    "artifacts",
    "runs",
    "worktrees",
    "memory",
    "locks",
    "merge-queue",
    "templates",
    "lenses",
    "progress",
];

/// The mark of a journal line that some lines of the files were of no use.
const PROBLEMS: &str = "problems";

/// The command under which what others did stands in the journal.
pub(crate) const TAKEN_OVER: &str = "archeflow";

/// The `.archeflow` folder that is meant by a path: itself, the one in it, or, for who
/// names the folder that holds `memory`, that one.
pub fn archeflow_folder(path: &Path) -> Folder {
    // Without the dots that were typed: the path is shown, and pinned by `trust`.
    let path: &Path = &path.components().collect::<PathBuf>();
    let is_it = path.file_name().is_some_and(|name| name == ".archeflow");
    let has_one = std::fs::symlink_metadata(path.join(".archeflow")).is_ok();
    let is_renamed = || path.join(LESSONS).exists();
    match is_it || (!has_one && is_renamed()) {
        true => Folder::new(path.to_owned()),
        false => Folder::new(path.join(".archeflow")),
    }
}

/// One ArcheFlow memory.
pub struct ArcheflowStore {
    folder: Folder,
    access: Access,
    project: ProjectId,
    policy: Policy,
    gate: Remembered,
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

impl ArcheflowStore {
    /// Opens the memory of an `.archeflow` folder. Opening writes nothing; a folder that
    /// is not there reads as empty.
    pub fn open(
        folder: Folder,
        access: Access,
        project: ProjectId,
        policy: Policy,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let gate = Gate::standard();
        ArcheflowStore::open_through(gate, folder, access, project, policy, now)
    }

    /// The same through a gate of the caller's: what others wrote passes the user's rules.
    pub(crate) fn open_through(
        gate: Gate,
        folder: Folder,
        access: Access,
        project: ProjectId,
        policy: Policy,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let mut store = ArcheflowStore {
            folder,
            access,
            project,
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
        store.folder.check(FOLDERS).map_err(|error| store.trouble(error))?;
        // A lock that stays taken is no reason to refuse a read: files change whole.
        let lock = store.folder.lock_to_read(LESSONS, READ_WAIT);
        if !matches!(lock, Ok(_) | Err(FolderError::Locked(_))) {
            return Err(store.trouble(lock.expect_err("matched above")));
        }
        store.load()?;
        Ok(store)
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

    /// The line of each lesson that has one, active or archived.
    pub fn records(&self) -> BTreeMap<LessonId, Vec<u8>> {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let pairs = rows.pairs(self.memory.tables(), &self.translator());
        let archive = rows.archive.lines.iter().zip(pairs.archive);
        let lessons = rows.lessons.lines.iter().zip(pairs.lessons);
        let known = archive.chain(lessons);
        known.filter_map(|(line, id)| Some((id?, line.raw.clone()))).collect()
    }

    /// Lines of lessons that could not be used.
    pub fn n_unusable(&self) -> usize {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let lines = rows.lessons.lines.iter().chain(&rows.archive.lines);
        let is_lost = |line: &&ForeignLine<ArcheflowLesson>| {
            line.record.is_none() && !line.raw.trim_ascii().is_empty()
        };
        lines.filter(is_lost).count()
    }

    /// Records in the audit file that say what the released script concluded.
    pub fn n_foreign_checks(&self) -> usize {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let lines = rows.audit.lines.iter();
        let is_check = |record: &&ArcheflowAudit| matches!(record, ArcheflowAudit::Check { .. });
        let n_checks = lines.filter_map(|line| line.record.as_ref()).filter(is_check).count();
        n_checks.saturating_sub(self.memory.tables().effects.len())
    }

    fn load(&mut self) -> Result<(), StoreError> {
        self.files = Files::read(&self.folder).map_err(|error| self.trouble(error))?;
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
        match is_in_step || self.is_unfinished {
            true if had_problems => self.problems = self.rows().1.clone(),
            true => {}
            false => self.take_over()?,
        }
        if let Some((line, reason)) = replayed.damage {
            let reason = format!(
                "{reason}; history from here on is not used, lessons are taken from the other \
                 files, and the next write puts this file aside"
            );
            self.problems.insert(0, Problem::new(format_args!("hardwon.jsonl:{line}"), reason));
        }
        Ok(())
    }

    /// Whether a lesson lost its text: the journal was edited by hand.
    fn has_gaps(&self) -> bool {
        let mut lessons = self.memory.tables().lessons.values();
        lessons.any(|lesson| has_row(lesson.state) && lesson.text.body().is_none())
    }

    /// Takes over what others did to the files.
    fn take_over(&mut self) -> Result<(), StoreError> {
        let parsed = self.rows();
        let (rows, problems) = &*parsed;
        self.problems.clone_from(problems);
        let (changes, more) = reconcile::reconcile(self.memory.tables(), rows, &self.translator());
        self.problems.extend(more);
        if changes.is_empty() {
            return Ok(());
        }
        let head = OperationHead {
            command: TAKEN_OVER.to_owned(),
            actor: "archeflow".to_owned(),
            at: self.now,
            undoes: None,
        };
        let batch = Batch { project: self.project.clone(), head, continues: None, changes };
        let operation = self.memory.next_operation();
        let line = JournalLine { operation, batch, marks: BTreeMap::new() };
        if self.access == Access::Write {
            self.pending.push(line.clone());
        }
        self.memory.replay(line)
    }

    fn rows(&self) -> Rc<(Rows, Vec<Problem>)> {
        self.rows.get_or_init(|| Rc::new(self.files.rows())).clone()
    }

    fn translator(&self) -> Translator<'_> {
        Translator {
            gate: &self.gate,
            policy: &self.policy,
            project: &self.project,
            now: self.now,
            counted: counted(&self.memory),
        }
    }

    /// Writes a batch under the lock.
    fn write(&mut self, batch: &Batch, is_durable: bool) -> Result<OperationId, StoreError> {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let pairs = rows.pairs(self.memory.tables(), &self.translator());
        let batch = Batch { changes: self.completed(batch, rows), ..batch.clone() };
        let operation = self.memory.apply(&batch, None)?;
        let logged = |run: &RunId| self.logged(run);
        let tables = self.memory.tables();
        let before_batch = Before { rows, pairs: &pairs, is_unfinished: self.is_unfinished };
        let plan = plan(&before_batch, tables, &batch.changes, &self.translator(), &logged);
        let line = JournalLine { operation, batch, marks: BTreeMap::new() };
        let written = self.commit(line, &plan, is_durable);
        match written {
            Ok(()) => Ok(operation),
            Err(error) => {
                // As far as it came is what the next reader will find, and so shall we.
                let error = self.trouble(error);
                self.load()?;
                Err(error)
            }
        }
    }

    /// The journal first: what stands there has happened.
    fn commit(
        &mut self,
        mut line: JournalLine,
        plan: &Plan,
        is_durable: bool,
    ) -> Result<(), FolderError> {
        let after = planned(&self.files, plan);
        line.marks = marks(&self.files.digests(), &after.digests());
        if !self.problems.is_empty() {
            line.marks.insert(PROBLEMS.to_owned(), self.problems.len().to_string());
        }
        let mut text = String::new();
        self.mend_journal()?;
        for line in self.pending.iter().chain([&line]) {
            text.push_str(&line.encode());
            text.push('\n');
        }
        self.folder.append(JOURNAL, text.as_bytes(), is_durable)?;
        self.put(ARCHIVE, &plan.archive, is_durable)?;
        self.put(LESSONS, &plan.lessons, is_durable)?;
        self.put(AUDIT, &plan.audit, is_durable)?;
        // If this line is lost, the digests still tell that all is done.
        let done = journal::done(line.operation);
        self.folder.append(JOURNAL, done.as_bytes(), false)?;
        text.push_str(&done);
        let mut journal = self.files.journal.take().unwrap_or_default();
        journal.extend_from_slice(text.as_bytes());
        self.files = Files { journal: Some(journal), ..after };
        self.rows = OnceCell::new();
        self.pending.clear();
        self.is_unfinished = false;
        Ok(())
    }

    /// Takes away what is of no use in the journal: the torn end of a writer that died, or
    /// all from the first damaged line on. A damaged file is put aside, not lost.
    fn mend_journal(&mut self) -> Result<(), FolderError> {
        let Some(mended) = self.mended.take() else { return Ok(()) };
        if self.is_damaged {
            self.folder.set_aside(JOURNAL)?;
            self.is_damaged = false;
        }
        self.folder.replace(JOURNAL, &mended, Mode::Kept)?;
        self.files.journal = Some(mended);
        Ok(())
    }

    fn put(&self, name: &str, write: &Write, is_durable: bool) -> Result<(), FolderError> {
        match write {
            Write::Nothing => Ok(()),
            Write::Append(lines) => self.folder.append(name, lines, is_durable),
            Write::Replace(bytes) => self.folder.replace(name, bytes, Mode::Kept),
        }
    }

    /// What a run's own event log says was found in it.
    fn logged(&self, run: &RunId) -> Vec<String> {
        if !archeflow_run_name(run.as_str()) {
            return Vec::new();
        }
        let name = format!("events/{run}.jsonl");
        let Ok(Some(bytes)) = self.folder.read(&name) else { return Vec::new() };
        let Ok(record) = hardwon_readers::read(&name, &bytes[..], None) else { return Vec::new() };
        let text = |event: Event| match event {
            Event::Finding(finding) => Some(finding.text),
            Event::Run(_) | Event::Verdict(_) | Event::Effect(_) => None,
            Event::Fix(_) | Event::Suggestion(_) | Event::Step(_) => None,
        };
        record.events.into_iter().filter_map(|sourced| text(sourced.event)).collect()
    }

    fn trouble(&self, error: FolderError) -> StoreError {
        match error {
            FolderError::Locked(path) => StoreError::Busy { path },
            other => StoreError::Unusable {
                path: self.folder.base().to_owned(),
                detail: other.to_string(),
            },
        }
    }
}

/// Number of the newest run that was counted for decay.
fn counted(memory: &MemoryStore) -> u64 {
    let runs = memory.tables().runs.values().filter(|run| run.is_counted);
    runs.filter_map(|run| run.number).max().unwrap_or(0)
}

/// The files as they will be.
fn planned(files: &Files, plan: &Plan) -> Files {
    let after = |before: &Option<Vec<u8>>, write: &Write| match write {
        Write::Nothing => before.clone(),
        Write::Append(lines) => {
            let mut bytes = before.clone().unwrap_or_default();
            bytes.extend_from_slice(lines);
            Some(bytes)
        }
        Write::Replace(bytes) => Some(bytes.clone()),
    };
    Files {
        lessons: after(&files.lessons, &plan.lessons),
        archive: after(&files.archive, &plan.archive),
        audit: after(&files.audit, &plan.audit),
        journal: None,
    }
}

/// Digests before and after, in one word each.
fn marks(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let pair = |name: &String| format!("{} {}", before[name], after[name]);
    before.keys().map(|name| (name.clone(), pair(name))).collect()
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
