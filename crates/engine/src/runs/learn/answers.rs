//! What agents answered and what was tried, kept beside what was found.

use std::collections::BTreeSet;

use hardwon_core::attempt::keep as attempt;
use hardwon_core::change::Change;
use hardwon_core::deliberation::{DeliberationFilter, keep};
use hardwon_store::{About, Search};

use super::step::Step;
use crate::memory::{Call, Memory, Result};
use crate::open::foreign_system;
use crate::write::{Command, write};

/// Megabytes of responses that a project keeps where no setting says otherwise.
const MAX_MB: u64 = 200;

/// So many are looked at to be struck at a time.
const N_STRUCK: usize = 20_000;

impl Step<'_> {
    /// Keeps every answer and attempt of the record that is not known yet.
    pub(super) fn take_answers(&mut self) -> Result<()> {
        let (memory, found, run) = (self.memory, self.input.found, &self.header.run);
        let search = |about| {
            let search = Search { about, limit: usize::MAX, ..Search::default() };
            memory.store.search(&self.call.project, &search)
        };
        if !found.deliberations.is_empty() {
            let filter = DeliberationFilter { run: Some(run.id.clone()), ..Default::default() };
            let known = search(About::Deliberations(filter))?.deliberations;
            let mut known: BTreeSet<String> = known.into_iter().map(|it| it.id).collect();
            let keeps = foreign_system(&memory.settings).is_none();
            let stated = found.deliberations.iter();
            let all = stated.map(|(_, it)| keep::admitted(&memory.gate, it, run, keeps));
            let new = all.filter(|it| known.insert(it.id.clone()));
            let changes = new.map(|it| Change::AddDeliberation { deliberation: Box::new(it) });
            self.changes.extend(changes);
        }
        for it in attempt::admitted(&memory.gate, found, run) {
            let known = search(About::Attempts(it.issue.clone()))?.attempts;
            let known = known.into_iter().find(|known| known.id == it.id);
            self.changes.extend(attempt::changes(known, it));
        }
        Ok(())
    }
}

/// Strikes the oldest responses if a project has more of them than it may: an operation of its
/// own, because what is struck cannot be undone and the learning can.
pub(super) fn trim(memory: &mut Memory, call: &Call) -> Result<()> {
    let stated = memory.settings.get("deliberations.max_mb");
    let max_mb = stated.and_then(|it| it.value.parse().ok()).unwrap_or(MAX_MB);
    let max_bytes = max_mb.saturating_mul(1 << 20);
    let search = |limit| {
        let filter = DeliberationFilter { oldest_kept: true, ..DeliberationFilter::default() };
        Search { about: About::Deliberations(filter), limit, ..Search::default() }
    };
    if memory.store.search(&call.project, &search(0))?.n_bytes <= max_bytes {
        return Ok(());
    }
    write(memory, call, &Command::new("trim"), &mut |memory, _| {
        let found = memory.store.search(&call.project, &search(N_STRUCK))?;
        let texts = keep::struck(&found.deliberations, found.n_bytes, max_bytes);
        let change = (!texts.is_empty()).then(|| keep::striking(texts));
        Ok((change.into_iter().collect(), ()))
    })?;
    Ok(())
}
