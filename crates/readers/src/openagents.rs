//! What does a line of `.openagents/trajectories.jsonl` state? OpenAgents kept a trajectory
//! of each task in a form of its own, one a line.

use hardwon_core::episode::{Episode, ErrorClass, Usage};
use hardwon_core::event::{Event, RunStated, Source, Sourced};
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::amounts::{amount, count, silent};
use crate::json::{Fields, Object};
use crate::notes::Notes;
use crate::run_name::run_name;
use crate::steps::{Ended, Steps, by_output, call};

/// What has no place of its own.
const KEPT: [&str; 4] = ["model", "skillsUsed", "projectId", "tokens"];

/// Whether an object is such a trajectory.
pub fn is_trajectory(object: &Object) -> bool {
    let is_text = |name: &str| object.get(name).is_some_and(Value::is_string);
    ["id", "taskId", "outcome"].iter().all(|name| is_text(name))
        && object.get("actions").is_some_and(Value::is_array)
}

/// The run of a line and its steps.
pub fn events(object: &Object, notes: &mut Notes) -> Vec<Event> {
    let mut steps = Steps::default();
    let actions = Fields::new(object, notes).list("actions").unwrap_or_default();
    for action in actions {
        match action.as_object() {
            Some(action) => take(action, &mut steps),
            None => notes.problem("an action is not an object"),
        }
    }
    steps.left_out().into_iter().for_each(|reason| notes.problem(reason));
    let run = run(object, notes);
    let Source { input, line } = notes.source().clone();
    let mut told: Vec<Sourced> = Vec::new();
    steps.tell(&input, line, run, &mut told);
    told.into_iter().map(|sourced| sourced.event).collect()
}

/// Only calls do something; thoughts and outputs are words.
fn take(action: &Object, steps: &mut Steps) {
    let text = |name: &str| action.get(name).and_then(Value::as_str);
    let Some(tool) = text("tool").filter(|_| text("type") == Some("tool_call")) else { return };
    let call = call(tool, action.get("content").unwrap_or(&Value::Null));
    let output = text("result").map(str::to_owned);
    let told = action.get("success").and_then(Value::as_bool);
    let shown = || output.as_deref().and_then(|output| by_output(call.kind, output));
    let is_ok = told.or_else(shown);
    let duration_ms = action.get("durationMs").and_then(silent);
    for step in call.clone().steps(Ended { is_ok, output, duration_ms }) {
        steps.push(0, step);
    }
}

fn run(object: &Object, notes: &mut Notes) -> RunStated {
    let finished = time(object, notes);
    let duration = amount(object, "totalDurationMs", notes);
    let began = |end: Timestamp| Some(Timestamp(end.0.checked_sub(duration? as i64)?));
    let mut fields = Fields::new(object, notes);
    let outcome = fields.words("outcome").map(|word| word.to_ascii_lowercase());
    let is_timeout = outcome.as_deref() == Some("timeout");
    let outcome = match outcome.as_deref() {
        Some("success") => Some(Outcome::Success),
        Some("partial") => Some(Outcome::Partial),
        Some("failure" | "failed" | "timeout") => Some(Outcome::Failed),
        Some(_) => {
            fields.word("outcome", Outcome::ALL);
            None
        }
        None => None,
    };
    RunStated {
        id: fields.words("id").map(|id| run_name(&id)),
        kind: Some(RunKind::Session),
        task: fields.words("taskDescription").or_else(|| fields.words("taskId")),
        agent: Some("openagents".to_owned()),
        started: finished.and_then(began),
        finished,
        outcome,
        paths: fields.texts("filesModified").unwrap_or_default(),
        tags: fields.words("model").into_iter().collect(),
        episode: Episode {
            session: fields.words("taskId"),
            error_class: is_timeout.then(|| ErrorClass::Timeout.word().to_owned()),
            summary: fields.words("errorMessage"),
            usage: usage(object, duration, notes),
            extra: extra(object),
            ..Episode::default()
        },
        ..RunStated::default()
    }
}

fn usage(object: &Object, duration_ms: Option<f64>, notes: &mut Notes) -> Usage {
    let duration_s = duration_ms.map(|ms| ms / 1000.0);
    let Some(Value::Object(tokens)) = object.get("tokens") else {
        return Usage { duration_s, ..Usage::default() };
    };
    Usage {
        tokens_in: count(tokens, "input", notes),
        tokens_out: count(tokens, "output", notes),
        tokens_cached: count(tokens, "cached", notes),
        duration_s,
        ..Usage::default()
    }
}

fn time(object: &Object, notes: &mut Notes) -> Option<Timestamp> {
    let value = object.get("timestamp").filter(|value| !value.is_null())?;
    let parsed = match value {
        Value::Number(ms) => ms.as_i64().map(Timestamp),
        value => value.as_str().and_then(Timestamp::parse),
    };
    if parsed.is_none() {
        notes.problem("field \"timestamp\" is not a time");
    }
    parsed
}

fn extra(object: &Object) -> Option<String> {
    let kept =
        KEPT.iter().filter_map(|name| Some(((*name).to_owned(), object.get(*name)?.clone())));
    let kept: Object = kept.filter(|(_, value)| !value.is_null()).collect();
    let text = serde_json::to_string(&kept).ok()?;
    (!kept.is_empty() && text.chars().count() <= 2000).then_some(text)
}
