//! What does a line of `.openagents/trajectories.jsonl` state? OpenAgents kept a trajectory
//! of each task in a form of its own, one a line.

use hardwon_core::episode::{Episode, ErrorClass, Usage};
use hardwon_core::event::{Event, RunStated};
use hardwon_core::run::{Outcome, RunKind};
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::fields::{Fields, count};
use crate::json::Object;
use crate::report::run_name;
use crate::steps::{Ended, Steps, by_output, call};

/// What has no place of its own, and how long it may be.
const KEPT: [&str; 4] = ["model", "skillsUsed", "projectId", "tokens"];
const MAX_EXTRA_CHARS: usize = 2000;

pub fn is_trajectory(object: &Object) -> bool {
    let is_text = |name: &&str| object.get(*name).is_some_and(Value::is_string);
    ["id", "taskId", "outcome"].iter().all(is_text)
        && object.get("actions").is_some_and(Value::is_array)
}

pub fn events(line: Fields<'_>) -> Vec<Event> {
    let mut steps = Steps::default();
    for action in line.list("actions").unwrap_or_default() {
        if action.is_object() {
            take(action, &mut steps);
        } else {
            line.notes.problem("an action is not an object");
        }
    }
    steps.state(0, run(line), line.notes).map(|(_, event)| event).collect()
}

/// Only calls do something; thoughts and outputs are words.
fn take(action: &Value, steps: &mut Steps) {
    let tool = action["tool"].as_str().filter(|_| action["type"] == "tool_call");
    let Some(tool) = tool else { return };
    let call = call(tool, &action["content"]);
    let output = action["result"].as_str().map(str::to_owned);
    let shown = || output.as_deref().and_then(|output| by_output(call.kind, output));
    let is_ok = action["success"].as_bool().or_else(shown);
    let duration_ms = count(&action["durationMs"]);
    steps.push_call(0, call, Ended { is_ok, output, duration_ms });
}

fn run(line: Fields<'_>) -> RunStated {
    let finished = time(line);
    let duration_ms = line.amount("totalDurationMs");
    let began = |end: Timestamp| Some(Timestamp(end.0.checked_sub(duration_ms? as i64)?));
    let outcome = line.words("outcome").map(|word| word.to_ascii_lowercase());
    let is_timeout = outcome.as_deref() == Some("timeout");
    let outcome = match outcome.as_deref() {
        Some("success") => Some(Outcome::Success),
        Some("partial") => Some(Outcome::Partial),
        Some("failure" | "failed" | "timeout") => Some(Outcome::Failed),
        // Notes that it is not known.
        Some(_) => line.word::<Outcome>("outcome", Outcome::ALL).and(None),
        None => None,
    };
    let tokens = line.silent_object("tokens");
    let tokens = |name: &str| tokens.and_then(|tokens| tokens.count(name));
    RunStated {
        id: line.words("id").map(|id| run_name(&id)),
        kind: Some(RunKind::Session),
        task: line.words("taskDescription").or_else(|| line.words("taskId")),
        agent: Some("openagents".to_owned()),
        started: finished.and_then(began),
        finished,
        outcome,
        paths: line.texts("filesModified").unwrap_or_default(),
        tags: line.words("model").into_iter().collect(),
        episode: Episode {
            session: line.words("taskId"),
            error_class: is_timeout.then(|| ErrorClass::Timeout.word().to_owned()),
            summary: line.words("errorMessage"),
            usage: Usage {
                tokens_in: tokens("input"),
                tokens_out: tokens("output"),
                tokens_cached: tokens("cached"),
                cost_usd: None,
                duration_s: duration_ms.map(|ms| ms / 1000.0),
            },
            extra: extra(line),
            ..Episode::default()
        },
        ..RunStated::default()
    }
}

fn time(line: Fields<'_>) -> Option<Timestamp> {
    let value = line.value("timestamp")?;
    let parsed = value.as_i64().map(Timestamp);
    let parsed = parsed.or_else(|| value.as_str().and_then(Timestamp::parse));
    if parsed.is_none() {
        line.notes.problem("field \"timestamp\" is not a time");
    }
    parsed
}

fn extra(line: Fields<'_>) -> Option<String> {
    let kept = KEPT.iter().filter_map(|name| Some((*name, line.value(name)?)));
    let kept: Object = kept.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let text = serde_json::to_string(&kept).ok()?;
    (!kept.is_empty() && text.chars().count() <= MAX_EXTRA_CHARS).then_some(text)
}
