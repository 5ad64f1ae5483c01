//! What an agent in the run suggests to remember: kept as evidence like a finding, but held to
//! the rules for an agent's own words.

use std::collections::BTreeSet;

use hardwon_core::categorize;
use hardwon_core::event::Problem;
use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::gate::admit;
use hardwon_core::lesson::Origin;

use super::step::Step;

impl Step<'_> {
    /// The suggestions of the record that pass the gate, each once.
    pub fn admitted_suggestions(&mut self) -> Vec<Finding> {
        let mut admitted: Vec<Finding> = Vec::new();
        let mut known: BTreeSet<FindingKey> = BTreeSet::new();
        for (source, stated) in &self.input.found.suggestions {
            self.answer.findings.n_read += 1;
            match admit::suggestion(&self.memory.gate, stated, &self.header.run) {
                Ok(finding) => {
                    self.answer.findings.n_used += 1;
                    if known.insert(finding.key.clone()) {
                        admitted.push(finding);
                    }
                }
                Err(refusal) => {
                    self.answer.findings.n_rejected += 1;
                    let reason = format!("{} not used: {refusal}", stated.position);
                    self.problems.push(Problem::new(source, reason));
                }
            }
        }
        admitted
    }

    /// Through which channel a finding came, as the echo guard sees it.
    pub fn speaker(&self, finding: &Finding) -> Origin {
        if categorize::is_suggestion(finding) { Origin::Agent } else { self.origin_of(finding) }
    }

    /// The channel by which a finding came: one payload may hold the words of reviewers and of
    /// strangers.
    pub(super) fn origin_of(&self, finding: &Finding) -> Origin {
        if self.foreign.contains(&finding.key) { Origin::Import } else { self.channel() }
    }
}
