//! Plain data in, text out: the block that goes into a prompt, the JSON that scripts
//! read, and the text that a person reads.
//!
//! Pure: returns strings and JSON values, never prints, never asks for the terminal and
//! never reads a clock. Where ages are shown, the current time is passed in. `core` decides;
//! this crate only puts it into words.
//!
//! ```
//! use hardwon_render::block::{self, Style};
//!
//! let lines = ["- Escape user input in queries (guardian, 2 runs)".to_owned()];
//! let text = block::block(&lines, 1, Style::Hardwon, None);
//! assert_eq!(
//!     text,
//!     "<hardwon-memory>\n\
//!      Known from past runs; true when written: check any file, flag or function before \
//!      relying on it.\n\
//!      - Escape user input in queries (guardian, 2 runs)\n\
//!      (1 more lesson left out)\n\
//!      </hardwon-memory>\n"
//! );
//! assert_eq!(block::parse(&text).unwrap(), lines);
//! assert_eq!(block::block(&[], 3, Style::Hardwon, None), "");
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod advice;
pub mod answer;
pub mod archeflow;
pub mod archivist;
pub mod atif;
pub mod block;
pub mod check;
pub mod diff;
pub mod export;
pub mod geas;
pub mod json;
pub mod lifecycle;
pub mod openagents;
pub mod packet;
pub mod page;
pub mod reflect;
pub mod text;

mod json_line;
mod record;

#[cfg(test)]
mod samples;
