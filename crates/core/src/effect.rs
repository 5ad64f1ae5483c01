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

/// One lesson in a block, with the digest of the wording that was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub lesson: LessonId,
    pub digest: String,
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
    /// The exact block.
    pub block: Text,
    /// `sha256:` of the block's bytes.
    pub digest: String,
    pub n_tokens: u32,
}

/// What came of showing one lesson in one root run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    pub lesson: LessonId,
    pub root: RunId,
    /// Number of that root run: effects are folded in this order.
    pub run_number: u64,
    pub kind: EffectKind,
    pub why: String,
    /// Somebody said so; it stays when the run's effects are derived anew.
    pub is_named: bool,
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
            *counts.count_mut(kind) += 1;
        }
        counts
    }

    fn count_mut(&mut self, kind: EffectKind) -> &mut u32 {
        match kind {
            EffectKind::Helped => &mut self.n_helped,
            EffectKind::NoHelp => &mut self.n_no_help,
            EffectKind::Hurt => &mut self.n_hurt,
            EffectKind::Contradicted => &mut self.n_contradicted,
            EffectKind::Neutral => &mut self.n_neutral,
            EffectKind::NoOpportunity => &mut self.n_no_opportunity,
        }
    }

    /// How often it was shown where the finding could have come back.
    pub fn n_tried(&self) -> u32 {
        self.n_helped + self.n_no_help + self.n_hurt + self.n_contradicted
    }

    /// Share of showings that helped, pulled towards one half while there are few.
    pub fn usefulness(&self) -> f64 {
        (f64::from(self.n_helped) + 1.0) / (f64::from(self.n_tried()) + 2.0)
    }
}
