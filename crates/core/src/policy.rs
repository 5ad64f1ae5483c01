//! The numbers of every decision, as data. A policy is loaded from a file by `engine`
//! and passed in; no stage has a number of its own. The documented numbers of each
//! source system are test vectors for its preset.

mod extraction;
mod matching;
mod ranking;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::lesson::Kind;
use crate::notes::policy::NotesPolicy;
use crate::reflect::ReflectionPolicy;

pub use extraction::{CategoryPolicy, CategoryRow, ScopePolicy, TriggerPolicy};
pub use matching::{MatchPolicy, Method};
pub use ranking::{
    ArchivistRank, ChanceBar, ChanceRank, Fit, GeasRank, JkzRank, Preferences, RankOrder,
    RankPolicy, ScopeTable,
};

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
    pub review: ReviewPolicy,
    pub routing: RoutingPolicy,
    pub ranking: RankPolicy,
    pub budget: BudgetPolicy,
    pub credit: CreditPolicy,
    pub holdout: HoldoutPolicy,
    pub categories: CategoryPolicy,
    /// How far a suggestion reaches, by its words; left out = the project, whatever they say.
    #[serde(default)]
    pub scopes: ScopePolicy,
    pub triggers: TriggerPolicy,
    pub reflection: ReflectionPolicy,
    /// Facts in files; a preset that says nothing about them has ours.
    #[serde(default)]
    pub notes: NotesPolicy,
}

/// When a lesson rises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromotionPolicy {
    /// Standing at which a candidate becomes provisional.
    pub provisional_at: u32,
    /// What only agents claim also needs this many independent sessions that say it, or evidence
    /// that was executed or cited.
    pub claimed_authors: u32,
    /// Times helped at which a provisional lesson becomes stable; 0 = never.
    pub stable_at_helped: u32,
    /// Different contexts in which it was seen at which a provisional lesson becomes stable;
    /// 0 = they are not counted.
    #[serde(default)]
    pub stable_contexts: u32,
    /// … with no contradiction among this many last effects.
    pub stable_window: u32,
    /// Confidence below which nothing rises.
    pub min_confidence: f64,
    /// Confidence by sightings while a candidate: the first entry for one, the last
    /// for that many and more.
    pub confidence_by_sightings: Vec<f64>,
    /// Whether a worse finding makes its lesson as severe.
    pub severity_rises: bool,
    /// Sightings from which a pattern that one reviewer role alone reports is that
    /// role's hint; 0 = never.
    pub hint_at: u32,
    /// Whether such a hint is for that role alone.
    #[serde(default)]
    pub hints_are_bound: bool,
    /// Rises and falls by how often the runs that used it went well; left out = not so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evolution: Option<EvolutionPolicy>,
    /// Whether a finding in a reviewer's prose, critical or a warning, counts as information
    /// only if nothing in it can be looked up.
    #[serde(default)]
    pub prose_needs_evidence: bool,
    /// Whether from the first run on that showed a lesson only effects move its confidence;
    /// else sightings set it until an effect is known.
    #[serde(default)]
    pub effects_decide: bool,
    /// Whether what would be global by its own words waits for a person's approval.
    #[serde(default)]
    pub global_needs_approval: bool,
}

/// When a lesson is doubted, and how long it may go without being looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewPolicy {
    /// Times hurt at which it comes under review; 0 = never.
    pub hurt_at: u32,
    /// Confidence below which an effect brings it under review.
    pub min_confidence: f64,
    /// Times helped at which a stable lesson may become canonical, …
    pub canonical_at_helped: u32,
    /// … in this many root runs.
    pub canonical_runs: u32,
    /// Days after which an unused lesson fades, by state; 0 = never.
    pub provisional_days: u32,
    pub stable_days: u32,
    pub canonical_days: u32,
    /// … if also this many root runs went by.
    pub idle_runs: u32,
    /// Days for which a kept lesson is not reviewed again.
    pub kept_days: u32,
    /// Days under review after which it is archived; 0 = never.
    pub archive_days: u32,
    /// The visit at which it cannot be kept any more; 0 = never.
    pub last_visit: u32,
    /// What moves its date on.
    #[serde(default)]
    pub renewed_by: RenewedBy,
    /// Whether a lesson that was kept in spite of its confidence is neither doubted nor fades
    /// for that before its next effect.
    #[serde(default)]
    pub keeps_until_effect: bool,
    /// Whether a person's approval makes a lesson canonical, wherever it stood.
    #[serde(default)]
    pub approval_is_final: bool,
}

