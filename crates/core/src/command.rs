//! What was run, and how did it end? Each question is answered in one place for readers,
//! reflection, grading and recall:
//!
//! - `boilerplate`: which words does every failure have?
//! - `shell`: how does a command line come apart, and which program does it run?
//! - `parted`: which commands does a line run, each where and with what?
//! - `shape`: is it one that looks, tests or checks, and which numbers in it change from run to run?
//! - `output`: what did it print, and did it fail?
//! - `trouble`: of what sort is the failure, and which line says it best?
//! - `failure`: which lines of it are compared with what is known?
//! - `printed`: is a line what a program printed, or a sentence about it?

pub mod boilerplate;
pub mod failure;
pub mod output;
pub mod parted;
pub mod printed;
pub mod shape;
pub mod shell;
pub mod trouble;
