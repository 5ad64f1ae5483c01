//! OpenAgents' folder as the engine opens it.

use std::path::Path;

use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_engine::EngineError;
use hardwon_engine::layout::{ForeignLayout, ForeignPlace, ForeignStore, OpenRequest};
use hardwon_store::StoreError;

use super::{OpenagentsPlace, OpenagentsStore, TAKEN_FROM_OPENAGENTS, openagents_place};
use crate::trust;

/// An `.openagents` folder.
pub struct OpenagentsLayout;

impl ForeignLayout for OpenagentsLayout {
    fn word(&self) -> &'static str {
        TAKEN_FROM_OPENAGENTS
    }

    fn policy(&self) -> &'static str {
        "archivist"
    }

    fn gate(&self) -> Gate {
        Gate::standard()
    }

    fn place(&self, path: &Path, user_home: Option<&Path>) -> Box<dyn ForeignPlace> {
        Box::new(openagents_place(path, user_home))
    }

    fn is_at(&self, path: &Path) -> bool {
        OpenagentsPlace::is_at(path)
    }
}

impl ForeignPlace for OpenagentsPlace {
    fn base(&self) -> &Path {
        self.base()
    }

    fn files(&self) -> &Path {
        self.memory.base()
    }

    fn digest(&self) -> Result<String, EngineError> {
        trust::digest_openagents(self)
    }

    fn open(&self, request: OpenRequest) -> Result<Box<dyn ForeignStore>, StoreError> {
        let OpenRequest { gate, access, policy, now } = request;
        Ok(Box::new(OpenagentsStore::open(gate, self.clone(), access, policy, now)?))
    }
}

impl ForeignStore for OpenagentsStore {
    fn problems(&self) -> &[Problem] {
        self.problems()
    }

    fn is_journal_cut(&self) -> bool {
        self.is_journal_cut()
    }

    fn n_lessons(&self) -> usize {
        self.memory().tables().lessons.len()
    }
}
