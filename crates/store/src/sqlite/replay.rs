//! What does the journal give? Every entry applied in order, and counted.

use std::collections::BTreeMap;

use hardwon_core::ids::ProjectId;
use rusqlite::{Connection, Result};

use super::journal::{self, Placed};
use crate::replay::Replayed;

pub(super) fn replay(db: &Connection) -> Result<Replayed> {
    let mut replayed = Replayed::default();
    let mut counted = Counted::default();
    journal::every(db, |Placed { place, entry }| {
        let misnumbered = counted.misnumbered(place, &entry.project, entry.sequence);
        replayed.faults.extend(misnumbered);
        replayed.take(&entry);
    })?;
    replayed.faults.extend(counted.cut_off());
    Ok(replayed)
}

/// How far the entries of each project have come, and those of all.
#[derive(Default)]
struct Counted {
    last: BTreeMap<ProjectId, u64>,
    last_place: u64,
    n_found: u64,
    n_missing: u64,
}

impl Counted {
    /// What is wrong if the next entry is this one.
    fn misnumbered(&mut self, place: u64, project: &ProjectId, number: u64) -> Option<String> {
        self.last_place = place;
        self.n_found += 1;
        let last = match self.last.get_mut(project) {
            Some(last) => last,
            None => self.last.entry(project.clone()).or_default(),
        };
        let next = *last + 1;
        *last = number;
        let n_missing = number.checked_sub(next);
        self.n_missing += n_missing.unwrap_or(0);
        match n_missing {
            Some(0) => None,
            Some(1) => Some(format!("entry {next} of project {project} is missing")),
            Some(_) => {
                Some(format!("entries {next} to {} of project {project} are missing", number - 1))
            }
            None => Some(format!("entry {number} of project {project} is not in its place")),
        }
    }

    /// What is wrong after all of them: where the last entries of a project are missing, no number
    /// of its own shows it, but a place among all is empty.
    fn cut_off(&self) -> Option<String> {
        let n_empty = self.last_place.saturating_sub(self.n_found);
        match n_empty.saturating_sub(self.n_missing) {
            0 => None,
            1 => Some("an entry is missing, the last of its project".to_owned()),
            n => Some(format!("{n} entries are missing, the last of their projects")),
        }
    }
}
