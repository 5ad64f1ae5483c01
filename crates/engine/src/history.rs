//! History: what was done and by whom, undoing it, reports, and listeners.

pub(crate) mod journal;
pub mod listen;
pub(crate) mod report;

pub use journal::{history, undo};
pub use listen::heard;
pub use report::report;
