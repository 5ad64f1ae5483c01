//! A batch on its way out: to the journal first, which is what counts after a crash, then
//! to the files.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hardwon_core::change::Batch;
use hardwon_core::ids::OperationId;
use hardwon_store::{JournalLine, Store, StoreError};

use super::files::{EPISODES, Files, JOURNAL, Shelf};
use super::write_back::{Before, Plan, Write, plan};
use super::{FIRST, OpenagentsStore, PROBLEMS};
use crate::archeflow::journal;
use crate::{FolderError, Mode};

impl OpenagentsStore {
    /// Writes a batch under the lock.
    pub(super) fn write(
        &mut self,
        batch: &Batch,
        is_durable: bool,
    ) -> Result<OperationId, StoreError> {
        let parsed = self.rows();
        let (rows, _) = &*parsed;
        let pairs = rows.pairs(self.memory.tables(), &self.translator());
        let mut changes = self.completed(batch, rows);
        if batch.head.undoes == Some(FIRST) {
            // That they were read is nothing that could be taken back.
            changes.retain(|change| !self.is_of_global(change));
        }
        let of_project = changes.iter().filter(|change| !self.is_of_global(change));
        let journaled = Batch { changes: of_project.cloned().collect(), ..batch.clone() };
        let batch = Batch { changes, ..batch.clone() };
        let has_global = batch.changes.iter().any(|change| self.touches_global(change));
        let operation = self.memory.apply(&batch, None)?;
        let tables = self.memory.tables();
        let is_unfinished = self.is_unfinished;
        let before = Before { rows, pairs: &pairs, is_unfinished, has_global };
        let plan = plan(&before, tables, &batch.changes, &self.translator());
        let line = JournalLine { operation, batch: journaled, marks: BTreeMap::new() };
        match self.commit(line, &plan, is_durable) {
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
        self.place.memory.append(JOURNAL, text.as_bytes(), is_durable)?;
        for shelf in [Shelf::Archive, Shelf::Lessons, Shelf::GlobalArchive, Shelf::Global] {
            let write = plan.shelves.get(&shelf).unwrap_or(&Write::Nothing);
            self.put(shelf.is_global(), shelf.name(), write, is_durable)?;
        }
        self.put(false, EPISODES, &plan.episodes, is_durable)?;
        // If this line is lost, the digests still tell that all is done.
        let done = journal::done(line.operation);
        self.place.memory.append(JOURNAL, done.as_bytes(), false)?;
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
    pub(super) fn mend_journal(&mut self) -> Result<(), FolderError> {
        let Some(mended) = self.mended.take() else { return Ok(()) };
        if self.is_damaged {
            self.place.memory.set_aside(JOURNAL)?;
            self.is_damaged = false;
        }
        self.place.memory.replace(JOURNAL, &mended, Mode::Kept)?;
        self.files.journal = Some(mended);
        Ok(())
    }

    fn put(
        &self,
        is_global: bool,
        name: &str,
        write: &Write,
        is_durable: bool,
    ) -> Result<(), FolderError> {
        let folder = match (is_global, &self.place.global) {
            (true, Some(global)) => global,
            (true, None) => return Ok(()),
            (false, _) => &self.place.memory,
        };
        match write {
            Write::Nothing => Ok(()),
            Write::Append(lines) => folder.append(name, lines, is_durable),
            Write::Replace(bytes) => folder.replace(name, bytes, Mode::Kept),
        }
    }
}

/// The files as they will be.
fn planned(files: &Files, plan: &Plan) -> Files {
    let after = |before: Option<&Vec<u8>>, write: &Write| match write {
        Write::Nothing => before.cloned(),
        Write::Append(lines) => {
            let mut bytes = before.cloned().unwrap_or_default();
            bytes.extend_from_slice(lines);
            Some(bytes)
        }
        Write::Replace(bytes) => Some(bytes.clone()),
    };
    let shelf =
        |(shelf, write): (&Shelf, &Write)| Some((*shelf, after(files.shelves.get(shelf), write)?));
    let mut shelves = files.shelves.clone();
    shelves.extend(plan.shelves.iter().filter_map(shelf));
    Files { shelves, episodes: after(files.episodes.as_ref(), &plan.episodes), journal: None }
}

/// Digests before and after, in one word each.
fn marks(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let pair = |name: &String| format!("{} {}", before[name], after[name]);
    before.keys().map(|name| (name.clone(), pair(name))).collect()
}
