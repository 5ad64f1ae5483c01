//! Other systems' own files as a live store: the memory store, filled by `readers` under
//! that system's lock, run by the same use cases with that system's policy, and written
//! back by `render`. Who opens a store hands [`LAYOUTS`] to the engine, which names none
//! of these systems.
#![forbid(unsafe_code)]

pub mod archeflow;
mod folder;
mod openagents;
mod reads;
mod transfer;
pub mod trust;

pub use archeflow::{ArcheflowStore, archeflow_folder};
pub(crate) use archeflow::{FOLDERS, has_row};
pub use folder::{Folder, FolderError, Lock, Mode};
pub use openagents::{OpenagentsPlace, OpenagentsShipped, OpenagentsStore, openagents_place};
pub use transfer::{Layout, export, import};

use hardwon_engine::EngineError;
use hardwon_engine::layout::ForeignLayout;

/// Every layout. What lies at a path that none of them knows is taken for the first.
pub const LAYOUTS: &[&dyn ForeignLayout] =
    &[&archeflow::ArcheflowLayout, &openagents::OpenagentsLayout];

fn unusable(error: FolderError) -> EngineError {
    EngineError::Folder(Box::new(error))
}
