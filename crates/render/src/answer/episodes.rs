//! `runs list`, `runs tree` and `runs show`. A run has the field names of the run record.

use std::collections::BTreeSet;

use hardwon_core::effect::Injection;
use hardwon_core::ended::{self, CheckResult, CutBy};
use hardwon_core::episode::{self, Account, ErrorClass, StepKind, StepResult};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::run::{self, Outcome, RunKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::lesson::Lesson;
use super::runs::Effect;
use super::story::Evidence;
use super::value::{Id, Time, Word};

/// Some runs of a project.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Runs {
    /// Newest first; a tree's runs each behind the run that contains it.
    pub runs: Vec<RunLine>,
    /// How many more there are: runs of a list, root runs of a tree.
    #[serde(rename = "more")]
    pub n_more: u64,
    /// Where the next page of a list begins, for `--after`; null at the end, and for a tree.
    pub next: Option<String>,
}

/// A run of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunLine {
    #[serde(flatten)]
    pub run: Run,
    pub n_findings: u64,
    /// Lessons that were shown to it.
    pub n_shown: u64,
    /// How deep it stands in its tree; 0 for a root run.
    pub depth: u64,
}

/// One run, in the words of the run record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Run {
    pub id: Id<RunId>,
    pub parent: Option<Id<RunId>>,
    pub root: Id<RunId>,
    /// Place among the learned root runs of the project, from 1.
    pub number: Option<u64>,
    /// Its record was read; false when only its outcome or an injection is known.
    #[serde(rename = "learned")]
    pub is_learned: bool,
    pub kind: Word<RunKind>,
    pub role: Option<String>,
    pub agent: Option<String>,
    pub task: Option<String>,
    pub subtask: Option<String>,
    pub session: Option<String>,
    pub phase: Option<String>,
    pub domain: Option<String>,
    pub started: Option<Time>,
    pub finished: Option<Time>,
    pub recorded_at: Time,
    pub outcome: Option<Word<Outcome>>,
    /// What its record shows of its end; null where it shows nothing.
    pub ended: Option<Ended>,
    pub error_class: Option<String>,
    pub summary: Option<String>,
    pub commit: Option<String>,
    pub detectors: Vec<String>,
    pub paths: Vec<String>,
    pub tools: Vec<String>,
    pub tags: Vec<String>,
    pub trajectories: Vec<String>,
    pub logs: Vec<String>,
    pub usage: Usage,
}

/// How a session ended, as its record shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ended {
    /// Who cut it short, if anybody did.
    pub cut_by: Option<Word<CutBy>>,
    /// What the last test, check or build said; null if none was run.
    pub check: Option<Word<CheckResult>>,
    /// The command that said so.
    pub checked: Option<String>,
    /// Tests that were red when they were last run.
    pub red_tests: Vec<String>,
}

/// What a run used up; null where nobody said.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Usage {
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    pub tokens_cached: Option<u64>,
    pub cost_usd: Option<f64>,
    pub duration_s: Option<f64>,
}

/// One run and all that is known of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunStory {
    pub run: Run,
    /// What was done, by first time.
    pub steps: Vec<Done>,
    /// One to three sentences: its own, or made from what was done.
    pub summary: String,
    /// What a model, or the agent itself, said about it afterwards; null if nobody did.
    pub reflection: Option<AccountShown>,
    /// Runs directly below it.
    pub children: Vec<RunLine>,
    pub findings: Vec<Evidence>,
    pub injections: Vec<Shown>,
    pub effects: Vec<Effect>,
    /// Lessons that were seen in it.
    pub lessons: Vec<Lesson>,
    /// The nearest first.
    pub related: Vec<Related>,
}

/// How a run went, in the words of whoever looked back on it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reflection")]
pub struct AccountShown {
    pub by: String,
    pub summary: String,
    pub worked: Vec<String>,
    pub failed: Vec<String>,
    pub decisions: Vec<String>,
}

