//! How did a call of a trajectory end? Trajectories have no field for it: it is read off the
//! status of the step, what the writer put beside a result, and the output.

use hardwon_core::command::output::is_good_word;
use hardwon_core::episode::StepKind;
use serde_json::Value;

use crate::fields::Fields;
use crate::json::{Object, text_parts};
use crate::steps::{by_fields, by_output};

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
