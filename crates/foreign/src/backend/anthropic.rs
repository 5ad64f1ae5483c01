//! Anthropic's Messages API: the answer comes as the input of a tool that the model must use.

use hardwon_engine::model::{Completion, NoAnswer, Request};
use serde_json::{Value, json};

use super::http::{Form, HttpModel, Protocol, tool_name};
use super::took_by_messages;

pub(super) const ANTHROPIC: Protocol = Protocol {
    backend: "anthropic",
    path: "/v1/messages",
    key_header: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    is_free_here: false,
    body,
    other_form: |_, _| None,
    completion,
};

fn body(model: &HttpModel, request: &Request, _: Form) -> Value {
    let name = tool_name(request);
    json!({
        "model": model.model,
        "max_tokens": request.limits.tokens_out,
        "system": request.system,
        "messages": [{"role": "user", "content": request.text}],
        "tools": [{
            "name": name,
            "description": request.shape.purpose,
            "input_schema": request.shape.schema,
        }],
        "tool_choice": {"type": "tool", "name": name, "disable_parallel_tool_use": true},
        "stream": false,
    })
}

/// What the tool was called with.
fn completion(answer: &Value, request: &Request) -> Result<Completion, NoAnswer> {
    let took = took_by_messages(&answer["usage"]);
    let unusable = |reason: &str| Err(NoAnswer::failed(reason, took));
    match answer["stop_reason"].as_str() {
        Some("tool_use" | "end_turn" | "stop_sequence") => {}
        Some("max_tokens" | "model_context_window_exceeded") => {
            return unusable("the answer was cut off at the limit of tokens");
        }
        Some("refusal") => return unusable("the model refused to answer"),
        _ => return unusable("the answer is not finished"),
    }
    let blocks = answer["content"].as_array().into_iter().flatten();
    let calls: Vec<&Value> = blocks.filter(|block| block["type"] == "tool_use").collect();
    let name = tool_name(request);
    if calls.iter().any(|call| call["name"] != name.as_str()) {
        return unusable("the model wanted to use another tool");
    }
    let Some(call) = calls.first() else {
        return unusable("the model answered without the tool");
    };
    if !call["input"].is_object() {
        return unusable("the answer is no JSON object");
    }
    let model = answer["model"].as_str().unwrap_or_default().to_owned();
    Ok(Completion { value: call["input"].clone(), took, model })
}
