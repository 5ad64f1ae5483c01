//! The pure heart of Hardwon: what the words mean and how every decision is made.
//!
//! No clock, no randomness, no files, no formats, no printing: time, ids and rules come
//! in as values, and the same values in give the same values out, byte for byte. The
//! modules stand in the order in which data flows through them.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

pub mod lists;
mod vocabulary;

// The nouns.
pub mod attempt;
pub mod consult;
pub mod danger;
pub mod deliberation;
pub mod digest;
pub mod effect;
pub mod ended;
pub mod episode;
pub mod event;
pub mod finding;
pub mod foreign;
pub mod ids;
pub mod lesson;
pub mod message;
pub mod need;
pub mod project;
pub mod run;
pub mod scope;
pub mod text;
pub mod time;
pub mod totals;

// What is written.
pub mod change;
pub mod policy;

// The stages, in flow order.
pub mod budget;
pub mod categorize;
pub mod command;
pub mod conflict;
pub mod conversation;
pub mod credit;
pub mod eligible;
pub mod find;
pub mod fixed;
pub mod gate;
pub mod grade;
pub mod heard;
pub mod holdout;
pub mod jkz;
pub mod learn;
pub mod lifecycle;
pub mod lift;
pub mod matching;
pub mod merge;
pub mod notes;
pub mod observe;
pub mod percent;
pub mod prompt;
pub mod propose;
pub mod prose;
mod quote;
pub mod rank;
pub mod reading;
pub mod reflect;
pub mod search;
pub mod session;
pub mod signature;
pub mod snapshot;
pub mod statement;
pub mod summary;
pub mod tally;
pub mod team;
pub mod transfer;
pub mod trigger;
pub mod versions;
pub mod voice;
pub mod wish;
pub mod words;

// Played again.
pub mod backtest;
