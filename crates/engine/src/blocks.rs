//! Blocks: from a need to the text that is put into a prompt, and the record of it.

pub(crate) mod inject;
mod recall;

pub use inject::{InjectRequest, Recorded, Served, compose, inject, record, record_injection};
pub use recall::{FailedTool, Recalled, recall, shown_to};
