//! The binary and its documents, from outside. One test binary; one line per module.

mod archeflow;
mod concurrency;
mod contract;
mod docs;
mod doctor;
mod durability;
mod erase;
mod faults;
mod harness;
mod house;
mod mark;
mod readme;
mod review;
mod science;
mod settings;
mod terminal;
mod transfer;
