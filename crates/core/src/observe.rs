//! What does a session show by what was done in it? Its steps in, findings out: commands that
//! failed and what worked instead, what tools reported and which edits ended it, paths that are
//! not there. Each is stated in words that stay the same from session to session, so that it is
//! recognized and counted like any other finding; what repairs it stands beside it.
//!
//! Everything here was chosen by whoever made the agent run it: only what has the form of code
//! is quoted, and what a program printed stands in quotation marks.

mod attempt;
mod edited;
mod missing;
mod mistake;
mod outcome;
mod reported;

use crate::event::{FindingStated, StepStated, VerdictStated};
use crate::finding::Grade;
use crate::reflect::AUTHOR;
use crate::run::Outcome;
use crate::signature::of_fingerprint;

/// Most findings of one session of each sort; a session that shows more says little by each.
const MAX_FINDINGS: usize = 40;

/// What a session shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    pub findings: Vec<FindingStated>,
    /// The tools that looked, with their last word.
    pub verdicts: Vec<VerdictStated>,
    /// How it ended, by its last checks; nothing if nothing was checked.
    pub outcome: Option<Outcome>,
}

/// What these steps show, in order.
pub fn observe(steps: &[StepStated]) -> Observed {
    let attempts = attempt::attempts(steps);
    let mut findings = mistake::mistakes(&attempts, steps);
    findings.truncate(MAX_FINDINGS);
    findings.extend(missing::missing(steps).into_iter().take(MAX_FINDINGS));
    let reported = reported::reported(steps);
    findings.extend(reported.findings.into_iter().take(MAX_FINDINGS));
    Observed { findings, verdicts: reported.verdicts, outcome: outcome::outcome(&attempts) }
}

/// The signatures under which a lesson about this failed command is known, the closest first.
pub fn signatures_of_failure(command: &str, output: &str) -> Vec<String> {
    let names = mistake::names_of(command, output).into_iter();
    names.map(|name| of_fingerprint(&fingerprint(mistake::RULE, &name))).collect()
}

fn fingerprint(rule: &str, key: &str) -> String {
    format!("{rule} {key}")
}

/// Something that a session showed about how to work here, known by `key`.
fn shown(rule: &str, key: &str, text: String, evidence: &str) -> FindingStated {
    FindingStated {
        author: Some(AUTHOR.to_owned()),
        severity: Some("warning".to_owned()),
        category: Some("tool_usage".to_owned()),
        rule: Some(rule.to_owned()),
        text,
        grade: Some(Grade::Executed),
        evidence: Some(evidence.to_owned()),
        fingerprint: Some(fingerprint(rule, key)),
        ..FindingStated::default()
    }
}
