//! How did a call of a trajectory end? Trajectories tell no outcome themselves: it is read
//! off the status of the step, what the writer put beside a result, and the output.

use hardwon_core::command::output::is_good_word;
use hardwon_core::episode::StepKind;
use serde_json::Value;

use crate::json::Object;
use crate::steps::{by_output, told};

/// The text of a message or an output: a string, parts, or an object. Parts that are no
/// text (images since 1.6, sound since 1.8) are passed over.
pub fn text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().filter_map(part).collect();
            Some(texts.join("\n"))
        }
        Value::Object(fields) => Some(of_object(fields)),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

fn part(part: &Value) -> Option<String> {
    match part {
        Value::String(text) => Some(text.clone()),
        part => part.get("text")?.as_str().map(str::to_owned),
    }
}

fn of_object(fields: &Object) -> String {
    let names = ["output", "stdout", "stderr", "text", "content", "result", "error", "message"];
    let texts: Vec<&str> = names.iter().filter_map(|name| fields.get(*name)?.as_str()).collect();
    if texts.is_empty() {
        serde_json::to_string(fields).unwrap_or_default()
    } else {
        texts.join("\n")
    }
}

/// What a result says about how the call ended.
pub fn is_ok(
    kind: StepKind,
    step: &Object,
    call: &Object,
    result: Option<&Object>,
) -> Option<bool> {
    let beside = |fields: &Object| told(fields).or_else(|| told(fields.get("extra")?.as_object()?));
    let content = result.and_then(|result| result.get("content"));
    let in_content = || content.and_then(Value::as_object).and_then(told);
    let explicit = result.and_then(beside).or_else(in_content).or_else(|| beside(call));
    let explicit = explicit.or_else(|| told(step.get("extra")?.as_object()?));
    let status = step.get("status").and_then(Value::as_str).and_then(is_good_word);
    let has_error = step.get("error").is_some_and(|error| !error.is_null());
    let shown = || content.and_then(text).and_then(|output| by_output(kind, &output));
    match (explicit, status) {
        (Some(explicit), _) => Some(explicit),
        (None, Some(false)) => Some(false),
        _ if has_error => Some(false),
        // "Completed" means that there is a result, not that it is a good one.
        (None, Some(true)) if result.is_some() => shown(),
        (None, Some(true)) => Some(true),
        (None, None) => shown(),
    }
}
