//! Takes an OpenAgents folder into ours: the files of its specification, and those that
//! were shipped in their place.

use std::path::Path;

use hardwon_core::run::Run;
use hardwon_render::answer::{Answer, Imported, TrustStanding};

use super::Holdings;
use super::import::{Layout, Source, Taken, beside_file, folder_name, taken_in, unplaced};
use crate::trust;
use crate::{OpenagentsShipped, openagents_place};
use hardwon_engine::EngineError;
use hardwon_engine::trust::standing_of;
use hardwon_engine::{Call, Environment, Memory};

/// Lines of the specification and of both shapes that were shipped, as one memory.
pub(super) fn import_openagents(
    memory: &mut Memory,
    call: &Call,
    environment: &Environment,
    path: &Path,
) -> Result<Answer<Imported>, EngineError> {
    let place = openagents_place(&beside_file(path), None);
    let base = place.base().to_owned();
    let (store, shipped) = trust::open_openagents(environment, &place)?;
    let standing = standing_of(environment, &base, &trust::digest_openagents(&place)?)?;
    let tables = store.memory().tables();
    let mut holdings = Holdings {
        lessons: tables.lessons.values().cloned().collect(),
        runs: tables.runs.values().cloned().collect(),
        findings: tables.findings.values().cloned().collect(),
        injections: tables.injections.values().cloned().collect(),
        effects: tables.effects.values().cloned().collect(),
    };
    let OpenagentsShipped { lessons, records, runs, problems, n_unusable } = shipped;
    let is_new = |run: &Run| holdings.runs.iter().all(|r| r.id != run.id);
    let new: Vec<_> = runs.into_iter().filter(is_new).collect();
    holdings.runs.extend(new);
    holdings.lessons.extend(lessons);
    let source = Source {
        layout: Layout::Openagents,
        holdings,
        records: store.records().into_iter().chain(records).collect(),
        is_trusted: standing == TrustStanding::Trusted,
        folder_name: folder_name(&base),
    };
    let problems = store.problems().iter().cloned().chain(problems).collect();
    let n_rejected = store.n_unusable() + n_unusable;
    let unplaced = unplaced(&source, 0);
    let taken = Taken { standing, base, problems, n_rejected: n_rejected as u64, unplaced };
    taken_in(memory, call, &source, taken)
}
