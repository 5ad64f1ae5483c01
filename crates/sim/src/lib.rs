//! Measures the program: speed of cold starts, quality of matching, what redaction, erasure and
//! the gate hold back, killed writers, crowds, and policies in a simulated world. `hardwon-sim` calls
//! it; it changes nothing of the user's.
#![forbid(unsafe_code)]

pub mod backtest;
pub mod chain;
pub mod crowd;
pub mod durability;
pub mod erasure;
pub mod geas_speed;
pub mod matching;
mod matching_bench;
pub mod needs;
pub mod notes_speed;
pub mod pages;
pub mod poison;
pub mod redaction;
pub mod rescue;
pub mod retrieval;
pub mod reviews;
pub mod server;
pub mod simulate;
pub mod speed;
mod table;
pub mod wishes;

pub use matching_bench::run as bench_matching;
pub use table::{Cell, Column, Table};
