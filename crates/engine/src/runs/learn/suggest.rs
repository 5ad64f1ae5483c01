//! What somebody in the run wants to be remembered: kept as evidence like a finding, but held
//! to what an agent's own words are held to.

use std::collections::BTreeSet;

use hardwon_core::categorize;
use hardwon_core::event::{Problem, SuggestionStated};
use hardwon_core::finding::{Finding, FindingKey, FindingState, Severity};
use hardwon_core::gate::Refusal;
use hardwon_core::lesson::Origin;
use hardwon_core::signature::signature;

use super::step::Step;

impl Step<'_> {
    /// The suggestions of the record that pass the gate, each once.
    pub fn admitted_suggestions(&mut self) -> Vec<Finding> {
        let mut admitted: Vec<Finding> = Vec::new();
        let mut known: BTreeSet<FindingKey> = BTreeSet::new();
        for (source, stated) in &self.told.found.suggestions {
            self.answer.findings.n_read += 1;
            match self.admit_suggestion(stated) {
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

    fn admit_suggestion(&self, stated: &SuggestionStated) -> Result<Finding, Refusal> {
        let gate = &self.memory.gate;
        // Whoever hands it in, an agent thought of it: it has to say what to do.
        let text = gate.statement(&stated.text, Origin::Agent)?;
        let author = gate.word(&stated.author).unwrap_or_else(|| "unknown".to_owned());
        let rule = categorize::rule(stated.kind);
        let signature = signature(None, Some(&rule), text.as_str(), None);
        Ok(Finding {
            key: FindingKey::of(&author, &signature, text.as_str(), None),
            run: self.header.run.id.clone(),
            root: self.header.run.root.clone(),
            author,
            severity: Severity::Info,
            category: None,
            rule: Some(rule),
            text,
            place: None,
            grade: None,
            signature,
            state: FindingState::Open,
            is_sighting: true,
            lesson: None,
            likeness: 0.0,
            fixed_in: None,
        })
    }

    /// Through which channel a finding counts as said, where echoes are concerned.
    pub fn speaker(&self, finding: &Finding) -> Origin {
        if categorize::is_suggestion(finding) { Origin::Agent } else { self.channel() }
    }
}