impl From<Account> for AccountShown {
    fn from(account: Account) -> AccountShown {
        let Account { by, summary, worked, failed, decisions } = account;
        AccountShown { by, summary, worked, failed, decisions }
    }
}

/// What was done, as often as it was done the same way with the same result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Done {
    pub kind: Word<StepKind>,
    pub tool: String,
    pub action: String,
    pub result: Word<StepResult>,
    pub error_class: Option<Word<ErrorClass>>,
    /// The line that says best what went wrong.
    pub error: Option<String>,
    /// Of the slowest time.
    pub duration_ms: Option<u64>,
    /// How often.
    pub n: u32,
}

/// A block that was shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Shown {
    pub at: Time,
    /// Null when the need named no role.
    pub role: Option<String>,
    /// In the order of the block.
    pub lessons: Vec<Id<LessonId>>,
    /// Kept out by chance.
    pub held_out: Vec<Id<LessonId>>,
    #[serde(rename = "tokens")]
    pub n_tokens: u32,
    /// `sha256:` of the block.
    pub digest: String,
}

/// A run that has something in common with another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Related {
    pub run: Run,
    /// What they have in common.
    pub reasons: Vec<String>,
}

impl From<&run::Run> for Run {
    fn from(run: &run::Run) -> Self {
        let episode = &run.episode;
        let words = |set: &BTreeSet<String>| set.iter().cloned().collect();
        Run {
            id: Id(run.id.clone()),
            parent: run.parent.clone().map(Id),
            root: Id(run.root.clone()),
            number: run.number,
            is_learned: run.is_learned,
            kind: Word(run.kind),
            role: run.role.clone(),
            agent: run.agent.clone(),
            task: run.task.clone(),
            subtask: episode.subtask.clone(),
            session: episode.session.clone(),
            phase: episode.phase.clone(),
            domain: run.domain.clone(),
            started: run.started.map(Time),
            finished: run.finished.map(Time),
            recorded_at: Time(run.recorded_at),
            outcome: run.outcome.map(Word),
            ended: episode.ended.as_ref().map(Ended::from),
            error_class: episode.error_class.clone(),
            summary: episode.summary.clone(),
            commit: episode.commit.clone(),
            detectors: words(&run.detectors),
            paths: words(&run.paths),
            tools: words(&run.tools),
            tags: words(&run.tags),
            trajectories: words(&episode.trajectories),
            logs: words(&episode.logs),
            usage: Usage::from(&episode.usage),
        }
    }
}

impl From<&ended::Ended> for Ended {
    fn from(ended: &ended::Ended) -> Self {
        Ended {
            cut_by: ended.cut_by.map(Word),
            check: ended.check.map(Word),
            checked: ended.checked.clone(),
            red_tests: ended.red_tests.clone(),
        }
    }
}

impl From<&episode::Usage> for Usage {
    fn from(usage: &episode::Usage) -> Self {
        let episode::Usage { tokens_in, tokens_out, tokens_cached, cost_usd, duration_s } = *usage;
        Usage { tokens_in, tokens_out, tokens_cached, cost_usd, duration_s }
    }
}

impl From<&episode::Step> for Done {
    fn from(step: &episode::Step) -> Self {
        Done {
            kind: Word(step.kind),
            tool: step.tool.clone(),
            action: step.action.clone(),
            result: Word(step.result),
            error_class: step.error.as_ref().and_then(|error| error.class).map(Word),
            error: step.error.as_ref().map(|error| error.line.clone()),
            duration_ms: step.duration_ms,
            n: step.n,
        }
    }
}

impl From<&Injection> for Shown {
    fn from(injection: &Injection) -> Self {
        Shown {
            at: Time(injection.at),
            role: Some(injection.role.clone()).filter(|role| !role.is_empty()),
            lessons: injection.shown.iter().map(|shown| Id(shown.lesson.clone())).collect(),
            held_out: injection.held_out.iter().cloned().map(Id).collect(),
            n_tokens: injection.n_tokens,
            digest: injection.digest.clone(),
        }
    }
}
