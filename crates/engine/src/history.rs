//! History: what was done and by whom, undoing it, reports, and listeners.

pub(crate) mod journal;
pub mod listen;
pub(crate) mod report;

pub use journal::{history, undo, versions};
pub use listen::with_lessons;
pub use report::report;
