//! Measures the program: speed of cold starts, quality of matching, what redaction and the gate
//! hold back, killed writers, damaged stores, and policies in a simulated world. `hardwon-sim` calls
//! it; it changes nothing of the user's.
#![forbid(unsafe_code)]

pub mod backtest;
pub mod durability;
pub mod matching;
pub mod poison;
mod random;
pub mod redaction;
pub mod rescue;
pub mod retrieval;
pub mod simulate;
pub mod speed;
mod table;

pub use table::{Cell, Table, TableRow};
