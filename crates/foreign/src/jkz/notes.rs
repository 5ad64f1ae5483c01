//! Memory in files that hosts load by themselves: where do they lie, is the set of them sound, and
//! does each fact still hold? Reads the folder, the documents and the tree, and asks `core` what
//! they say. What changes a folder goes out by `write`, as one batch of the folder's store.

mod add;
mod audit;
mod health;
mod learn;
mod look;
mod places;
mod promote;
mod shown;
mod state;
mod write;

pub use add::{NewNote, add, of_lesson};
pub use audit::audit;
pub use hardwon_core::notes::NoteKind;
pub use health::health;
pub use learn::learn;
pub use look::{Bounds, check, list, review, said_already, show, status};
pub use places::Places;
pub use promote::{Target, promote};
pub use shown::{Loaded, NotesWanted, at_hand, find, told_lines, told_of_index};
pub use state::forget;
pub use write::settle;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hardwon_core::notes::Note;
use hardwon_core::notes::set::{NoteIndex, NoteSet, Unreadable};
use hardwon_core::policy::Policy;
use hardwon_engine::layout::Homes;
use hardwon_engine::{Environment, Result, policy_in_force};
use hardwon_readers::{MemoryIndex, TopicFile};

use crate::{Folder, FolderError, LAYOUTS};

/// The layout of a folder of notes.
pub(crate) const STORE: &str = "jkz";

/// The numbers by which notes are judged, with what the user set.
fn rules(environment: &Environment) -> Result<Policy> {
    policy_in_force(environment, "hardwon")
}

/// The index that hosts load.
pub const INDEX: &str = hardwon_core::notes::set::INDEX;

/// More of a topic file is no note. An index that is too long has to be read to be shortened.
const MAX_BYTES: usize = 1 << 20;
const MAX_INDEX_BYTES: usize = 16 << 20;

/// The digest of a folder of notes, by which `trust` and `import` recognize it: that of the store
/// that it is.
pub(crate) fn notes_digest(folder: &Path) -> Result<String> {
    let layout = LAYOUTS.iter().find(|layout| layout.word() == STORE);
    let layout = layout.expect("notes are one of the layouts");
    layout.place(folder, &Homes::default()).digest()
}

/// A folder of notes as it is now.
pub struct NotesFolder {
    pub path: PathBuf,
    pub set: NoteSet,
    /// The bytes of each note and of the index, by file.
    pub texts: BTreeMap<String, String>,
}

impl NotesFolder {
    /// Reads a folder. One that is not there has no notes; what cannot be read is named in the set.
    pub fn read(path: &Path) -> Result<NotesFolder> {
        let folder = Folder::new(path.to_owned());
        folder.check(&[])?;
        let mut read =
            NotesFolder { path: path.to_owned(), set: NoteSet::default(), texts: BTreeMap::new() };
        for file in folder.list("", ".md")? {
            match text_of(&folder, &file) {
                Ok(Some(text)) if file == INDEX => read.take_index(text),
                Ok(Some(text)) => read.take_note(file, text),
                Ok(None) => {}
                Err(reason) => read.set.unreadable.push(Unreadable { file, line: None, reason }),
            }
        }
        Ok(read)
    }

    /// Also reads the notebooks of all roles, for links into them.
    pub fn with_notebooks(mut self, environment: &Environment, places: &Places) -> Self {
        let mut notebooks: BTreeMap<String, Vec<Note>> = BTreeMap::new();
        // Most notes have no such link.
        if !self.set.notes.iter().flat_map(|note| &note.links).any(|link| link.contains('/')) {
            return self;
        }
        for (role, path) in places.notebooks(environment) {
            // What is wrong with a notebook is told where it is looked at.
            let notes = NotesFolder::read(&path).map(|read| read.set.notes).unwrap_or_default();
            notebooks.entry(role).or_default().extend(notes);
        }
        self.set.notebooks = Some(notebooks);
        self
    }

    fn take_index(&mut self, text: String) {
        let index = MemoryIndex::parse(&text);
        let (n_own_lines, n_own_bytes) = index.own_size();
        let (n_lines, n_bytes) = (index.n_lines(), index.n_bytes());
        let lines = index.entries.clone();
        self.set.index = NoteIndex { lines, n_lines, n_bytes, n_own_lines, n_own_bytes };
        self.texts.insert(INDEX.to_owned(), text);
    }

    fn take_note(&mut self, file: String, text: String) {
        match TopicFile::parse(&text) {
            Ok(topic) => self.set.notes.push(topic.note(&file)),
            Err(broken) => {
                let (line, reason) = (Some(broken.line), broken.reason.to_owned());
                self.set.unreadable.push(Unreadable { file: file.clone(), line, reason });
            }
        }
        self.texts.insert(file, text);
    }
}

/// The text of a file, or why it cannot be a note.
fn text_of(folder: &Folder, file: &str) -> Result<Option<String>, String> {
    let bytes = match folder.read(file) {
        Ok(bytes) => bytes,
        Err(FolderError::Link(_)) => return Err("it is a link".to_owned()),
        Err(FolderError::NotAFile(_)) => return Err("it is not a plain file".to_owned()),
        Err(error) => return Err(error.to_string()),
    };
    let Some(bytes) = bytes else { return Ok(None) };
    match file {
        INDEX if bytes.len() > MAX_INDEX_BYTES => return Err("it is larger than 16 MiB".to_owned()),
        INDEX => {}
        _ if bytes.len() > MAX_BYTES => return Err("it is larger than 1 MiB".to_owned()),
        _ => {}
    }
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8".to_owned())
}
