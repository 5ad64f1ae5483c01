//! The stores, each against the same cases, and what only a file can show.

#[path = "../conformance/mod.rs"]
mod conformance;
mod golden;
mod sqlite;
