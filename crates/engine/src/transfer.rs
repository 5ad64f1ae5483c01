//! Memory from one store to another, as one file of ours: everything that a store knows
//! about a project, as changes for another store.

mod gated;
mod known;
mod own;
mod shape;
mod take;
pub mod trust;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Lesson, Unseen};

use crate::error::EngineError;
pub(crate) use known::known_exports;
pub use own::{export_own, export_to_file};
pub(crate) use take::digest_of;
pub use take::{import_file, look_into};

/// The word for our own layout, as `--from` and `--to` take it.
pub const OWN: &str = "hardwon";

/// Whether a path is a file that begins as our exports do.
pub fn is_export_at(path: &Path) -> bool {
    const MAX_HEADER: u64 = 64 * 1024;
    let mut head = Vec::new();
    // Nothing but a file is opened: a pipe would make us wait for ever.
    let file = path.is_file().then(|| std::fs::File::open(path).ok()).flatten();
    file.is_some_and(|file| file.take(MAX_HEADER).read_to_end(&mut head).is_ok())
        && hardwon_readers::is_export(&head)
}

/// Refuses what is neither a file nor a folder: a pipe would make us wait for ever, and
/// could not be read twice.
pub fn refuse_odd(path: &Path) -> Result<(), EngineError> {
    match std::fs::metadata(path) {
        Ok(about) if !about.is_file() && !about.is_dir() => {
            let source = std::io::Error::other("it is a pipe, a socket or a device, not a file");
            Err(EngineError::File { path: path.to_owned(), source })
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// How rows are called in the other store.
pub struct Moved<'a> {
    pub ids: &'a BTreeMap<LessonId, LessonId>,
    /// Run numbers go on after those that are there.
    pub after: u64,
}

impl Moved<'_> {
    pub fn id(&self, id: &LessonId) -> LessonId {
        self.ids.get(id).unwrap_or(id).clone()
    }

    pub fn lesson(&self, lesson: &Lesson, project: &ProjectId) -> Lesson {
        let Unseen { n_runs, checked_at } = lesson.unseen;
        Lesson {
            id: self.id(&lesson.id),
            superseded_by: lesson.superseded_by.as_ref().map(|id| self.id(id)),
            project: Some(project.clone()),
            unseen: Unseen { n_runs, checked_at: checked_at + self.after },
            ..lesson.clone()
        }
    }
}
