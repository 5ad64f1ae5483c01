//! Blocks: from a need to the text that is put into a prompt, and the record of it.

pub(crate) mod inject;
mod recall;
mod shown;

pub use inject::{InjectRequest, Served, compose, inject, record};
pub use recall::{FailedTool, Recalled, recall, shown_to};
pub use shown::{shown_blocks, shown_in_session};