/// What moves the review date of a lesson on by the days of its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RenewedBy {
    /// The date stays; what was used waits as long as if it had moved.
    #[default]
    Nothing,
    Use,
    /// A use, and being seen again.
    UseAndSighting,
}

/// Which authority decides about a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutingPolicy {
    /// Where no category says otherwise.
    pub default_authority: String,
    pub by_category: BTreeMap<String, String>,
    /// Which agents fill the slots among the authorities, where a system has such profiles.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub profile: String,
}

/// When a lesson fades.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecayPolicy {
    /// Unseen runs that cost one of standing.
    pub runs_per_step: u32,
    /// The same for a candidate. It is in no block, so that waiting for it to be seen again
    /// costs nothing: what goes wrong in one session of twenty is still worth a line.
    pub candidate_runs_per_step: u32,
    /// How many times as long as usual a lesson has to be unseen before it loses the last of
    /// its standing; 0 = however long is usual.
    #[serde(default)]
    pub usual_times: f64,
    /// Which runs count as unseen.
    pub counts: DecayCounts,
    /// Contradictions that end it.
    pub contradictions: u32,
    /// Confidence below which it ends.
    pub min_confidence: f64,
    /// Tests after which what was heeded in none is given up; 0 = never.
    #[serde(default)]
    pub given_up_at: u32,
    /// Sessions in which the command of its warning worked, after which it is archived; 0 = never.
    #[serde(default)]
    pub outdated_at: u32,
    /// Kinds that stay: what a person wants is no observation, and time does not make it less
    /// true.
    #[serde(default = "wishes_and_rules")]
    pub exempt: BTreeSet<Kind>,
}

fn wishes_and_rules() -> BTreeSet<Kind> {
    BTreeSet::from([Kind::Preference, Kind::Rule])
}

impl DecayPolicy {
    /// Whether lessons of this kind fade at all.
    pub fn fades(&self, kind: Kind) -> bool {
        !self.exempt.contains(&kind)
    }
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

/// How much is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetPolicy {
    pub max_lessons: u32,
    /// Lessons that a prompt of a session adds at most; 0 = as many as fit.
    #[serde(default)]
    pub per_prompt: u32,
    /// Lessons for particular roles.
    pub lessons_by_role: BTreeMap<String, u32>,
    pub tokens: u32,
    /// Tokens for particular roles.
    pub tokens_by_role: BTreeMap<String, u32>,
    /// Tokens below which nothing is shown at all.
    #[serde(default)]
    pub min_tokens: u32,
    /// Whether a caller's number is the room that is left in a prompt: it lowers these, and
    /// never raises them.
    #[serde(default)]
    pub only_lowers: bool,
    /// Whether lessons are shown by their score alone where not all fit; else by what a token
    /// of them is worth.
    #[serde(default)]
    pub by_score: bool,
    /// Whether the short form is the clause with the rule; else the beginning.
    #[serde(default)]
    pub summaries: bool,
    /// Extra room that only pinned lessons may use.
    pub pinned_tokens: u32,
    /// Lines and tokens beside those that only wishes may use; 0 = they share the room of all.
    #[serde(default)]
    pub max_wishes: u32,
    #[serde(default)]
    pub wish_tokens: u32,
    /// Hard limit of the whole block.
    pub max_chars: u32,
    /// Longest line in full; beyond it the short form is used.
    pub line_chars: u32,
    /// Longest line in short form.
    pub short_chars: u32,
    /// Share of common words from which the second of two lessons of one rule is left out; above
    /// 1 = never, not even with equal words.
    pub near_duplicate: f64,
}

