//! What was run, and how did it end? Three questions, each answered in one place for
//! whoever reads, looks back on, grades or recalls what commands did:
//! `output`: what did it print, did it fail, and of what sort is the trouble?
//! `shape`: which command is it, whatever changes from run to run, and what is it for?

pub mod output;
pub(crate) mod shape;
