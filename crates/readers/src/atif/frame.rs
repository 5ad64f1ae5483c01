//! What is known of one trajectory while it is walked? Its fields may come in any order,
//! so it is told as a run when it is whole.

use hardwon_core::episode::{Episode, StepKind, Usage};
use hardwon_core::event::{RunStated, Sourced, StepStated};
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::time::Timestamp;
use serde_json::{Map, Value};

use super::result;
use crate::amounts::{self, Names, silent};
use crate::correct::corrected;
use crate::json::Object;
use crate::notes::Notes;
use crate::review_text::without_blocks;
use crate::run_name::run_name;
use crate::steps::{Call, Ended, Steps, call, correction, cut, moment};

const STEP_METRICS: Names = Names {
    tokens_in: "prompt_tokens",
    tokens_out: "completion_tokens",
    tokens_cached: "cached_tokens",
    cost_usd: "cost_usd",
};

const FINAL_METRICS: Names = Names {
    tokens_in: "total_prompt_tokens",
    tokens_out: "total_completion_tokens",
    tokens_cached: "total_cached_tokens",
    cost_usd: "total_cost_usd",
};

/// Most characters of what has no place of its own, as the gate has it.
const MAX_EXTRA_CHARS: usize = 2000;

/// Most trajectories that one names.
const MAX_NAMED: usize = 1000;

/// Longest first line of what the user wanted.
const MAX_TASK_BYTES: usize = 400;

/// What we say about a run or a step in the `extra` of a trajectory that we write.
const OURS: &str = "hardwon";

/// What stands for a name or version that nobody knows; the format wants a word.
const UNKNOWN: &str = "unknown";

/// A trajectory that is told elsewhere.
pub struct Named {
    pub id: String,
    pub line: u64,
}

pub struct Frame {
    pub line: u64,
    /// Every field but steps and trajectories within.
    pub told: Object,
    steps: Steps,
    n_steps: u64,
    n_user: u64,
    task: Option<String>,
    model: Option<String>,
    used: Usage,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    children: Vec<Frame>,
    named: Vec<(Object, u64)>,
}

impl Frame {
    pub fn new(line: u64) -> Self {
        Frame {
            line,
            told: Object::new(),
            steps: Steps::default(),
            n_steps: 0,
            n_user: 0,
            task: None,
            model: None,
            used: Usage::default(),
            first: None,
            last: None,
            children: Vec::new(),
            named: Vec::new(),
        }
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.told.get(name)?.as_str().map(str::to_owned)
    }

    pub fn has_steps(&self) -> bool {
        self.n_steps > 0
    }

    pub fn has_children(&self) -> bool {
        !self.children.is_empty()
    }

    /// Whether it is one step of the streamed form.
    pub fn is_step(&self) -> bool {
        let is_trajectory = ["agent", "schema_version", "__header__"];
        !self.has_steps()
            && self.told.contains_key("source")
            && !is_trajectory.iter().any(|name| self.told.contains_key(*name))
    }

    pub fn is_header(&self) -> bool {
        ["session_id", "trajectory_id", "agent", "schema_version"]
            .iter()
            .any(|name| self.told.contains_key(*name))
    }

    pub fn is_same_run(&self, other: &Frame) -> bool {
        let is_same = |name: &str| self.told.get(name) == other.told.get(name);
        is_same("session_id") && is_same("trajectory_id")
    }

    pub fn child(&mut self, child: Frame) {
        if self.children.len() < MAX_NAMED {
            self.children.push(child);
        }
    }

