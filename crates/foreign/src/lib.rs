//! Other systems' own files as a live store: the memory store, filled by `readers` under
//! that system's lock, run by the same use cases with that system's policy, and written
//! back by `render`. [`FolderStore`] does all that is the same for every system; a
//! [`layout::Layout`] says what is not. Who opens a store hands [`LAYOUTS`] to the engine,
//! which names none of these systems.
#![forbid(unsafe_code)]

pub mod archeflow;
mod folder;
mod openagents;
pub mod store;
mod system;
mod transfer;
pub mod trust;

pub use folder::{Folder, FolderError, Lock};
pub use openagents::OpenagentsLayout;
pub use store::FolderStore;
pub use store::layout;
pub use system::Registered;
pub use transfer::{LayoutName, export, import};

use archeflow::ArcheflowLayout;
use hardwon_core::finding::{Finding, FindingKey, FindingState, Severity};
use hardwon_core::ids::RunId;
use hardwon_core::text::Text;
use hardwon_engine::EngineError;
use hardwon_engine::layout::ForeignLayout;
use system::System;

/// Every layout. A path that none of them knows is taken for one of the first.
pub const LAYOUTS: &[&dyn ForeignLayout] =
    &[&Registered::<ArcheflowLayout>::ENTRY, &Registered::<OpenagentsLayout>::ENTRY];

/// The same, in the same order, for what only this crate does with them.
const SYSTEMS: &[&dyn System] =
    &[&Registered::<ArcheflowLayout>::ENTRY, &Registered::<OpenagentsLayout>::ENTRY];

fn unusable(error: FolderError) -> EngineError {
    EngineError::Folder(Box::new(error))
}

/// A sighting in a root run of which nothing is known but who reported what.
fn bare_finding(run: &RunId, author: &str, text: Text) -> Finding {
    Finding {
        key: FindingKey::of(author, "", text.as_str(), None),
        run: run.clone(),
        root: run.clone(),
        author: author.to_owned(),
        severity: Severity::Warning,
        category: None,
        rule: None,
        text,
        place: None,
        grade: None,
        signature: String::new(),
        state: FindingState::Open,
        is_sighting: true,
        lesson: None,
        likeness: 0.0,
        fixed_in: None,
    }
}
