//! What does a host's event need of memory? The use cases behind `hardwon hook` besides the
//! block: recall when a tool failed, findings in what a reviewer said last, what can be
//! learned later and who does it, and the one answer to an event that comes twice.

pub mod backlog;
mod learner;
pub mod once;
pub mod queue;
mod recall;
mod said;

use std::collections::BTreeSet;

use hardwon_core::ids::{LessonId, RunId};

pub use hardwon_readers::{first_place, places, session_run};
pub use recall::{FailedTool, Recalled};
pub use said::{Kept, Said};

use crate::Engine;
use crate::error::EngineError;

/// The digest of an event as it came.
pub fn digest(bytes: &[u8]) -> String {
    hardwon_core::digest::sha256_of_bytes(bytes)
}

impl Engine {
    /// The lessons that this run was shown already.
    pub fn shown_to(&self, run: &RunId) -> Result<BTreeSet<LessonId>, EngineError> {
        let run = self.safe_run(run);
        let tree = self.store.tree(&self.project, &run)?;
        let own = tree.injections.into_iter().filter(|injection| injection.run == run);
        Ok(own.flat_map(|injection| injection.shown).map(|shown| shown.lesson).collect())
    }
}