    pub fn take_children(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.children)
    }

    /// Trajectories that are named here and do not stand here.
    pub fn named_elsewhere(&self, children: &[Frame]) -> Vec<Named> {
        let text = |named: &Object, name: &str| named.get(name)?.as_str().map(str::to_owned);
        let is_here = |id: &str| {
            children.iter().any(|child| {
                [child.text("trajectory_id"), child.text("session_id")].contains(&Some(id.into()))
            })
        };
        let named = self.named.iter().filter_map(|(named, line)| {
            let id = text(named, "trajectory_id").or_else(|| text(named, "session_id"))?;
            let is_own = self.text("session_id").as_ref() == Some(&id);
            let is_told = is_here(&id) || is_own || id.trim().is_empty();
            (!is_told).then(|| Named { id: run_name(&id), line: *line })
        });
        named.collect()
    }

    /// One step. What was copied from another trajectory, or replayed, was told there.
    pub fn step(&mut self, step: &Object, line: u64, notes: &mut Notes) {
        self.n_steps += 1;
        let is_copied = step.get("is_copied_context").and_then(Value::as_bool) == Some(true);
        if is_copied || step.get("status").is_some_and(|status| status == "replayed") {
            return;
        }
        let at = time(step, "timestamp", notes);
        let until = time(step, "completed_at", notes);
        self.first = self.first.or(at);
        self.last = until.or(at).max(self.last);
        if let Some(metrics) = object(step, "metrics", notes) {
            self.used = self.used.plus(amounts::usage(metrics, &STEP_METRICS, notes));
        }
        let is_user = step.get("source").is_some_and(|source| source == "user");
        if is_user {
            self.user_step(step, line)
        } else {
            self.agent_step(step, line, at.zip(until), notes)
        }
    }

    /// The first thing a user says is the task; a later one may set something right.
    fn user_step(&mut self, step: &Object, line: u64) {
        let Some(said) = step.get("message").and_then(result::text) else { return };
        self.n_user += 1;
        let ours = |name: &str| ours(step).and_then(|ours| ours.get(name)?.as_str());
        if ours("kind") == Some(StepKind::Correction.word()) {
            let tool = ours("tool").unwrap_or("user").to_owned();
            return self.steps.push(line, StepStated { tool, ..correction(&said) });
        }
        if self.n_user == 1 {
            let said = without_blocks(&said);
            let first = said.lines().map(str::trim).find(|line| !line.is_empty());
            self.task = first.map(|first| cut(first, MAX_TASK_BYTES).to_owned());
        } else if let Some(said) = corrected(&said).filter(|_| self.steps.has_work()) {
            self.steps.push(line, correction(&said));
        }
    }

    fn agent_step(
        &mut self,
        step: &Object,
        line: u64,
        span: Option<(Timestamp, Timestamp)>,
        notes: &mut Notes,
    ) {
        let model = step.get("model_name").and_then(Value::as_str);
        self.model = self.model.take().or_else(|| model.map(str::to_owned));
        let results = self.results(step, line, notes);
        let Some(calls) = list(step, "tool_calls", notes) else { return };
        let calls: Vec<&Object> = calls.iter().filter_map(Value::as_object).collect();
        let is_one = calls.len() == 1;
        let span = span.filter(|_| is_one).and_then(|(from, to)| u64::try_from(to.0 - from.0).ok());
        for call in calls {
            let id = call.get("tool_call_id").and_then(Value::as_str);
            let of = |result: &&Object| match result.get("source_call_id").and_then(Value::as_str) {
                Some(source) => Some(source) == id,
                None => is_one && results.len() == 1,
            };
            let result = results.iter().copied().find(of);
            for step in steps(step, call, result, span) {
                self.steps.push(line, step);
            }
        }
    }

    /// The results of a step; the trajectories that they name are noted.
    fn results<'o>(&mut self, step: &'o Object, line: u64, notes: &mut Notes) -> Vec<&'o Object> {
        // Some writers put the output there as it is, which tells of no call.
        let Some(observation) = step.get("observation").and_then(Value::as_object) else {
            return Vec::new();
        };
        let results = list(observation, "results", notes).unwrap_or_default();
        let results: Vec<&Object> = results.iter().filter_map(Value::as_object).collect();
        for result in &results {
            let named = result.get("subagent_trajectory_ref");
            let named = match named {
                Some(Value::Array(named)) => named.iter().filter_map(Value::as_object).collect(),
                Some(Value::Object(named)) => vec![named],
                _ => Vec::new(),
            };
            let n_free = MAX_NAMED.saturating_sub(self.named.len());
            self.named.extend(named.into_iter().take(n_free).map(|named| (named.clone(), line)));
        }
        results
    }

    /// States the run and its steps.
    pub fn tell(
        mut self,
        id: Option<String>,
        parent: Option<String>,
        notes: &mut Notes,
        into: &mut Vec<Sourced>,
    ) {
        notes.go_to(self.line);
        self.steps.left_out().into_iter().for_each(|reason| notes.problem(reason));
        let is_child = parent.is_some();
        let ours = ours(&self.told).and_then(|ours| ours.get("parent")?.as_str());
        let named = self.text("parent_session_id").or_else(|| ours.map(str::to_owned));
        let parent = parent.or_else(|| named.map(|id| run_name(&id)));
        let run = RunStated { id, parent, ..self.run(is_child, notes) };
        let steps = std::mem::take(&mut self.steps);
        let input = notes.source().input.clone();
        steps.tell(&input, self.line, run, into);
    }

    fn run(&self, is_child: bool, notes: &mut Notes) -> RunStated {
        let empty = Object::new();
        let agent = object(&self.told, "agent", notes).unwrap_or(&empty);
        let text = |name: &str| agent.get(name).and_then(Value::as_str).map(str::to_owned);
        let model = text("model_name").or_else(|| self.model.clone());
        let created = self.text("created_at").and_then(|at| moment(&at));
        let started = self.first.or(created);
        let ours = ours(&self.told);
        let said = |name: &str| ours.and_then(|ours| ours.get(name)?.as_str());
        let outcome = said("outcome").and_then(Outcome::from_word);
        let status = self.told.get("status").and_then(Value::as_str);
        let is_session = !is_child && self.is_header();
        RunStated {
            kind: if is_child {
                Some(RunKind::Subagent)
            } else {
                is_session.then_some(RunKind::Session)
            },
            agent: text("name").filter(|name| name != UNKNOWN),
            task: self.task.clone(),
            started,
            finished: self.last.max(said("finished").and_then(moment)),
            outcome: outcome.or_else(|| (status? == "failed").then_some(Outcome::Failed)),
            tags: model.into_iter().collect(),
            episode: Episode {
                session: self.text("session_id"),
                error_class: said("error_class").map(str::to_owned),
                summary: said("summary").map(str::to_owned),
                trajectories: self.records(),
                usage: self.usage(started, notes),
                extra: self.extra(notes),
                ..Episode::default()
            },
            ..RunStated::default()
        }
    }

    /// The names of other records of this run.
    fn records(&self) -> std::collections::BTreeSet<String> {
        let path = |named: &Object| named.get("trajectory_path")?.as_str().map(str::to_owned);
        let elsewhere = self.named.iter().filter_map(|(named, _)| path(named));
        elsewhere.chain(self.text("continued_trajectory_ref")).collect()
    }

    /// What was used up, once: the writer's own sum beats ours.
    fn usage(&self, started: Option<Timestamp>, notes: &mut Notes) -> Usage {
        let sum = object(&self.told, "final_metrics", notes);
        let sum = sum.map(|sum| amounts::usage(sum, &FINAL_METRICS, notes)).unwrap_or_default();
        let span = self.last.zip(started).map(|(last, first)| (last.0 - first.0) as f64 / 1000.0);
        // Where we wrote it ourselves, what we did not say was not known.
        let duration_s = match ours(&self.told) {
            Some(ours) => ours.get("duration_s").and_then(Value::as_f64),
            None => span.filter(|seconds| *seconds > 0.0),
        };
        let duration_s = duration_s.filter(|seconds| (0.0..9e9).contains(seconds));
        Usage { duration_s, ..self.used.merged(sum) }
    }

    /// What has no place of its own, under the names under which it stood.
    fn extra(&self, notes: &mut Notes) -> Option<String> {
        let mut kept = Map::new();
        let part = |name: &str, fields: &[&str]| {
            let part = self.told.get(name).and_then(Value::as_object);
            let part = part.into_iter().flatten().filter(|(key, value)| {
                fields.contains(&key.as_str()) && !value.is_null() && *value != UNKNOWN
            });
            let part: Object = part.map(|(key, value)| (key.clone(), value.clone())).collect();
            (!part.is_empty()).then_some(Value::Object(part))
        };
        kept.extend(
            part("agent", &["version", "model_name", "extra"]).map(|v| ("agent".into(), v)),
        );
        let metrics = part("final_metrics", &["total_steps", "extra"]);
        kept.extend(metrics.map(|value| ("final_metrics".into(), value)));
        let mut extra = self.told.get("extra").cloned();
        if let Some(Value::Object(extra)) = &mut extra {
            extra.remove(OURS);
        }
        let is_worth_it = |value: &Value| value.as_object().is_none_or(|object| !object.is_empty());
        kept.extend(extra.filter(is_worth_it).map(|extra| ("extra".into(), extra)));
        for name in ["notes", "continued_trajectory_ref"] {
            kept.extend(self.told.get(name).map(|value| (name.to_owned(), value.clone())));
        }
        within_limit(kept, notes)
    }
}

