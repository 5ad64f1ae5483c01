//! The numbers of ranking: who may be shown to whom, and by which formula lessons are
//! ordered. Each source system's own formula is a struct of its own, so that a number
//! means what it means there and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
    /// longer exclude; 0 = never.
    pub universal_at: u32,
    /// Score below which nothing is shown.
    pub min_score: f64,
    /// Whether of two lessons that contradict each other one gives way.
    pub conflicts: bool,
}

/// How lessons are ordered. A formula brings its numbers along: there is no order
/// without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankOrder {
    /// By the chance that a lesson comes up in the run, among those that concern it.
    Chance(Box<ChanceRank>),
    /// By standing, most first.
    Standing,
    /// By the retrieval score of geas.
    Geas(Box<GeasRank>),
    /// By the decay-weighted pattern score of jkz.
    Jkz(JkzRank),
    /// By importance, recency and relevance, as the Archivist does.
    Archivist(ArchivistRank),
}

/// The chance that a lesson comes up in a run, as a logit, and who may enter at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChanceRank {
    /// Weight of the logarithm of the share of runs in which it comes up, …
    pub base: f64,
    /// … of the share of those at the place where the run will work, …
    pub place: f64,
    /// … and of the runs since it came up, which count against it.
    pub since: f64,
    pub constant: f64,
    /// Runs that what is known of a wider place is worth.
    pub shrink: f64,
    /// Weight of the share of the need's words that it covers, from 0 to 1, of what nobody reports.
    pub words: f64,
    /// Chance of what a person wants known, until it had this many opportunities.
    pub stated: f64,
    pub stated_until: u32,
    /// Share of the need's words from which a lesson concerns it, if several of those that it has
    /// say what the task is about.
    pub min_words: f64,
    /// The same if a single one does.
    #[serde(default)]
    pub min_word: f64,
    /// Chances below which a lesson is not shown, by who reports it.
    pub bar: ChanceBar,
    /// What is left of a score with each better line about the same file.
    pub same_file: f64,
}

/// Chances below which a lesson is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChanceBar {
    /// Linters, compilers, tests.
    pub tools: f64,
    pub reviewers: f64,
    /// What was observed in sessions, or said by an agent.
    pub sessions: f64,
}

/// Which preferences count as what a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preferences {
    /// Those that a person stated; a preference for another domain or role waits.
    Stated,
    /// All of them, whoever wrote them down and whatever the domain.
    Always,
}

/// Weighted sum of six shares, less a penalty, with a bonus for risky work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeasRank {
    pub weight_scope: f64,
    pub weight_path: f64,
    pub weight_role: f64,
    pub weight_freshness: f64,
    pub weight_confidence: f64,
    pub weight_reuse: f64,
    /// Days after the last confirmation at which nothing of freshness is left.
    pub fresh_days: f64,
    /// Reuse success of a lesson that was never tested.
    pub reuse_unknown: f64,
    /// What each contradiction costs, …
    pub contradiction: f64,
    /// … and all of them together at most.
    pub max_contradiction: f64,
    /// What a warning of a risk gains where the work is risky.
    pub risk_bonus: f64,
    /// Tags by which a need says that the work is risky.
    pub risk_tags: Vec<String>,
    /// Tag of a lesson or a need that belongs to a mission: this word alone, or before
    /// a colon.
    pub mission_tag: String,
    pub scope: ScopeTable,
}

/// How well a lesson of each reach fits the work at hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeTable {
    pub same_task: Fit,
    pub other_task: Fit,
    pub mission: Fit,
    pub project: Fit,
    pub same_role: Fit,
    pub other_role: Fit,
    pub global: Fit,
}

/// A share for work on one task, on a mission, or on the project as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    pub task: f64,
    pub mission: f64,
    pub project: f64,
}

/// Success rate, times what time left of it, times what its category weighs; and a
/// little more for a familiar place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JkzRank {
    /// Days in which a score falls to 1/e of itself.
    pub decay_days: f64,
    /// Times reinforced at which time no longer counts; 0 = never.
    pub immune_at: u32,
    /// What one ruling against a lesson weighs, …
    pub ignore_weight: f64,
    /// … and against a lesson that one of these roles reported.
    pub ignore_weight_by_role: BTreeMap<String, f64>,
    /// Factor by category or kind; 1 for all others.
    pub category_weights: BTreeMap<String, f64>,
    /// What a shared tag or file adds.
    pub context_boost: f64,
    /// Roles by the sort of their work: a role is shown its own patterns, then those of its
    /// sort. Roles that are in none are one, too. Without any sort every role is shown all.
    #[serde(default)]
    pub sorts: BTreeMap<String, Vec<String>>,
}

/// Weighted sum of three shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArchivistRank {
    pub weight_importance: f64,
    pub weight_recency: f64,
    pub weight_relevance: f64,
    /// Days of age in which recency halves.
    pub half_life_days: f64,
}
