//! Other systems' folders as live stores, through the library.

mod archeflow;
mod markdown;
mod openagents;
mod safety;

/// The moment at which every test begins.
pub const NOW: &str = "2026-04-03T14:00:00Z";
