//! Other systems' own files as a live store: the memory store, filled by `readers`
//! under that system's lock, run by the same engine with that system's policy, and
//! written back by `render`.

mod archeflow;
mod folder;
mod openagents;
mod reads;

pub use archeflow::{ArcheflowStore, archeflow_folder};
pub(crate) use archeflow::{FOLDERS, TAKEN_OVER, has_row};
pub use folder::{Folder, FolderError, Lock, Mode};
pub(crate) use openagents::TAKEN_FROM_OPENAGENTS;
pub use openagents::{OpenagentsPlace, OpenagentsShipped, OpenagentsStore, openagents_place};

use hardwon_core::event::Problem;
use hardwon_store::{MemoryStore, Store};

/// What every foreign store can say of its files.
pub(crate) trait ForeignStore: Store {
    /// What in the files could not be used.
    fn problems(&self) -> &[Problem];
    /// Whether our journal has an end, or more, that is of no use.
    fn is_journal_cut(&self) -> bool;
    /// The whole state.
    fn memory(&self) -> &MemoryStore;
}

macro_rules! foreign_store {
    ($($store:ty),+) => {
        $(impl ForeignStore for $store {
            fn problems(&self) -> &[Problem] {
                self.problems()
            }

            fn is_journal_cut(&self) -> bool {
                self.is_journal_cut()
            }

            fn memory(&self) -> &MemoryStore {
                self.memory()
            }
        })+
    };
}

foreign_store!(ArcheflowStore, OpenagentsStore);
