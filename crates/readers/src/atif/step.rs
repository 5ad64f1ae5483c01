//! What does a step say besides its calls, and how did a call of it end? Trajectories have no field
//! for the end: it is read off the status of the step, what the writer put beside a result, and the
//! output. OpenAgents' orchestrator writes no calls: its steps are what happened to a task, named in
//! their `extra`.

use hardwon_core::command::output::is_good_word;
use hardwon_core::episode::StepKind;
use hardwon_core::run::Outcome;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::{Object, text_parts};
use crate::steps::{Call, Ended, by_fields, by_output, call};

pub enum Told {
    /// Checks that the orchestrator ran itself.
    Checks(Vec<(Call, Ended)>),
    Task(String),
    Commit(String),
    Ended {
        outcome: Option<Outcome>,
        summary: Option<String>,
    },
    Other,
}

/// The event that a step stands for, if it is one; its results are those of the step.
pub fn told(step: Fields<'_>, results: &[&Object]) -> Option<Told> {
    let extra = step.value("extra")?;
    let message = step.value("message").and_then(text);
    let told = match extra["event_type"].as_str()? {
        "verification_complete" => {
            Told::Checks(results.iter().filter_map(|result| check(result, extra)).collect())
        }
        "task_selected" => Told::Task(message?.trim_start_matches("Selected task: ").to_owned()),
        "commit_created" => Told::Commit(extra["sha"].as_str()?.to_owned()),
        "session_complete" => {
            let is_ok = extra["success"].as_bool();
            let outcome = is_ok.map(|is_ok| if is_ok { Outcome::Success } else { Outcome::Failed });
            Told::Ended { outcome, summary: message.filter(|_| is_ok == Some(false)) }
        }
        _ => Told::Other,
    };
    Some(told)
}

fn check(result: &Object, extra: &Value) -> Option<(Call, Ended)> {
    let content = result.get("content")?;
    let command = Value::String(content["command"].as_str()?.to_owned());
    let is_ok = content["passed"].as_bool().or_else(|| extra["passed"].as_bool());
    let output = content["output"].as_str().map(str::to_owned);
    Some((call("bash", &command), Ended { is_ok, output, duration_ms: None }))
}

/// The text of a message or an output: a string, parts, or an object. Parts that are no
/// text (images since 1.6, sound since 1.8) are passed over.
pub fn text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(text_parts(parts)),
        Value::Object(fields) => Some(text_of_object(fields)),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

fn text_of_object(fields: &Object) -> String {
    let names = ["output", "stdout", "stderr", "text", "content", "result", "error", "message"];
    let texts: Vec<&str> = names.iter().filter_map(|name| fields.get(*name)?.as_str()).collect();
    if texts.is_empty() {
        serde_json::to_string(fields).unwrap_or_default()
    } else {
        texts.join("\n")
    }
}

/// Whether the call worked, as far as anything shows it.
pub fn is_ok(
    kind: StepKind,
    step: Fields<'_>,
    call: &Object,
    result: Option<&Object>,
) -> Option<bool> {
    let in_extra = |fields: &Object| by_fields(fields.get("extra")?.as_object()?);
    let beside = |fields: &Object| by_fields(fields).or_else(|| in_extra(fields));
    let content = result.and_then(|result| result.get("content"));
    let in_content = || content.and_then(Value::as_object).and_then(by_fields);
    let explicit = result.and_then(beside).or_else(in_content).or_else(|| beside(call));
    let explicit = explicit.or_else(|| by_fields(step.value("extra")?.as_object()?));
    let status = step.silent("status").and_then(is_good_word);
    let shown = || content.and_then(text).and_then(|output| by_output(kind, &output));
    match (explicit, status) {
        (Some(explicit), _) => Some(explicit),
        (None, Some(false)) => Some(false),
        _ if step.has("error") => Some(false),
        // "Completed" means that there is a result, not that it is a good one.
        (None, Some(true)) if result.is_none() => Some(true),
        (None, _) => shown(),
    }
}
