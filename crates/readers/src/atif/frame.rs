//! What is known of one trajectory while it is walked? Its fields may come in any order,
//! so it is stated as a run when it is whole.

use std::collections::BTreeSet;

use hardwon_core::episode::{Episode, StepKind, Usage};
use hardwon_core::event::{RunStated, StepStated};
use hardwon_core::message::{Messages, message};
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::time::Timestamp;
use hardwon_core::wish::remembered;
use serde_json::Value;

use super::step::{Told, is_ok, text as text_of, told};
use crate::fields::{Fields, count, moment};
use crate::json::Object;
use crate::notes::Notes;
use crate::report::{Report, first_line, run_name};
use crate::review_text::without_blocks;
use crate::steps::{Ended, Steps, call, correction};

const STEP_METRICS: [&str; 4] = ["prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"];
const FINAL_METRICS: [&str; 4] =
    ["total_prompt_tokens", "total_completion_tokens", "total_cached_tokens", "total_cost_usd"];

/// Most characters of what has no place of its own, as the gate has it.
const MAX_EXTRA_CHARS: usize = 2000;

const MAX_NAMED: usize = 1000;

/// Where a trajectory that we write holds what the format has no field for, in its `extra`.
const OURS: &str = "hardwon";

/// What we write for an unknown name or version; the format wants a word.
const UNKNOWN: &str = "unknown";

#[derive(Default)]
pub struct Frame {
    pub line: u64,
    /// Every field but steps and trajectories within.
    pub fields: Object,
    pub children: Vec<Frame>,
    steps: Steps,
    /// What its events say about it as a whole.
    outcome: Option<Outcome>,
    summary: Option<String>,
    commit: Option<String>,
    n_steps: u64,
    n_user: u64,
    task: Option<String>,
    model: Option<String>,
    used: Usage,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// References to other trajectories, with their lines.
    named: Vec<(Object, u64)>,
}

impl Frame {
    pub fn new(line: u64) -> Self {
        Frame { line, ..Frame::default() }
    }

    pub fn text(&self, name: &str) -> Option<String> {
        text(&self.fields, name)
    }

    pub fn has_steps(&self) -> bool {
        self.n_steps > 0
    }

    fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.fields.contains_key(*name))
    }

    /// Whether it is one step of the streamed form.
    pub fn is_step(&self) -> bool {
        let is_trajectory = self.has_any(&["agent", "schema_version", "__header__"]);
        !self.has_steps() && self.has_any(&["source"]) && !is_trajectory
    }

    pub fn is_header(&self) -> bool {
        self.has_any(&["session_id", "trajectory_id", "agent", "schema_version"])
    }

    pub fn is_same_run(&self, other: &Frame) -> bool {
        let is_same = |name: &str| self.fields.get(name) == other.fields.get(name);
        is_same("session_id") && is_same("trajectory_id")
    }

    pub fn add_child(&mut self, child: Frame) {
        if self.children.len() < MAX_NAMED {
            self.children.push(child);
        }
    }

    /// Runs of trajectories that are named here and do not stand here, with their lines.
    pub fn named_elsewhere(&self, children: &[Frame]) -> Vec<(String, u64)> {
        let is_here = |id: &String| {
            let is_it = |name: &str, frame: &Frame| frame.text(name).as_ref() == Some(id);
            is_it("session_id", self)
                || children
                    .iter()
                    .any(|child| is_it("trajectory_id", child) || is_it("session_id", child))
        };
        let named = self.named.iter().filter_map(|(named, line)| {
            let id = text(named, "trajectory_id").or_else(|| text(named, "session_id"))?;
            let is_stated = is_here(&id) || id.trim().is_empty();
            (!is_stated).then(|| (run_name(&id), *line))
        });
        named.collect()
    }

    /// One step. What was copied from another trajectory, or replayed, was stated there.
    pub fn step(&mut self, step: &Object, line: u64, notes: &Notes) {
        self.n_steps += 1;
        let step = Fields::new(step, notes);
        let is_copied = step.value("is_copied_context").is_some_and(|value| *value == true);
        if is_copied || step.silent("status") == Some("replayed") {
            return;
        }
        let (at, until) = (step.moment("timestamp"), step.moment("completed_at"));
        self.first = self.first.or(at);
        self.last = until.or(at).max(self.last);
        self.used = self.used.plus(step.inside("metrics").usage(STEP_METRICS));
        let results = self.results(step, line);
        if let Some(told) = told(step, &results) {
            return self.event(told, line);
        }
        if step.silent("source") == Some("user") {
            self.user_step(step, line)
        } else {
            let span = at.zip(until).and_then(|(from, to)| u64::try_from(to.0 - from.0).ok());
            self.agent_step(step, line, span, &results)
        }
    }

    /// The first message of a user is the task; a later one may be a correction.
    fn user_step(&mut self, step: Fields<'_>, line: u64) {
        let Some(message) = step.value("message").and_then(text_of) else { return };
        self.n_user += 1;
        let ours = ours(step);
        if ours["kind"] == StepKind::Correction.word() {
            let tool = ours["tool"].as_str().unwrap_or("user").to_owned();
            self.steps.push(line, StepStated { tool, ..correction(&message) });
        } else if self.n_user == 1 {
            self.set_task(&without_blocks(&message));
        } else {
            remembered(&message).iter().for_each(|wish| self.steps.push(line, correction(wish)));
        }
    }

    /// The first line of what was wanted.
    fn set_task(&mut self, task: &str) {
        self.task = self.task.take().or_else(|| first_line(task));
    }

    fn event(&mut self, told: Told, line: u64) {
        match told {
            Told::Checks(checks) => {
                checks.into_iter().for_each(|(call, end)| self.steps.push_call(line, call, end));
            }
            Told::Task(task) => self.set_task(&task),
            Told::Commit(commit) => self.commit = Some(commit),
            Told::Ended { outcome, summary } => (self.outcome, self.summary) = (outcome, summary),
            Told::Other => {}
        }
    }

    fn agent_step(&mut self, step: Fields<'_>, line: u64, span: Option<u64>, results: &[&Object]) {
        let model = step.silent("model_name");
        self.model = self.model.take().or_else(|| model.map(str::to_owned));
        let Some(calls) = step.list("tool_calls") else { return };
        let calls: Vec<&Object> = calls.iter().filter_map(Value::as_object).collect();
        let is_one = calls.len() == 1;
        for call in calls {
            let id = call.get("tool_call_id").and_then(Value::as_str);
            let is_of_call =
                |result: &&&Object| match result.get("source_call_id").and_then(Value::as_str) {
                    Some(source) => Some(source) == id,
                    None => is_one && results.len() == 1,
                };
            let result = results.iter().find(is_of_call).copied();
            self.push_call(line, step, call, result, span.filter(|_| is_one));
        }
    }

    /// The results of a step; the trajectories that they name are noted.
    fn results<'a>(&mut self, step: Fields<'a>, line: u64) -> Vec<&'a Object> {
        // Some writers put the bare output there, which belongs to no call.
        let Some(observation) = step.silent_object("observation") else { return Vec::new() };
        let results = observation.list("results").unwrap_or_default();
        let results: Vec<&Object> = results.iter().filter_map(Value::as_object).collect();
        for result in &results {
            let named = match result.get("subagent_trajectory_ref") {
                Some(Value::Array(named)) => named.as_slice(),
                Some(one) => std::slice::from_ref(one),
                None => &[],
            };
            let n_free = MAX_NAMED.saturating_sub(self.named.len());
            let named = named.iter().filter_map(Value::as_object).take(n_free);
            self.named.extend(named.map(|named| (named.clone(), line)));
        }
        results
    }

    fn push_call(
        &mut self,
        line: u64,
        step: Fields<'_>,
        made: &Object,
        result: Option<&Object>,
        span: Option<u64>,
    ) {
        let tool = made.get("function_name").and_then(Value::as_str).unwrap_or_default();
        if tool.trim().is_empty() {
            return;
        }
        let mut call = call(tool, made.get("arguments").unwrap_or(&Value::Null));
        let ours = ours(step);
        call.kind = ours["kind"].as_str().and_then(StepKind::from_word).unwrap_or(call.kind);
        let is_ok = match ours["result"].as_str() {
            Some("ok") => Some(true),
            Some("failed") => Some(false),
            Some(_) => None,
            None => is_ok(call.kind, step, made, result),
        };
        let content = result.and_then(|result| text_of(result.get("content")?));
        let content = content.filter(|content| !content.trim().is_empty());
        let output = content.or_else(|| step.value("error").and_then(text_of));
        let duration_ms = count(&ours["duration_ms"]).or(span);
        self.steps.push_call(line, call, Ended { is_ok, output, duration_ms });
    }

    pub fn state(mut self, id: Option<String>, parent: Option<String>, report: &mut Report) {
        report.notes.go_to(self.line);
        let fields = Fields::new(&self.fields, &report.notes);
        let is_child = parent.is_some();
        let named =
            || fields.silent("parent_session_id").or_else(|| ours(fields)["parent"].as_str());
        let parent = parent.or_else(|| named().map(run_name));
        let run = RunStated { id, parent, ..self.run(is_child, fields) };
        let steps = std::mem::take(&mut self.steps);
        for (line, event) in steps.state(self.line, run, &report.notes) {
            report.push_at(line, event);
        }
    }

    fn run(&self, is_child: bool, fields: Fields<'_>) -> RunStated {
        let agent = fields.inside("agent");
        let model = agent.silent("model_name").map(str::to_owned).or_else(|| self.model.clone());
        let started = self.first.or_else(|| fields.silent("created_at").and_then(moment));
        let ours = ours(fields);
        let our = |name: &str| ours[name].as_str();
        let kind = if is_child { RunKind::Subagent } else { RunKind::Session };
        let is_failed = fields.silent("status") == Some("failed");
        let outcome = our("outcome").and_then(Outcome::from_word);
        RunStated {
            kind: Some(kind).filter(|_| is_child || self.is_header()),
            agent: agent.silent("name").filter(|name| *name != UNKNOWN).map(str::to_owned),
            task: self.task.clone(),
            started,
            finished: self.last.max(our("finished").and_then(moment)),
            outcome: outcome.or(is_failed.then_some(Outcome::Failed)).or(self.outcome),
            tags: model.into_iter().collect(),
            episode: Episode {
                session: self.text("session_id"),
                // It is named, and copied under its name.
                messages: Messages::of(self.text("session_id").map(|id| message(&[&id]))),
                error_class: our("error_class").map(str::to_owned),
                summary: our("summary").map(str::to_owned).or_else(|| self.summary.clone()),
                commit: self.commit.clone(),
                trajectories: self.records(),
                usage: self.usage(started, fields),
                extra: self.extra(fields.notes),
                ..Episode::default()
            },
            ..RunStated::default()
        }
    }

    /// The names of other records of this run.
    fn records(&self) -> BTreeSet<String> {
        let elsewhere = self.named.iter().filter_map(|(named, _)| text(named, "trajectory_path"));
        elsewhere.chain(self.text("continued_trajectory_ref")).collect()
    }

    /// What was used up, once: the writer's own sum beats ours.
    fn usage(&self, started: Option<Timestamp>, fields: Fields<'_>) -> Usage {
        let sum = fields.inside("final_metrics").usage(FINAL_METRICS);
        let span = self.last.zip(started).map(|(last, first)| (last.0 - first.0) as f64 / 1000.0);
        // In what we wrote ourselves, a duration that is left out was not known.
        let duration_s = match ours(fields) {
            Value::Null => span.filter(|seconds| *seconds > 0.0),
            ours => ours["duration_s"].as_f64(),
        };
        let duration_s = duration_s.filter(|seconds| (0.0..9e9).contains(seconds));
        Usage { duration_s, ..self.used.merged(sum) }
    }

    /// What has no place of its own, under the names under which it stood.
    fn extra(&self, notes: &Notes) -> Option<String> {
        let part = |name: &str, names: &[&str]| {
            let part = self.fields.get(name)?.as_object()?.iter().filter(|(key, value)| {
                names.contains(&key.as_str()) && !value.is_null() && **value != UNKNOWN
            });
            let part: Object = part.map(|(key, value)| (key.clone(), value.clone())).collect();
            (!part.is_empty()).then_some(Value::Object(part))
        };
        let mut extra = self.fields.get("extra").cloned();
        if let Some(Value::Object(extra)) = &mut extra {
            extra.remove(OURS);
        }
        let is_worth_it = |value: &Value| value.as_object().is_none_or(|object| !object.is_empty());
        let kept = [
            ("agent", part("agent", &["version", "model_name", "extra"])),
            ("final_metrics", part("final_metrics", &["total_steps", "extra"])),
            ("extra", extra.filter(is_worth_it)),
            ("notes", self.fields.get("notes").cloned()),
            ("continued_trajectory_ref", self.fields.get("continued_trajectory_ref").cloned()),
        ];
        let kept = kept.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        within_limit(kept.collect(), notes)
    }
}

/// As JSON; of too much, the least telling is left out first.
fn within_limit(mut kept: Object, notes: &Notes) -> Option<String> {
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

fn text(object: &Object, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_owned)
}

/// What we wrote into `extra` ourselves; null if we did not.
fn ours<'a>(fields: Fields<'a>) -> &'a Value {
    let ours = fields.value("extra").and_then(|extra| extra.get(OURS));
    ours.filter(|ours| ours.is_object()).unwrap_or(&Value::Null)
}
