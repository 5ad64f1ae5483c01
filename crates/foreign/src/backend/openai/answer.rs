//! What is in an answer of chat completions, whole or streamed?

use std::collections::BTreeMap;

use hardwon_engine::model::{Completion, NoAnswer};
use serde_json::{Value, json};

use crate::backend::failure::unusable;
use crate::backend::object::first_object;
use crate::backend::took;

/// The object that the model answered with.
pub(super) fn completion(answer: &Value, tool: &str) -> Result<Completion, NoAnswer> {
    let took = took::of_chat(&answer["usage"]);
    let choice = &answer["choices"][0];
    let message = &choice["message"];
    match choice["finish_reason"].as_str() {
        Some("length") => {
            return Err(unusable("the answer was cut off at the limit of tokens", took));
        }
        Some("content_filter") => {
            return Err(unusable("the provider's filter held the answer back", took));
        }
        _ => {}
    }
    if message["refusal"].as_str().is_some_and(|text| !text.is_empty()) {
        return Err(unusable("the model refused to answer", took));
    }
    let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    if calls.iter().any(|call| call["function"]["name"] != tool) {
        return Err(unusable("the model wanted to use another tool", took));
    }
    let called = calls.first().and_then(|call| call["function"]["arguments"].as_str());
    let text = called.map_or_else(|| content(message), str::to_owned);
    if text.is_empty() {
        return Err(unusable("the answer is empty", took));
    }
    let whole = serde_json::from_str(&text).ok().filter(Value::is_object);
    let Some(value) = whole.or_else(|| first_object(&text)) else {
        return Err(unusable("no JSON object is in the answer", took));
    };
    let model = answer["model"].as_str().unwrap_or_default().to_owned();
    Ok(Completion { value, took, model })
}

/// The text of a message: one, or a list of parts.
fn content(message: &Value) -> String {
    let content = &message["content"];
    let parts = content.as_array().into_iter().flatten();
    let parts: String = parts.filter_map(|part| part["text"].as_str()).collect();
    content.as_str().map_or(parts, str::to_owned)
}

/// The answer that a stream told in pieces; `None` if it does not come to its end.
pub(super) fn assemble(events: &[Value]) -> Option<Value> {
    let (mut content, mut refusal) = (String::new(), String::new());
    let mut calls: BTreeMap<u64, (String, String)> = BTreeMap::new();
    let (mut model, mut usage, mut reason) = (&Value::Null, &Value::Null, None);
    for event in events {
        let choice = &event["choices"][0];
        let delta = &choice["delta"];
        content += delta["content"].as_str().unwrap_or_default();
        refusal += delta["refusal"].as_str().unwrap_or_default();
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let (name, told) = calls.entry(call["index"].as_u64().unwrap_or_default()).or_default();
            *name += call["function"]["name"].as_str().unwrap_or_default();
            *told += call["function"]["arguments"].as_str().unwrap_or_default();
        }
        reason = choice["finish_reason"].as_str().or(reason);
        model = if event["model"].is_string() { &event["model"] } else { model };
        usage = if event["usage"].is_object() { &event["usage"] } else { usage };
    }
    let call = |(name, told)| json!({"function": {"name": name, "arguments": told}});
    let calls: Vec<Value> = calls.into_values().map(call).collect();
    let message = json!({"content": content, "refusal": refusal, "tool_calls": calls});
    let choice = json!({"finish_reason": reason?, "message": message});
    Some(json!({"model": model, "usage": usage, "choices": [choice]}))
}
