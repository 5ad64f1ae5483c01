//! What a person reads: plain text, readable without color, for 80 to 100 columns. Data goes
//! to standard output, problems to standard error, so only [`problems`] contains them.
//!
//! Every function gives whole lines, or nothing at all.

mod asked;
mod backtest;
mod care;
mod columns;
mod deliberation;
mod doctor;
mod episodes;
mod explain;
mod geas;
mod install;
mod journal;
mod lessons;
mod names;
mod notes;
mod project;
mod reflect;
mod report;
mod review;
mod runs;
mod show;
mod transfer;

use hardwon_core::event::Problem;
use hardwon_core::gate::without_control;

pub use asked::*;
pub use backtest::{backtest, headline as backtest_headline};
pub use care::*;
pub use deliberation::*;
pub use doctor::doctor;
pub use episodes::*;
pub use explain::explain;
pub use geas::*;
pub use install::*;
pub use journal::*;
pub use lessons::*;
pub use names::Names;
pub use notes::*;
pub use project::*;
pub use reflect::reflect;
pub use report::*;
pub use review::*;
pub use runs::*;
pub use show::{show, why};
pub use transfer::*;

/// One line for each problem: `problem: where: reason`.
pub fn problems(problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let line = format!("problem: {}: {}", problem.at, problem.reason);
        without_control(&line) + "\n"
    };
    problems.iter().map(line).collect()
}

/// A name and its description, wrapped.
pub fn paragraph(name: &str, about: &str, width: usize) -> String {
    columns::hanging("", &format!("{name}: {about}"), width)
}

#[cfg(test)]
mod tests;
