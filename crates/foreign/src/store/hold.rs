//! Everything that a folder holds, for an import or a look at it.

use std::collections::BTreeMap;

use hardwon_core::change::Tables;
use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_core::ids::LessonId;
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_engine::layout::OpenRequest;
/// All rows of one project; what was forgotten for good is no part of them.
pub use hardwon_render::export::Rows as Holdings;
use hardwon_store::{Access, StoreError};

use super::layout::{Layout, Place};
use super::{Files, FolderStore, n_unusable};

/// What a folder holds by its own system's rules.
#[derive(Debug)]
pub struct Held {
    /// Of the bytes that all of this was read from.
    pub digest: String,
    /// Lessons are in the order in which the system lists them.
    pub holdings: Holdings,
    pub records: BTreeMap<LessonId, Vec<u8>>,
    pub problems: Vec<Problem>,
    /// Records that could not be used.
    pub n_unusable: usize,
    /// What an import leaves behind, and how much of it.
    pub left_behind: Vec<(&'static str, usize)>,
}

impl<L: Layout> FolderStore<L> {
    /// Reads a folder with all that lies beside its records, writing nothing. The user's own
    /// lessons are among them if the place names their folder.
    pub(crate) fn hold(place: Place, policy: Policy, now: Timestamp) -> Result<Held, StoreError> {
        let request = OpenRequest { gate: Gate::standard(), access: Access::Read, policy, now };
        let store = FolderStore::<L>::open(place, request)?;
        let beside = Files::read_beside::<L>(&store.place).map_err(|error| store.trouble(error))?;
        let (rows, tables) = (store.rows(), store.memory.tables());
        let n_lost: usize = rows.shelves.iter().map(n_unusable).sum();
        let mut held = Held {
            digest: store.files.digest_of_all::<L>(&beside),
            holdings: rows_of(tables),
            records: store.records(),
            problems: store.problems.clone(),
            n_unusable: n_lost + store.refused(|_| true).len(),
            left_behind: L::left_behind(&rows, tables),
        };
        store.layout.hold_beside(&store.context(), &beside, &mut held);
        held.holdings.lessons.sort_by_cached_key(|lesson| {
            (lesson.state.is_put_away(), L::position(lesson), lesson.id.clone())
        });
        Ok(held)
    }

    /// The record of each lesson of the project that has one; an active record counts more
    /// than an archived one.
    fn records(&self) -> BTreeMap<LessonId, Vec<u8>> {
        let rows = self.rows();
        let pairs = rows.pairs(self.memory.tables(), &self.context());
        let mut shelves: Vec<usize> = (0..L::SHELVES.len()).collect();
        shelves.retain(|index| !L::SHELVES[*index].is_of_user());
        shelves.sort_by_key(|index| !L::SHELVES[*index].is_archive);
        let mut records = BTreeMap::new();
        for index in shelves {
            let known = rows.shelves[index].lines.iter().zip(&pairs[index]);
            records.extend(known.filter_map(|(line, id)| Some((id.clone()?, line.raw.clone()))));
        }
        records
    }
}

fn rows_of(tables: &Tables) -> Holdings {
    Holdings {
        lessons: tables.lessons.values().cloned().collect(),
        runs: tables.runs.values().cloned().collect(),
        findings: tables.findings.values().cloned().collect(),
        injections: tables.injections.values().cloned().collect(),
        effects: tables.effects.values().cloned().collect(),
        ..Holdings::default()
    }
}
