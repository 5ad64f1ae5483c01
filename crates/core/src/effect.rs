//! What was shown to whom, and what came of it: injections and effects.

use serde::{Deserialize, Serialize};

use crate::ids::{LessonId, RunId};
use crate::text::Text;
use crate::time::Timestamp;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// Conclusion on one injection of one lesson.
    EffectKind {
        Helped = "helped",
        NoHelp = "no_help",
        Hurt = "hurt",
        Contradicted = "contradicted",
        Neutral = "neutral",
        NoOpportunity = "no_opportunity",
    }
}

vocabulary! {
    /// Into what a block was put.
    #[derive(Default)]
    Surface {
        #[default]
        TaskPacket = "task_packet",
        SessionSummary = "session_summary",
        ReviewContext = "review_context",
        GateContext = "gate_context",
        RecoveryContext = "recovery_context",
        DecisionContext = "decision_context",
    }
}

vocabulary! {
    /// What should be done about a lesson after an effect.
    #[derive(Default)]
    FollowUp {
        #[default]
        None = "none",
        Strengthen = "strengthen",
        Weaken = "weaken",
        Supersede = "supersede",
        ReviewRequired = "review_required",
    }
}

vocabulary! {
    /// What chance decided about a lesson in a run.
    Arm {
        Shown = "shown",
        HeldOut = "held_out",
    }
}

impl EffectKind {
    /// Whether the lesson was tested and failed.
    pub fn is_failure(self) -> bool {
        self.is_trial() && self != EffectKind::Helped
    }

    /// Whether the lesson was tested.
    pub fn is_trial(self) -> bool {
        !matches!(self, EffectKind::Neutral | EffectKind::NoOpportunity)
    }
}

/// One lesson in a block, with the digest of the wording that was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub lesson: LessonId,
    pub digest: String,
    /// Chance could have held it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_randomised: bool,
}

/// The recorded fact that lessons were shown to a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    pub run: RunId,
    /// Empty when the need named no role.
    pub role: String,
    /// Empty when the need named no domain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub domain: String,
    /// Digest of the need: the same need in the same run is served the same block.
    pub need: String,
    pub at: Timestamp,
    /// In the order of the block.
    pub shown: Vec<Shown>,
    /// Lessons that chance kept out of the block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_out: Vec<LessonId>,
    /// Into what the block was put.
    #[serde(default, skip_serializing_if = "is_default")]
    pub surface: Surface,
    /// The exact block.
    pub block: Text,
    /// `sha256:` of the block's bytes.
    pub digest: String,
    pub n_tokens: u32,
}

/// The domain for which the blocks of a run were asked, if it was always the same.
pub fn domain_asked_for(injections: &[Injection]) -> Option<String> {
    let mut domains = injections.iter().map(|shown| &shown.domain).filter(|word| !word.is_empty());
    let first = domains.next()?;
    domains.all(|other| other == first).then(|| first.clone())
}

/// What came of showing one lesson in one root run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    pub lesson: LessonId,
    pub root: RunId,
    /// Number of that root run: effects are folded in this order.
    pub run_number: u64,
    pub kind: EffectKind,
    pub why: String,
    /// A reviewer or user stated it; it stays when the run's effects are derived again.
    pub is_named: bool,
    /// Into what the block was put.
    #[serde(default, skip_serializing_if = "is_default")]
    pub surface: Surface,
    #[serde(default, skip_serializing_if = "is_default")]
    pub follow_up: FollowUp,
    /// The lesson had proved itself, and failed here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_regression: bool,
    /// What chance decided, if it was left to chance. A lesson that was held out had no
    /// effect: its kind then says what would have counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<Arm>,
    /// How many times over it counts for confidence.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub weight: f64,
}

impl Effect {
    /// Whether the lesson was shown at all. One that chance held out had no effect:
    /// it counts for lift and for nothing else.
    pub fn was_shown(&self) -> bool {
        self.arm != Some(Arm::HeldOut)
    }
}

fn once() -> f64 {
    1.0
}

fn is_once(weight: &f64) -> bool {
    *weight == 1.0
}

/// For fields that are left out of the journal while they say nothing.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How often each effect was concluded for a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectCounts {
    pub n_helped: u32,
    pub n_no_help: u32,
    pub n_hurt: u32,
    pub n_contradicted: u32,
    pub n_neutral: u32,
    pub n_no_opportunity: u32,
}

impl EffectCounts {
    /// Counts the effects of one lesson.
    pub fn of(kinds: impl Iterator<Item = EffectKind>) -> Self {
        let mut counts = EffectCounts::default();
        for kind in kinds {
            match kind {
                EffectKind::Helped => counts.n_helped += 1,
                EffectKind::NoHelp => counts.n_no_help += 1,
                EffectKind::Hurt => counts.n_hurt += 1,
                EffectKind::Contradicted => counts.n_contradicted += 1,
                EffectKind::Neutral => counts.n_neutral += 1,
                EffectKind::NoOpportunity => counts.n_no_opportunity += 1,
            }
        }
        counts
    }

    /// Both together.
    pub fn plus(self, other: EffectCounts) -> Self {
        EffectCounts {
            n_helped: self.n_helped + other.n_helped,
            n_no_help: self.n_no_help + other.n_no_help,
            n_hurt: self.n_hurt + other.n_hurt,
            n_contradicted: self.n_contradicted + other.n_contradicted,
            n_neutral: self.n_neutral + other.n_neutral,
            n_no_opportunity: self.n_no_opportunity + other.n_no_opportunity,
        }
    }

    /// The effect that says most about a lesson; `None` while it was not put to the test.
    pub fn gravest(&self) -> Option<EffectKind> {
        let failed = [
            (self.n_hurt + self.n_contradicted, EffectKind::Contradicted),
            (self.n_no_help, EffectKind::NoHelp),
            (self.n_helped, EffectKind::Helped),
        ];
        failed.into_iter().find(|(n, _)| *n > 0).map(|(_, kind)| kind)
    }

    /// How often it was shown where the finding could have come back.
    pub fn n_tried(&self) -> u32 {
        self.n_helped + self.n_no_help + self.n_hurt + self.n_contradicted
    }

    /// In how many root runs it was shown, whatever came of it.
    pub fn n_shown(&self) -> u32 {
        self.n_tried() + self.n_neutral + self.n_no_opportunity
    }
}
