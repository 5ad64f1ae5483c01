//! The stores, each against the same cases, and what only a file can show.

mod golden;
mod memory;
mod sqlite;