impl BudgetPolicy {
    /// How many lessons a role may be shown.
    pub fn lessons_for(&self, role: &str) -> u32 {
        self.lessons_by_role.get(&role.to_lowercase()).copied().unwrap_or(self.max_lessons)
    }

    /// How many tokens a block for this role may have, if the caller asks for so many.
    pub fn tokens_for(&self, role: &str, asked: Option<u32>) -> u32 {
        let own = self.tokens_by_role.get(&role.to_lowercase()).copied().unwrap_or(self.tokens);
        let tokens = match asked {
            Some(asked) if self.only_lowers => asked.min(own),
            asked => asked.unwrap_or(own),
        };
        if tokens < self.min_tokens { 0 } else { tokens }
    }
}

/// What effects do to confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreditPolicy {
    /// What an effect is concluded from.
    pub mode: CreditMode,
    /// When a lesson could have been of use.
    pub opportunity: Opportunity,
    /// Whether a lesson that helped counts as seen: then it neither decays nor ages.
    pub helped_renews: bool,
    pub helped: f64,
    pub no_help: f64,
    /// What coming back alone never takes confidence below: it shows that a lesson is not
    /// heeded, and that it is true.
    #[serde(default)]
    pub no_help_floor: f64,
    pub hurt: f64,
    pub contradicted: f64,
    /// How many times over a contradiction counts that rests on a false positive, …
    pub false_positive_weight: f64,
    /// … and for what particular roles had reported.
    pub weight_by_role: BTreeMap<String, f64>,
    /// Whose ruling counts against what was reported; empty = everybody's.
    #[serde(default)]
    pub rulers: BTreeSet<String>,
    /// Who looks for faults, and who checks them.
    #[serde(default)]
    pub pairs: BTreeMap<String, String>,
    /// Whether a reviewer's pass that was executed or cited closes what they had reported on
    /// the same task and do not report again.
    #[serde(default)]
    pub pass_closes: bool,
    /// Where the end of a run decides: how many content words a lesson shares with its task
    /// before a success speaks for it, unless a detector looked or a path is shared; 0 = every
    /// success does.
    #[serde(default)]
    pub relevant_words: u32,
    /// Whether a contradiction asks to weaken the lesson; else for a review.
    #[serde(default)]
    pub contradiction_weakens: bool,
}

/// What an effect is concluded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreditMode {
    /// Whether the lesson's own finding came back.
    PerFinding,
    /// How the root run ended.
    ByOutcome,
    /// Whether reviewers passed the work, and which findings they ruled false.
    FalsePositive,
}

/// How often chance keeps a lesson back, so that its worth can be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldoutPolicy {
    /// Root runs in which a lesson was shown before it is left to chance.
    pub min_shown: u32,
    /// Share of the showings that is held out, always the same: else what gets rarer by itself
    /// would look like worth. 0 = none, ever.
    pub share: f64,
}

/// In which runs a lesson could have been of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opportunity {
    /// One of its detectors ran, and the run touched its files and used its tool.
    Detected,
    EveryRun,
}

/// The numbers of the rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionPolicy {
    /// Success from which a draft is active, and after how many uses.
    pub active_at: f64,
    pub active_uses: u32,
    /// Success below which it is a draft again.
    pub draft_below: f64,
    pub draft_uses: u32,
    /// Success below which it is put away.
    pub prune_below: f64,
    pub prune_uses: u32,
}

impl Default for EvolutionPolicy {
    fn default() -> Self {
        EvolutionPolicy {
            active_at: 0.7,
            active_uses: 3,
            draft_below: 0.4,
            draft_uses: 5,
            prune_below: 0.2,
            prune_uses: 10,
        }
    }
}
