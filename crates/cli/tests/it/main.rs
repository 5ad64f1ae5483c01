//! The binary and its documents, from outside. One test binary; one line per module.

mod archeflow;
mod concurrency;
mod contract;
mod docs;
mod doctor;
mod durability;
mod erase;
mod faults;
mod findings;
mod harness;
mod hook;
mod house;
mod init;
mod install;
mod mark;
mod mcp;
mod plugin;
mod readme;
mod review;
mod science;
mod settings;
mod terminal;
mod transfer;
