//! Edits of files in a batch: what becomes of which file, here and outside, and what a writer
//! that died did not come to. An edit that does not fit what is there is never written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hardwon_core::change::{Batch, Change, FileEdit, Mismatch};
use hardwon_store::StoreError;
use hardwon_store::checkout::root_of;
use hardwon_store::files::{self, Mode, NewFile};

use super::FolderStore;
use super::files::{FileWrite, Write};
use super::layout::Layout;
use crate::FolderError;

/// No file that is edited outside is larger.
const MAX_BYTES: u64 = 4 << 20;

/// What becomes of a file outside the folder.
pub(super) struct OutsideWrite {
    path: PathBuf,
    text: Option<String>,
}

/// What the edits of a batch come to.
#[derive(Default)]
pub(super) struct Edited {
    pub own: Vec<FileWrite>,
    pub outside: Vec<OutsideWrite>,
}

impl Edited {
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.outside.is_empty()
    }
}

impl OutsideWrite {
    /// Replaces the file whole, keeping its mode; by no link out of its checkout.
    pub fn put(&self) -> Result<(), FolderError> {
        let failed = |source| FolderError::Io { path: self.path.clone(), source };
        let above = self.path.parent().unwrap_or(&self.path);
        let place = files::Place::named_in(root_of(above), &self.path).map_err(failed)?;
        let Some(text) = &self.text else {
            return place.remove().and_then(|()| place.sync_folder()).map_err(failed);
        };
        let new = NewFile::write_with_folder(&place, text.as_bytes(), Mode::Kept(0o666));
        new.and_then(NewFile::place).map_err(failed)
    }
}

/// The edits among changes.
pub(super) fn edits_of(changes: &[Change]) -> impl Iterator<Item = &FileEdit> {
    changes.iter().filter_map(|change| match change {
        Change::EditFile { edit } => Some(&**edit),
        _ => None,
    })
}

impl<L: Layout> FolderStore<L> {
    /// What is left of an earlier batch, and what this one wants.
    pub(super) fn edited(&self, batch: &Batch) -> Result<Edited, StoreError> {
        let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
        for edit in self.redo.iter().chain(edits_of(&batch.changes)) {
            let text = match texts.get(&edit.path) {
                Some(text) => text.clone(),
                None => self.text_at(&edit.path).map_err(|error| self.trouble(error))?,
            };
            let Some(after) = edit.applied(text.as_deref()) else {
                // Whoever undoes is told; whoever decided on what was there decides again.
                let mismatch = Mismatch::new(format_args!("the file {}", edit.path), "content");
                let is_undo = batch.head.undoes.is_some();
                let refused = StoreError::Mismatch(mismatch);
                return Err(if is_undo { refused } else { StoreError::Conflict });
            };
            texts.insert(edit.path.clone(), after);
        }
        let mut edited = Edited::default();
        for (path, text) in texts {
            if is_outside(&path) {
                edited.outside.push(OutsideWrite { path: path.into(), text });
                continue;
            }
            let write = text.map_or(Write::Remove, |text| Write::Replace(text.into_bytes()));
            edited.own.push(FileWrite::of_project(&path, write));
        }
        // What moves is written where it goes before it leaves.
        edited.own.sort_by_key(|write| write.write == Write::Remove);
        Ok(edited)
    }

    /// Which of these edits, of a writer that may have died, are not done yet.
    pub(super) fn not_done(&self, edits: Vec<FileEdit>) -> Vec<FileEdit> {
        let is_open = |edit: &FileEdit| {
            let text = self.text_at(&edit.path);
            text.is_ok_and(|text| edit.fits(text.as_deref()) && !edit.is_done(text.as_deref()))
        };
        edits.into_iter().filter(is_open).collect()
    }

    /// The text of a file here or outside; `None` if it is not there.
    fn text_at(&self, path: &str) -> Result<Option<String>, FolderError> {
        let bytes = match self.files.by_name.get(path) {
            Some(bytes) => Some(bytes.clone()),
            None if is_outside(path) => outside_bytes(path)?,
            None => self.place.files.read(path)?,
        };
        let no_text = |_| FolderError::NoText(path.into());
        bytes.map(String::from_utf8).transpose().map_err(no_text)
    }
}

fn is_outside(path: &str) -> bool {
    path.starts_with('/')
}

fn outside_bytes(path: &str) -> Result<Option<Vec<u8>>, FolderError> {
    match files::read(&files::Place::own(path), MAX_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FolderError::Io { path: path.into(), source }),
        Ok(bytes) => Ok(Some(bytes)),
    }
}
