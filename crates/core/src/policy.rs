//! The numbers of every decision, as data. A policy is loaded from a file by `engine`
//! and passed in; no stage has a number of its own. The documented numbers of each
//! source system are test vectors for its preset.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::matching::MatchPolicy;

/// One set of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    pub name: String,
    /// Where the numbers come from.
    pub note: String,
    pub matching: MatchPolicy,
    pub promotion: PromotionPolicy,
    pub decay: DecayPolicy,
    pub ranking: RankPolicy,
    pub budget: BudgetPolicy,
    pub credit: CreditPolicy,
}

/// When a lesson rises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromotionPolicy {
    /// Standing at which a candidate becomes provisional.
    pub provisional_at: u32,
    /// An agent's own claim also needs this many different authors, or evidence that
    /// was executed or cited.
    pub claimed_authors: u32,
    /// Times helped at which a provisional lesson becomes stable; 0 = never.
    pub stable_at_helped: u32,
    /// … with no contradiction among this many last effects.
    pub stable_window: u32,
    /// Confidence below which nothing rises.
    pub min_confidence: f64,
    /// Confidence by sightings while a candidate: the first entry for one, the last
    /// for that many and more.
    pub confidence_by_sightings: Vec<f64>,
    /// Whether a worse finding makes its lesson as severe.
    pub severity_rises: bool,
}

/// When a lesson fades.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecayPolicy {
    /// Unseen runs that cost one of standing.
    pub runs_per_step: u32,
    /// Which runs count as unseen.
    pub counts: DecayCounts,
    /// Contradictions that end it.
    pub contradictions: u32,
    /// Confidence below which it ends.
    pub min_confidence: f64,
}

/// Which runs count as unseen ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecayCounts {
    /// Runs in which it could have been seen, and was neither seen nor shown.
    Opportunities,
    /// Every run in which it was not seen.
    EveryRun,
}

/// What comes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankPolicy {
    pub order: RankOrder,
    /// Which preferences are shown whatever the need, and before all others.
    pub preferences: Preferences,
    /// Standing below which a lesson is not shown.
    pub min_standing: u32,
    /// Sightings (with `order = "standing"`: standing) from which domain and role no
    /// longer exclude.
    pub universal_at: u32,
    pub weight_relevance: f64,
    pub weight_usefulness: f64,
    pub weight_importance: f64,
    pub weight_recency: f64,
    pub weight_sightings: f64,
    /// Days in which recency halves.
    pub half_life_days: f64,
    /// Showings without a single help after which a lesson is not shown; 0 = never.
    pub give_up_at: u32,
    /// Score below which nothing is shown.
    pub min_score: f64,
}

/// How lessons are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankOrder {
    /// By weighted score.
    Score,
    /// By standing, most first.
    Standing,
}

/// Which preferences are somebody's wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preferences {
    /// Those that a person stated; a preference for another domain or role waits.
    Stated,
    /// All of them, whoever wrote them down and whatever the domain.
    Always,
}

/// How much is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetPolicy {
    pub max_lessons: u32,
    pub tokens: u32,
    /// Tokens for particular roles.
    pub tokens_by_role: BTreeMap<String, u32>,
    /// Extra room that only pinned lessons may use.
    pub pinned_tokens: u32,
    /// Hard limit of the whole block.
    pub max_chars: u32,
    /// Longest line in full; beyond it the short form is used.
    pub line_chars: u32,
    /// Longest line in short form.
    pub short_chars: u32,
    /// Share of common words from which the second of two lessons is left out; above 1
    /// = never.
    pub near_duplicate: f64,
}

/// What effects do to confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreditPolicy {
    /// When a lesson could have been of use.
    pub opportunity: Opportunity,
    pub helped: f64,
    pub no_help: f64,
    pub hurt: f64,
    pub contradicted: f64,
}

/// In which runs a lesson could have been of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opportunity {
    /// One of its detectors ran, and the run touched its files and used its tool.
    Detected,
    /// Every run.
    EveryRun,
}
