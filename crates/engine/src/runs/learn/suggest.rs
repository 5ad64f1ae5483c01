//! What somebody in the run wants to be remembered: kept as evidence like a finding, but held
//! to what an agent's own words are held to.

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
        for (source, stated) in &self.told.found.suggestions {
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
                    let reason = format!("suggestion not used: {refusal}");
                    self.problems.push(Problem::new(source, reason));
                }
            }
        }
        admitted
    }

    /// Through which channel a finding counts as said, where echoes are concerned.
    pub fn speaker(&self, finding: &Finding) -> Origin {
        if categorize::is_suggestion(finding) { Origin::Agent } else { self.channel() }
    }
}
