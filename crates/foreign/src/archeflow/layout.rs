//! ArcheFlow's folder as the engine opens it.

use std::path::{Path, PathBuf};

use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_engine::EngineError;
use hardwon_engine::layout::{ForeignLayout, ForeignPlace, ForeignStore, OpenRequest};
use hardwon_store::StoreError;

use super::{ArcheflowStore, TAKEN_OVER, archeflow_folder};
use crate::{Folder, trust};

/// An `.archeflow` folder.
pub struct ArcheflowLayout;

impl ForeignLayout for ArcheflowLayout {
    fn word(&self) -> &'static str {
        TAKEN_OVER
    }

    fn policy(&self) -> &'static str {
        "archeflow"
    }

    fn gate(&self) -> Gate {
        Gate::foreign()
    }

    fn place(&self, path: &Path, _: Option<&Path>) -> Box<dyn ForeignPlace> {
        let folder = archeflow_folder(path);
        Box::new(Place { files: folder.path("memory"), folder })
    }

    fn is_at(&self, path: &Path) -> bool {
        let is_named = path.file_name().is_some_and(|name| name == ".archeflow");
        is_named || path.join(".archeflow").exists()
    }
}

struct Place {
    folder: Folder,
    files: PathBuf,
}

impl ForeignPlace for Place {
    fn base(&self) -> &Path {
        self.folder.base()
    }

    fn files(&self) -> &Path {
        &self.files
    }

    fn digest(&self) -> Result<String, EngineError> {
        trust::digest(&self.folder)
    }

    fn open(&self, request: OpenRequest) -> Result<Box<dyn ForeignStore>, StoreError> {
        let OpenRequest { gate, access, policy, now } = request;
        let (folder, project) = (self.folder.clone(), ArcheflowLayout.project());
        let store = ArcheflowStore::open_through(gate, folder, access, project, policy, now)?;
        Ok(Box::new(store))
    }
}

impl ForeignStore for ArcheflowStore {
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
