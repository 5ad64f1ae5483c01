//! A batch on its way out: to the journal first, which is what counts after a crash, then
//! to the files.

use std::cell::OnceCell;

use hardwon_core::ids::OperationId;
use hardwon_store::{JournalLine, StoreError};

use super::edits::{Edited, OutsideWrite};
use super::files::{FileWrite, Files, Write, marks, marks_open};
use super::layout::{Form, Layout, Owner, Place};
use super::{FolderStore, PROBLEMS, Rows, WRITE_WAIT, Writing, compact, journal};
use crate::{Folder, FolderError};

impl<L: Layout> FolderStore<L> {
    /// Removes what killed processes left of replaced files.
    pub(super) fn sweep(&self) {
        let of_project = L::SHELVES.iter().filter(|shelf| !shelf.is_of_user());
        for shelf in of_project.chain(L::SIDE_SHELVES) {
            match shelf.form {
                Form::Lines => self.place.files.sweep(shelf.path),
                Form::Documents { .. } => self.place.files.sweep_below(shelf.path),
            }
        }
        L::SIDE.iter().for_each(|name| self.place.files.sweep(name));
        self.place.journal().sweep(L::JOURNAL);
    }

    /// Whether somebody who knows of no lock wrote since we read: anything, or, where a document
    /// alone says which lesson it is, what we are about to write.
    fn is_outdated(&self, writes: &[FileWrite]) -> Result<bool, FolderError> {
        if !L::KEEPS_ALL {
            return Ok(Files::read::<L>(&self.place)?.by_name != self.files.by_name);
        }
        let own = |write: &&FileWrite| !matches!(write.write, Write::Log(_));
        for write in writes.iter().filter(own) {
            let Some(folder) = self.place.folder(write.owner) else { continue };
            if folder.read(&write.name)?.as_ref() != self.files.by_name.get(&write.name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Brings the files up to the journal if a writer died before it did. Says whether it had to.
    pub fn finish(&mut self) -> Result<bool, StoreError> {
        if !self.is_unfinished {
            return Ok(false);
        }
        let _locks = self.lock(&[], WRITE_WAIT)?;
        self.load()?;
        if !self.is_unfinished {
            return Ok(false);
        }
        let nothing = self.taken_over(self.memory.next_operation(&self.project), Vec::new()).batch;
        let Edited { own, outside } = self.edited(&nothing)?;
        let rows = Rows::read(&self.files.after(&own));
        let context = self.context();
        let pairs = rows.pairs(self.memory.tables(), &context);
        let writing = Writing {
            layout: &self.layout,
            context: &context,
            rows: &rows,
            pairs: &pairs,
            tables: self.memory.tables(),
            changes: &[],
            lines: &[],
            undone: &self.undone,
            is_unfinished: true,
            has_users: false,
            seen: OnceCell::new(),
            touched: OnceCell::new(),
        };
        let writes: Vec<FileWrite> = own.into_iter().chain(writing.plan()).collect();
        let last = OperationId(self.memory.next_operation(&self.project).0.saturating_sub(1));
        let put = || {
            outside.iter().try_for_each(OutsideWrite::put)?;
            put_all(&writes, &self.place, true)?;
            self.place.journal().append(L::JOURNAL, journal::done(last).as_bytes(), false)
        };
        put().map_err(|error| self.trouble(error))?;
        self.load().map(|()| true)
    }

    /// The journal first: what stands there has happened. If somebody who knows of no lock wrote
    /// meanwhile, it is taken out again and nothing is done; says whether all is.
    pub(super) fn commit(
        &mut self,
        mut lines: Vec<JournalLine>,
        writes: &[FileWrite],
        outside: &[OutsideWrite],
        is_durable: bool,
    ) -> Result<bool, FolderError> {
        let Some(last) = lines.last().map(|line| line.operation) else { return Ok(true) };
        let after = self.files.after(writes);
        self.mark(&mut lines, &after, writes);
        let mut text = String::new();
        self.repair_journal()?;
        for line in self.pending.iter().chain(&lines) {
            text.push_str(&line.encode());
            text.push('\n');
        }
        self.place.journal().append(L::JOURNAL, text.as_bytes(), is_durable)?;
        // As late as it can be: from here on files are renamed.
        if L::HAS_OTHER_WRITERS && self.is_outdated(writes)? {
            let before = self.files.journal.as_deref().unwrap_or_default();
            self.place.journal().replace(L::JOURNAL, before)?;
            return Ok(false);
        }
        // Those outside first: only our own files show whether all is done.
        outside.iter().try_for_each(OutsideWrite::put)?;
        put_all(writes, &self.place, is_durable)?;
        // If this line is lost, the digests still show that all is done.
        let done = journal::done(last);
        self.place.journal().append(L::JOURNAL, done.as_bytes(), false)?;
        text.push_str(&done);
        let mut journal = self.files.journal.take().unwrap_or_default();
        journal.extend_from_slice(text.as_bytes());
        self.files = Files { journal: Some(journal), ..after };
        if !writes.is_empty() {
            self.rows = OnceCell::new();
        }
        self.pending.clear();
        self.is_unfinished = false;
        self.redo.clear();
        self.undone.clear();
        Ok(true)
    }

    /// Notes in the last line what becomes of the files. A crash may leave the lines before it
    /// alone: those say that the files have yet to become what they say.
    fn mark(&self, lines: &mut [JournalLine], after: &Files, writes: &[FileWrite]) {
        let Some((last, others)) = lines.split_last_mut() else { return };
        last.marks = marks::<L>(&self.files, after, writes);
        if !others.is_empty() {
            let open = marks_open::<L>(&self.files);
            others.iter_mut().for_each(|line| line.marks.clone_from(&open));
        }
        if !self.problems.is_empty() {
            let n_problems = self.problems.len().to_string();
            let note = |line: &mut JournalLine| {
                line.marks.insert(PROBLEMS.to_owned(), n_problems.clone());
            };
            lines.iter_mut().for_each(note);
        }
    }

    /// Sums up the journal if it has grown long beside the files.
    pub(super) fn compact(&mut self) -> Result<(), StoreError> {
        let of_shelves = L::SHELVES.iter().filter(|shelf| !shelf.is_of_user());
        let n_records = of_shelves.map(|shelf| match shelf.form {
            Form::Lines => self.files.get(shelf.path).len(),
            Form::Documents { .. } => self.files.documents(shelf).map(|(_, d)| d.len()).sum(),
        });
        let journal = self.files.journal.as_deref().unwrap_or_default();
        let Some(shorter) = compact::compacted(journal, n_records.sum(), &self.project) else {
            return Ok(());
        };
        // A long journal is a nuisance; one that cannot be read is a loss.
        let replayed = journal::replay(&shorter, &self.project);
        if replayed.damage.is_some()
            || replayed.memory.next_operation(&self.project)
                != self.memory.next_operation(&self.project)
        {
            return Ok(());
        }
        let replaced = self.place.journal().replace(L::JOURNAL, &shorter);
        replaced.map_err(|error| self.trouble(error))?;
        self.load()
    }

    /// Removes the unusable end of the journal: what a writer that died left of its last line,
    /// or everything from the first damaged line on. A damaged file is put aside, not lost.
    pub(super) fn repair_journal(&mut self) -> Result<(), FolderError> {
        let Some(repaired) = self.repaired.take() else { return Ok(()) };
        if self.is_damaged {
            self.place.journal().set_aside(L::JOURNAL, "damaged")?;
            self.is_damaged = false;
        }
        self.place.journal().replace(L::JOURNAL, &repaired)?;
        self.files.journal = Some(repaired);
        Ok(())
    }
}

/// Does all of them; when this returns they are on the disk.
fn put_all(writes: &[FileWrite], place: &Place, is_durable: bool) -> Result<(), FolderError> {
    for some in writes.chunk_by(|one, next| kind(one) == kind(next)) {
        let Some(folder) = some.first().and_then(|it| place.folder(it.owner)) else { continue };
        match some[0].write {
            Write::Replace(_) => folder.replace_all(some.iter().filter_map(replaced))?,
            Write::Remove => folder.remove_all(some.iter().map(|write| write.name.as_str()))?,
            _ => some.iter().try_for_each(|it| put(folder, it, is_durable))?,
        }
    }
    Ok(())
}

/// What cannot be done together.
fn put(folder: &Folder, it: &FileWrite, is_durable: bool) -> Result<(), FolderError> {
    match &it.write {
        Write::Append(lines) => folder.append(&it.name, lines, is_durable),
        Write::Log(lines) => folder.append(&it.name, lines, false),
        Write::SetAside => folder.set_aside(&it.name, "aside"),
        Write::Replace(_) | Write::Remove => Ok(()),
    }
}

fn replaced(write: &FileWrite) -> Option<(&str, &[u8])> {
    match &write.write {
        Write::Replace(bytes) => Some((&write.name, bytes)),
        _ => None,
    }
}

/// What is done together.
fn kind(write: &FileWrite) -> (bool, bool, bool) {
    let is_replaced = matches!(write.write, Write::Replace(_));
    (write.owner == Owner::User, is_replaced, write.write == Write::Remove)
}
