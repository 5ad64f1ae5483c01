//! Other systems' folders as live stores, through the library.

mod archeflow;
mod ask;
mod backend;
mod chain;
mod crashes;
mod cuts;
mod geas;
mod jkz;
mod mcp;
mod notes;
mod openagents;
mod patterns;
mod place;
mod read;
mod safety;
