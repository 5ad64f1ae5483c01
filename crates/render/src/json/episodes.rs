//! Runs as scripts see them: `runs list`, `runs tree` and `runs show`. A run has the
//! names of the run record.

use crate::answer::{Answer, RunLine, RunStory, Runs};
use hardwon_core::effect::Injection;
use hardwon_core::episode::{ErrorClass, Step, StepKind, StepResult, Usage};
use hardwon_core::ids::RunId;
use hardwon_core::run::{Outcome, Run, RunKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::lesson::LessonWire;
use super::runs::{EffectWire, effects};
use super::story::{EvidenceWire, evidence};
use super::value::{Time, Word};

#[derive(Serialize, JsonSchema)]
pub(super) struct RunsWire {
    /// Newest first; a tree's runs each behind the run that contains it.
    runs: Vec<RunLineWire>,
    /// How many more there are: runs of a list, root runs of a tree.
    more: u64,
}

/// A run of a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunLine")]
struct RunLineWire {
    #[serde(flatten)]
    run: RunWire,
    n_findings: u64,
    /// Lessons that were shown to it.
    n_shown: u64,
    /// How deep it stands in its tree; 0 for a root run.
    depth: u64,
}

/// One run, in the words of the run record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Run")]
struct RunWire {
    id: String,
    parent: Option<String>,
    root: String,
    /// Place among the learned root runs of the project, from 1.
    number: Option<u64>,
    /// Its record was read; false when only its outcome or an injection is known.
    learned: bool,
    kind: Word<RunKind>,
    role: Option<String>,
    agent: Option<String>,
    task: Option<String>,
    subtask: Option<String>,
    session: Option<String>,
    phase: Option<String>,
    domain: Option<String>,
    started: Option<Time>,
    finished: Option<Time>,
    recorded_at: Time,
    outcome: Option<Word<Outcome>>,
    error_class: Option<String>,
    summary: Option<String>,
    commit: Option<String>,
    detectors: Vec<String>,
    paths: Vec<String>,
    tools: Vec<String>,
    tags: Vec<String>,
    trajectories: Vec<String>,
    logs: Vec<String>,
    usage: UsageWire,
}

/// What a run used up; null where nobody said.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Usage")]
struct UsageWire {
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    tokens_cached: Option<u64>,
    cost_usd: Option<f64>,
    duration_s: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RunShowWire {
    run: RunWire,
    /// What was done, by first time.
    steps: Vec<StepWire>,
    /// One to three sentences: its own, or made from what was done.
    summary: String,
    /// Runs directly below it.
    children: Vec<RunLineWire>,
    findings: Vec<EvidenceWire>,
    injections: Vec<ShownWire>,
    effects: Vec<EffectWire>,
    /// Lessons that were seen in it.
    lessons: Vec<LessonWire>,
    /// The nearest first.
    related: Vec<RelatedWire>,
}

/// What was done, as often as it was done the same way with the same result.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Done")]
struct StepWire {
    kind: Word<StepKind>,
    tool: String,
    action: String,
    result: Word<StepResult>,
    error_class: Option<Word<ErrorClass>>,
    /// The line that says best what went wrong.
    error: Option<String>,
    /// Of the slowest time.
    duration_ms: Option<u64>,
    /// How often.
    n: u32,
}

/// A block that was shown.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Shown")]
struct ShownWire {
    at: Time,
    /// Null when the need named no role.
    role: Option<String>,
    /// In the order of the block.
    lessons: Vec<String>,
    /// Kept out by chance.
    held_out: Vec<String>,
    tokens: u32,
    /// `sha256:` of the block.
    digest: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Related")]
struct RelatedWire {
    run: RunWire,
    /// What they have in common.
    reasons: Vec<String>,
}

/// `runs list` and `runs tree`.
pub fn runs(runs: &Answer<Runs>) -> Value {
    let body = &runs.body;
    let wire = RunsWire { runs: body.runs.iter().map(line).collect(), more: body.n_more as u64 };
    answer(runs, wire)
}

/// `runs show`.
pub fn run_story(said: &Answer<RunStory>) -> Value {
    let story = &said.body;
    let related = story
        .related
        .iter()
        .map(|(other, reasons)| RelatedWire { run: run(other), reasons: reasons.clone() });
    let wire = RunShowWire {
        run: run(&story.run),
        steps: story.run.episode.trail.iter().map(step).collect(),
        summary: story.summary.clone(),
        children: story.children.iter().map(line).collect(),
        findings: story.findings.iter().map(evidence).collect(),
        injections: story.injections.iter().map(shown).collect(),
        effects: effects(&story.effects),
        lessons: story.lessons.iter().map(LessonWire::of).collect(),
        related: related.collect(),
    };
    answer(said, wire)
}

fn line(line: &RunLine) -> RunLineWire {
    RunLineWire {
        run: run(&line.run),
        n_findings: line.n_findings as u64,
        n_shown: line.n_shown as u64,
        depth: line.depth as u64,
    }
}

fn run(run: &Run) -> RunWire {
    let episode = &run.episode;
    let words = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect();
    RunWire {
        id: run.id.to_string(),
        parent: run.parent.as_ref().map(RunId::to_string),
        root: run.root.to_string(),
        number: run.number,
        learned: run.is_learned,
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
        error_class: episode.error_class.clone(),
        summary: episode.summary.clone(),
        commit: episode.commit.clone(),
        detectors: words(&run.detectors),
        paths: words(&run.paths),
        tools: words(&run.tools),
        tags: words(&run.tags),
        trajectories: words(&episode.trajectories),
        logs: words(&episode.logs),
        usage: usage(&episode.usage),
    }
}

fn usage(usage: &Usage) -> UsageWire {
    let Usage { tokens_in, tokens_out, tokens_cached, cost_usd, duration_s } = *usage;
    UsageWire { tokens_in, tokens_out, tokens_cached, cost_usd, duration_s }
}

fn step(step: &Step) -> StepWire {
    StepWire {
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

fn shown(injection: &Injection) -> ShownWire {
    ShownWire {
        at: Time(injection.at),
        role: Some(injection.role.clone()).filter(|role| !role.is_empty()),
        lessons: injection.shown.iter().map(|shown| shown.lesson.to_string()).collect(),
        held_out: injection.held_out.iter().map(ToString::to_string).collect(),
        tokens: injection.n_tokens,
        digest: injection.digest.clone(),
    }
}
