//! Memory from one store to another, as one file of ours: everything that a store knows
//! about a project, as changes for another store.

mod own;
mod take;

use std::collections::BTreeMap;

use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Lesson, Unseen};

pub use crate::exports::{is_export_at, refuse_odd};
pub use own::{export_own, export_to_file};
pub use take::{import_file, look_into};

/// The word for our own layout, as `--from` and `--to` take it.
pub const OWN: &str = "hardwon";

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
