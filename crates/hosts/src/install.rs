//! How does memory get into the programs that people use already, and out again without a
//! trace? Plans what is to be written and shows it, then writes all of it or nothing. What was
//! written is remembered in a manifest.

pub(crate) mod entries;
pub(crate) mod entry;
mod files;
pub(crate) mod jsonc;
pub(crate) mod launch;
mod manifest;
pub(crate) mod places;
mod plan;
mod splice;
pub(crate) mod switches;

pub use plan::{InstallError, InstallRequest, Plan, install, uninstall};
