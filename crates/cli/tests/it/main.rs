//! The binary and its documents, from outside. One test binary; one line per module.

mod archeflow;
mod clones;
mod concurrency;
mod contract;
mod docs;
mod doctor;
mod durability;
mod events;
mod faults;
mod findings;
mod harness;
mod hook;
mod hostile;
mod house;
mod install;
mod mcp;
mod openagents;
mod picture;
mod plugin;
mod readme;
mod rescue;
mod science;
mod sessions;
mod terminal;
mod voices;
mod waiting;
