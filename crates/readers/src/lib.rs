//! What happened in a run? Readers turn the records that others write into core events,
//! with a problem for everything that could not be used. They judge nothing: cleaning,
//! redaction, run ids and severities are checked by `core`.
//!
//! No input makes a reader panic, recurse deeply or hold more than one line in memory
//! besides the events themselves; see [`Limits`].
#![forbid(unsafe_code)]

mod archeflow;
mod detect;
mod folder;
mod input;
mod json;
mod kinds;
mod lines;
mod notes;
mod run_record;

pub use detect::Format;
pub use folder::{MAX_FILES, MAX_FOLDER_DEPTH, files_in};
pub use input::{ReadError, read, read_within};
pub use kinds::{System, from_foreign, to_foreign};
pub use lines::Limits;
