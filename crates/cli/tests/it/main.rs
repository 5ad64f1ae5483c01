//! The binary and its documents, from outside. One test binary; one line per module.

mod archeflow;
mod concurrency;
mod contract;
mod docs;
mod faults;
mod harness;
mod house;
mod mark;
mod readme;
mod science;
mod settings;
