//! The measurements as they are called: what they print, and what they leave alone.

mod durability;
mod harness;
mod rescue;
mod tables;
mod traces;
