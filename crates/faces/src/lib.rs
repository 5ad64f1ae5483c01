//! What every face shares: how a failure is shown, and how a block is served without ever
//! hurting the host. Faces are thin: they call one use case and render its answer; they never
//! decide and never access a store.
#![forbid(unsafe_code)]

pub mod archeflow;
mod deadline;
mod failure;
pub mod fault;
mod hands;
mod health;
mod hook;
pub mod mcp;
mod notes;
pub mod serve;
mod serve_block;
mod worker;

pub use failure::{Exit, Failure};
pub use health::doctor;
pub use hook::{Errand, hook};
pub use notes::{has_no_notes, note_places};
pub use serve_block::serve_block;
pub use worker::work;
