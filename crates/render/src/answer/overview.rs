//! What a page shows at a glance: whether memory is worth it, what a run or a session taught,
//! and the tree of a run with the lessons that concern it.

use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Decision, State};
use schemars::JsonSchema;
use serde::Serialize;

use super::Named;
use super::episodes::{AccountShown, RunLine, Shown};
use super::events::Event;
use super::lift::Lift;
use super::report::{Counts, RunSummary};
use super::value::{Id, Word};

/// Is it worth it? One project's memory at a glance.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Overview {
    pub counts: Counts,
    /// Of all lessons together; null while not known yet.
    pub lift: Option<Lift>,
    /// About how many more opportunities are needed before a halving would be told; null before
    /// anything came back while chance decided.
    #[serde(rename = "opportunities_missing")]
    pub n_missing: Option<u64>,
    /// The newest root runs, the oldest of them first.
    pub runs: Vec<RunPoint>,
    pub prompts: PromptTotals,
    /// The most urgent that wait for a review, a handful.
    pub waiting: Vec<Named>,
    /// How many wait in all.
    #[serde(rename = "waiting_count")]
    pub n_waiting: u64,
    /// The newest messages, the oldest of them first.
    pub events: Vec<Event>,
}

/// One root run as a point of a series.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunPoint {
    #[serde(flatten)]
    pub summary: RunSummary,
    /// Tokens of all blocks that were shown in it and below it, as estimated then.
    #[serde(rename = "tokens")]
    pub n_tokens: u64,
}

/// What was put into prompts, over all runs of the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PromptTotals {
    /// Blocks that were recorded.
    #[serde(rename = "blocks")]
    pub n_blocks: u64,
    /// Of all these blocks, as estimated when each was made.
    #[serde(rename = "tokens")]
    pub n_tokens: u64,
}

/// What a run, or all runs of a session, taught: the panel of lessons learned.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct LessonsLearned {
    /// Who looked back and said how it went; null if it is made from what was done.
    pub by: Option<String>,
    /// One to three sentences.
    pub summary: String,
    pub worked: Vec<String>,
    pub failed: Vec<String>,
    pub decisions: Vec<String>,
    /// Lessons that it started.
    pub created: Vec<Named>,
    /// Lessons that were seen again in it, or changed by it.
    pub updated: Vec<Named>,
}

impl LessonsLearned {
    /// Nobody looked back: only what was done tells of it.
    pub fn told(summary: &str) -> Self {
        LessonsLearned { summary: summary.to_owned(), ..LessonsLearned::default() }
    }

    /// In the words of whoever looked back.
    pub fn accounted(account: &AccountShown) -> Self {
        let AccountShown { by, summary, worked, failed, decisions } = account.clone();
        LessonsLearned { by: Some(by), summary, worked, failed, decisions, ..Self::default() }
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        let lists = [&self.worked, &self.failed, &self.decisions];
        let is_silent = self.summary.is_empty() && lists.iter().all(|list| list.is_empty());
        is_silent && self.created.is_empty() && self.updated.is_empty()
    }
}

/// A run in its tree, with the lessons that concern what it works with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TreeNode {
    #[serde(flatten)]
    pub line: RunLine,
    /// Its tools and the agent that plays it, each once.
    pub concerns: Vec<Concern>,
}

/// How many lessons have this pair in their scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Concern {
    /// `tool` or `provider`.
    pub dimension: String,
    pub value: String,
    /// Lessons that are not put away; 0 is told as well.
    #[serde(rename = "lessons")]
    pub n_lessons: u64,
}

/// The exact block that a role was shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockShown {
    /// The run to which it was shown: the one that is looked at, or one below it.
    pub run: Id<RunId>,
    #[serde(flatten)]
    pub shown: Shown,
    /// Its words; null where they were erased.
    pub block: Option<String>,
}

/// What the runs of a session did and taught.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SessionShown {
    pub session: String,
    /// The trees of its runs, the newest root first.
    pub tree: Vec<TreeNode>,
    #[serde(rename = "lessons_learned")]
    pub panel: LessonsLearned,
    pub blocks: Vec<BlockShown>,
}

/// One way to decide about a lesson, and what it would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Choice {
    pub decision: Word<Decision>,
    /// The state that the lesson would have; null if another approval is needed first or a rule
    /// forbids the step now.
    pub to: Option<Word<State>>,
    /// Why not, or who else must agree; null if the decision takes effect at once.
    pub unless: Option<String>,
}