/// As JSON; of too much, the least telling is left out first.
fn within_limit(mut kept: Object, notes: &mut Notes) -> Option<String> {
    for name in ["notes", "extra", "final_metrics", "agent", "continued_trajectory_ref", ""] {
        let text = serde_json::to_string(&kept).unwrap_or_default();
        if kept.is_empty() || text.chars().count() <= MAX_EXTRA_CHARS {
            return (!kept.is_empty()).then_some(text);
        }
        if kept.remove(name).is_some() {
            notes.problem(format!("field \"{name}\" is too long to be kept"));
        }
    }
    None
}

/// The steps of one call.
fn steps(
    step: &Object,
    made: &Object,
    result: Option<&Object>,
    span: Option<u64>,
) -> Vec<StepStated> {
    let tool = made.get("function_name").and_then(Value::as_str).unwrap_or_default();
    if tool.trim().is_empty() {
        return Vec::new();
    }
    let mut call: Call = call(tool, made.get("arguments").unwrap_or(&Value::Null));
    let ours = ours(step);
    let said = |name: &str| ours.and_then(|ours| ours.get(name));
    if let Some(kind) = said("kind").and_then(Value::as_str).and_then(StepKind::from_word) {
        call.kind = kind;
    }
    let is_ok = match said("result").and_then(Value::as_str) {
        Some("ok") => Some(true),
        Some("failed") => Some(false),
        Some(_) => None,
        None => result::is_ok(call.kind, step, made, result),
    };
    let content = result.and_then(|result| result.get("content")).and_then(result::text);
    let error = || step.get("error").and_then(result::text);
    let output = content.filter(|content| !content.trim().is_empty()).or_else(error);
    let duration_ms = said("duration_ms").and_then(silent).or(span);
    call.steps(Ended { is_ok, output, duration_ms })
}

/// What we said ourselves, when we wrote it.
fn ours(told: &Object) -> Option<&Object> {
    told.get("extra")?.get(OURS)?.as_object()
}

fn time(step: &Object, name: &str, notes: &mut Notes) -> Option<Timestamp> {
    let value = step.get(name).filter(|value| !value.is_null())?;
    let parsed = value.as_str().and_then(moment);
    if parsed.is_none() {
        notes.problem(format!("field \"{name}\" is not an RFC 3339 time"));
    }
    parsed
}

fn object<'o>(told: &'o Object, name: &str, notes: &mut Notes) -> Option<&'o Object> {
    let value = told.get(name).filter(|value| !value.is_null())?;
    if !value.is_object() {
        notes.problem(format!("field \"{name}\" is not an object"));
    }
    value.as_object()
}

fn list<'o>(told: &'o Object, name: &str, notes: &mut Notes) -> Option<&'o [Value]> {
    let value = told.get(name).filter(|value| !value.is_null())?;
    if !value.is_array() {
        notes.problem(format!("field \"{name}\" is not a list"));
    }
    value.as_array().map(Vec::as_slice)
}
