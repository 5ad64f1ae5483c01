//! The measurements as they are called: what they print, and what they leave alone. Those
//! that start `hardwon` use the one beside this program; `cargo test --workspace`
//! builds it first, `cargo test -p hardwon-sim` does not.

mod durability;
mod harness;
mod tables;
mod traces;
