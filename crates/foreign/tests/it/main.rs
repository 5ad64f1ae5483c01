//! Other systems' folders as live stores, through the library.

mod archeflow;
mod crashes;
mod cuts;
mod jkz;
mod markdown;
mod model;
mod notes;
mod openagents;
mod place;
mod safety;
