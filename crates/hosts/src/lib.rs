//! Everything that knows a coding agent: how its hooks speak, which of its files name us and
//! how they are written, where its sessions lie, and whether memory reaches it. What an event
//! means for memory is the engine's.
//!
//! # Adding a host
//!
//! One folder and one row; nothing else names a host.
//!
//! 1. Make the folder `src/hosts/NAME` with a `mod.rs` whose `HOST` is a [`host::Host`]. The
//!    fields say all there is to say: its names, how it is found, which files the installer
//!    writes in which shape, what its events mean and which are asked for, under which names
//!    its hooks send what ([`hook::dialect::Dialect`]), where its sessions lie, and how
//!    `doctor` looks at it. What takes a function (how it names a folder, how it writes down
//!    trust) is a file of its own in that folder.
//! 2. Add the row to [`hosts::HOSTS`].
//!
//! A file of a new shape is a variant of [`host::Shape`], and its two edits in
//! `src/install/entries.rs`. Conversations of a new form need a reader, as any other format.
//! Then put recorded events below `crates/cli/tests/fixtures/hook/NAME`.
#![forbid(unsafe_code)]

pub mod conversations;
mod doctor;
pub mod hook;
pub mod host;
pub mod hosts;
pub mod install;
pub mod once;
mod surroundings;
mod survey;

pub use doctor::doctor_agents;
pub use surroundings::{
    Surroundings, notes_folders, run_of_meta, run_of_process, session_of_process,
};
