//! The use cases of Hardwon, and its library: learn from runs, inject lessons, see
//! whether they held. Owns the clock, ids, redaction and transactions; every decision
//! is a function of `hardwon-core`, every write a `Change` through `Store::apply`.
//!
//! [`Memory`] lives as long as a process wants; a [`Call`] says who asks, when, and about which
//! project. Every use case is a function that takes both, in the room of its noun: [`runs`],
//! [`blocks`], [`lessons`], [`history`], [`transfer`], [`care`].
//!
//! ```
//! use hardwon_engine::{InjectRequest, Input, LearnRequest, OpenMemory, blocks, runs};
//!
//! # fn main() -> Result<(), hardwon_engine::EngineError> {
//! let OpenMemory { mut memory, call } = OpenMemory::throwaway("demo", "2026-04-03T14:00:00Z")?;
//! for run in ["r1", "r2"] {
//!     let record = format!(
//!         "{{\"type\":\"run\",\"id\":\"{run}\"}}\n{{\"type\":\"finding\",\"author\":\"guardian\",\
//!          \"severity\":\"warning\",\"text\":\"Query built by string concatenation\"}}\n"
//!     );
//!     runs::learn(&mut memory, &call, LearnRequest::of(Input::text("record", &record)))?;
//! }
//! let answer = blocks::inject(&mut memory, &call, &InjectRequest::default())?;
//! assert!(answer.body.block.contains("Query built by string concatenation"));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod backtest;
pub mod blocks;
mod call;
pub mod care;
pub mod consult;
mod cursor;
mod described;
mod error;
mod events;
mod exports;
mod fitting;
pub mod history;
mod identity;
mod kept;
pub mod layout;
pub mod lessons;
mod lift;
mod local;
pub mod lookup;
mod memory;
pub mod model;
mod open;
pub mod overview;
mod place;
pub mod policy;
pub mod problems;
pub mod projects;
mod proposal;
pub mod runs;
pub mod seat;
pub mod settings;
pub mod snapshot;
mod stream;
pub mod team;
pub mod transfer;
pub mod trust;
pub mod versions;
pub mod waiting;
pub mod write;

// The words of the answers and requests, so that a face needs no other crate.
pub use hardwon_core::digest::sha256_of_bytes as digest;
pub use hardwon_core::gate::{harmless, harmless_json, without_control};
pub use hardwon_core::notes::names::project_key;
pub use hardwon_core::{
    command, effect, episode, event, finding, ids, jkz, lesson, need, prompt,
    reflect as reflection, run, scope, team as people, time, voice,
};
pub use hardwon_readers::{Format, Input, first_place, lean_object, places, session_run};
pub use hardwon_render::answer;
pub use hardwon_render::block::Style;

pub use blocks::InjectRequest;
pub use call::{Call, needs_person};
pub use care::{
    DoctorRequest, Progress, back_up, copy_store, doctor, keep_copy, lacks_backup, migrate,
};
pub use error::{EngineError, Result};
pub use hardwon_core::search::{Question, SearchRequest};
pub use hardwon_core::statement::Stated;
pub use hardwon_store::{PostgresStore, StoreError, files};
pub use history::listen;
pub use lessons::{AddRequest, DecideRequest, EditRequest, ListRequest};
pub use memory::{Embed, Memory, OpenMemory};
pub use open::{Access, Options, Watched, policy_in_force};
pub use place::{Environment, REFLECTING, wall_clock};
pub use runs::{
    About, ConversationStage, DeliberationsRequest, FindingsRequest, LearnRequest, MarkRequest,
    ReflectRequest, RunsRequest, Steps, learn_conversations, reflect_pending,
};
