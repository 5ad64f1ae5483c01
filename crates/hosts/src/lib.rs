//! Everything that knows a coding agent: how its hooks speak, which of its files name us and
//! how they are written, where its sessions lie, and whether memory reaches it. What an event
//! means for memory is the engine's.
#![forbid(unsafe_code)]

pub mod conversations;
mod doctor;
pub mod hook;
pub mod install;

pub use doctor::doctor_agents;
