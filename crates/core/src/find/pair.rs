//! Two reviewers who check each other: one looks for faults, the other rules on what they found.

use std::collections::BTreeMap;

use super::FoundRun;
use crate::lesson::Lesson;

/// Who looks for faults, and who checks them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub adversarial: String,
    pub validator: String,
}

impl Pair {
    /// The pair of these; one of them may be left out, if the other is known to have a partner.
    /// `pairs` gives to each who looks for faults the one who checks them.
    pub fn of(
        adversarial: Option<&str>,
        validator: Option<&str>,
        pairs: &BTreeMap<String, String>,
    ) -> Result<Self, String> {
        let checks = |name: &str| pairs.get(&name.to_lowercase()).cloned();
        let is_checked = |name: &str| {
            let mut known = pairs.iter();
            known.find(|(_, by)| by.eq_ignore_ascii_case(name)).map(|(role, _)| role.clone())
        };
        let role = adversarial.map(str::to_owned).or_else(|| is_checked(validator?));
        let by = validator.map(str::to_owned).or_else(|| checks(adversarial?));
        let pair = role.zip(by).map(|(adversarial, validator)| Pair { adversarial, validator });
        pair.ok_or_else(|| "name both: --adversarial-role and --validator-role".to_owned())
    }

    fn has(&self, name: &str) -> bool {
        [&self.adversarial, &self.validator].iter().any(|role| role.eq_ignore_ascii_case(name))
    }

    /// Whether the one who looks for faults reports it.
    pub fn is_about(&self, lesson: &Lesson) -> bool {
        lesson.detectors.iter().any(|name| name.eq_ignore_ascii_case(&self.adversarial))
    }
}

impl FoundRun {
    /// Leaves out what others than these two say.
    pub fn keep_only(&mut self, pair: &Pair) {
        self.detectors.retain(|name| pair.has(name));
        self.reasoned_only.retain(|name| pair.has(name));
        self.judgements.retain(|name, _| pair.has(name));
        self.reach.retain(|name, _| pair.has(name));
        self.findings.retain(|finding| pair.has(&finding.author));
        self.suggestions.retain(|(_, suggestion)| pair.has(&suggestion.author));
        self.deliberations.retain(|(_, stated)| pair.has(&stated.role));
        self.attempts.clear();
        self.effects.clear();
        self.steps.clear();
    }
}
