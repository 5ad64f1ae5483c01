//! What was counted over all lessons, kept until the next write: a process that lives long is
//! asked the same again and again, and counting 100,000 lessons takes a while.

use std::cell::RefCell;
use std::collections::BTreeMap;

use hardwon_core::ids::ProjectId;
use rusqlite::{Connection, Result};

use super::read;
use crate::Revision;

/// The answers to one question, by project, each with the revision at which it was right.
#[derive(Debug)]
pub(super) struct Kept<T>(RefCell<BTreeMap<ProjectId, (Revision, T)>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept(RefCell::default())
    }
}

impl<T: Clone> Kept<T> {
    /// The answer that is kept if nothing was written since, else a new one; on one snapshot.
    pub(super) fn get(
        &self,
        db: &Connection,
        project: &ProjectId,
        count: impl FnOnce(&Connection, &ProjectId) -> Result<T>,
    ) -> Result<T> {
        let now = read::revision(db, project)?;
        if let Some((at, known)) = self.0.borrow().get(project)
            && *at == now
        {
            return Ok(known.clone());
        }
        let counted = count(db, project)?;
        self.0.borrow_mut().insert(project.clone(), (now, counted.clone()));
        Ok(counted)
    }

    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}
