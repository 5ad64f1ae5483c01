//! Memory from one store to another, as one file of ours: everything that a store knows
//! about a project, as changes for another store.

mod merge_projects;
mod own;
mod shared;
mod take;

pub use crate::exports::{is_export_at, refuse_odd};
pub use merge_projects::merge_projects;
pub use own::{export_own, export_to_file};
pub use shared::{approved, propose, shared, take_from_team};
pub use take::{import_file, look_into};

/// The word for our own layout, as `--from` and `--to` take it.
pub const OWN: &str = "hardwon";
