//! What a person reads: plain text, readable without color, for 80 to 100 columns. Data goes
//! to standard output, problems to standard error, so only [`problems`] contains them.
//!
//! Every function gives whole lines, or nothing at all.

mod asked;
mod backtest;
mod columns;
mod deliberation;
mod doctor;
mod episodes;
mod erase;
mod explain;
mod geas;
mod geas_tree;
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
mod serving;
mod settings;
mod show;
mod store;
mod team;
mod transfer;
mod why;

use hardwon_core::event::Problem;
use hardwon_core::gate::without_control;

pub use asked::{answered, asked, model_used, prompt, usage, would_ask};
pub use backtest::{backtest, headline as backtest_headline};
pub use deliberation::{deliberation, deliberations, finding_story, findings, tried};
pub use doctor::doctor;
pub use episodes::{run_story, run_tree, runs};
pub use erase::forget_hard;
pub use explain::explain;
pub use geas::{geas_notebook, geas_packet, geas_rules};
pub use geas_tree::{
    geas_collected, geas_evolved, geas_indexed, geas_logs, geas_review_prompt, geas_validated,
};
pub use install::{conversations, conversations_offered, hosts, install};
pub use journal::{history, undo, versions};
pub use lessons::{hits, lesson, lessons};
pub use names::Names;
pub use notes::{
    note, note_promotion, notes, notes_audit, notes_checked, notes_proposals, notes_review,
    notes_status, notes_written,
};
pub use project::{merged_projects, project, projects};
pub use reflect::reflect;
pub use report::{report, stats};
pub use review::{guard, near_pairs, queued, review_prompt, review_queue};
pub use runs::{check, decay, learn, outcome, regressions};
pub use serving::serving;
pub use settings::{config, policy, policy_diff};
pub use show::show;
pub use store::{copied_store, kept_copy, migrated};
pub use team::{shared, team, token_made};
pub use transfer::{export, import, trust};
pub use why::why;

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
