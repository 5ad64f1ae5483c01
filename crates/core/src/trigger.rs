//! What makes a lesson because it happens again, whatever words its finder uses: a class of
//! failure, a category of concern, a class of recovery, low confidence in one kind of work, a
//! path on which merges conflict, a recipe that serves.
//!
//! A reader states each as a finding in fixed words, so that recurrence is all that is left
//! to do; here is what the lesson is then.

use crate::finding::Finding;
use crate::lesson::{Kind, Lesson, State};
use crate::policy::TriggerPolicy;
use crate::vocabulary::vocabulary;

/// Prefix of the rule of such a finding.
const PREFIX: &str = "trigger:";

vocabulary! {
    /// What is counted.
    Trigger {
        FailureClass = "failure_class",
        ReviewCategory = "review_category",
        RecoveryClass = "recovery_class",
        LowConfidence = "low_confidence",
        Conflict = "conflict",
        Recipe = "recipe",
    }
}

impl Trigger {
    /// What a finding counts, if it only counts something.
    pub fn of(finding: &Finding) -> Option<Trigger> {
        Trigger::from_word(finding.rule.as_deref()?.strip_prefix(PREFIX)?)
    }

    /// The rule of a finding that counts this.
    pub fn rule(self) -> String {
        format!("{PREFIX}{self}")
    }

    /// The fixed words for one class, category or kind of task.
    pub fn text(self, class: &str) -> String {
        match self {
            Trigger::FailureClass => format!(
                "Failure class {class}, which ended earlier work: check for it before handing over"
            ),
            Trigger::ReviewCategory => {
                format!("Reviewers raised {class} concerns before: look for them before a review")
            }
            Trigger::RecoveryClass => format!("Recovery incident: {class}"),
            Trigger::LowConfidence => format!("Low self-confidence on {class} work"),
            Trigger::Conflict => {
                format!("Merges of earlier work conflicted on {class}: integrate early there")
            }
            Trigger::Recipe => format!("Recipe that showed earlier work to be right: {class}"),
        }
    }

    /// Kind and category of the lesson.
    pub fn sort(self, finding: &Finding) -> (Kind, Option<String>) {
        let risk = (Kind::Pattern, Some("risk_pattern".to_owned()));
        match self {
            Trigger::FailureClass => (Kind::AntiPattern, Some("failure_lesson".to_owned())),
            Trigger::ReviewCategory => (Kind::Pattern, finding.category.clone()),
            Trigger::RecoveryClass | Trigger::LowConfidence => risk,
            Trigger::Conflict => (Kind::Pattern, Some("integration_pattern".to_owned())),
            Trigger::Recipe => (Kind::Pattern, Some("test_strategy".to_owned())),
        }
    }

    fn confidence(self, policy: &TriggerPolicy) -> f64 {
        match self {
            Trigger::FailureClass => policy.failure_class,
            Trigger::ReviewCategory => policy.review_category,
            Trigger::RecoveryClass => policy.recovery_class,
            Trigger::LowConfidence => policy.low_confidence,
            Trigger::Conflict => policy.conflict,
            Trigger::Recipe => policy.recipe,
        }
    }

    /// In how many root runs it has to happen.
    fn repeats(self, policy: &TriggerPolicy) -> u32 {
        match self {
            Trigger::Recipe => policy.recipe_repeats,
            Trigger::FailureClass | Trigger::ReviewCategory | Trigger::RecoveryClass => {
                policy.repeats
            }
            Trigger::LowConfidence | Trigger::Conflict => policy.repeats,
        }
    }
}

/// Whether a lesson that was just seen may be confirmed: what is counted has to have happened
/// often enough.
pub fn is_enough(lesson: &Lesson, finding: &Finding, policy: &TriggerPolicy) -> bool {
    Trigger::of(finding).is_none_or(|trigger| lesson.n_sightings >= trigger.repeats(policy))
}

/// A lesson that was just seen again, with the confidence of its trigger, however often that
/// fires. The confidence of a confirmed lesson depends on its effects only.
pub fn settled(
    before: &Lesson,
    after: Lesson,
    finding: &Finding,
    policy: &TriggerPolicy,
) -> Lesson {
    let Some(trigger) = Trigger::of(finding) else { return after };
    let is_counted = after.n_sightings > before.n_sightings;
    if !is_counted || after.n_sightings < trigger.repeats(policy) {
        return after;
    }
    if after.state != State::Candidate {
        let Lesson { base_confidence, confidence, .. } = *before;
        return Lesson { base_confidence, confidence, ..after };
    }
    let base_confidence = trigger.confidence(policy);
    let gained = base_confidence - after.base_confidence;
    let confidence = (after.confidence + gained).clamp(0.0, 1.0);
    Lesson { base_confidence, confidence, ..after }
}
