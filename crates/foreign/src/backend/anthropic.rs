//! Anthropic's Messages API: the answer comes as the input of a tool that the model must use.

use std::collections::BTreeMap;

use hardwon_engine::model::{Completion, Model, NoAnswer, Request};
use serde_json::{Value, json};
use ureq::http::HeaderValue;

use super::failure::{lost, unusable};
use super::http::{Endpoint, Heard, Patience, Question, tool_name};
use super::{stream, took};

const PATH: &str = "/v1/messages";

const VERSION: &str = "2023-06-01";

pub(super) struct Anthropic {
    endpoint: Endpoint,
    model: String,
}

impl Anthropic {
    pub(super) fn new(endpoint: Endpoint, model: String) -> Self {
        Anthropic { endpoint, model }
    }
}

impl Model for Anthropic {
    fn backend(&self) -> &str {
        "anthropic"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_free(&self) -> bool {
        false
    }

    fn complete(&self, request: &Request) -> Result<Completion, NoAnswer> {
        let mut headers = vec![("anthropic-version", HeaderValue::from_static(VERSION))];
        headers.extend(self.endpoint.key_header("").map(|key| ("x-api-key", key)));
        let body = body(&self.model, request);
        let question = Question { path: PATH, headers, body, sent: &request.messages };
        let mut patience = Patience::new(request.limits.time);
        let (text, is_stream) = match self.endpoint.ask(&question, &mut patience)? {
            Heard::Answer { text, is_stream } => (text, is_stream),
            Heard::Refusal { status, text } => {
                let refused = self.endpoint.refused(status, &text, &request.messages);
                return Err(patience.settle(refused));
            }
        };
        let answer = if is_stream {
            let events = stream::events(&text);
            if let Some(error) = stream::error(&events) {
                let quote = self.endpoint.quote(&error.to_string(), &request.messages);
                return Err(lost(format!("the answer broke off: {quote}")));
            }
            assemble(&events).ok_or_else(|| lost("the answer broke off"))?
        } else {
            serde_json::from_str(&text).map_err(|_| unusable("the answer is no JSON", None))?
        };
        completion(&answer, &tool_name(request))
    }
}

fn body(model: &str, request: &Request) -> Value {
    let name = tool_name(request);
    let role = |is_models: bool| if is_models { "assistant" } else { "user" };
    let messages = request.messages.iter();
    let messages: Vec<Value> = messages
        .map(|message| json!({"role": role(message.is_models), "content": message.text}))
        .collect();
    json!({
        "model": model,
        "max_tokens": request.limits.tokens_out,
        "system": request.system,
        "messages": messages,
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
fn completion(answer: &Value, tool: &str) -> Result<Completion, NoAnswer> {
    let took = took::of_messages(&answer["usage"]);
    match answer["stop_reason"].as_str() {
        Some("tool_use" | "end_turn" | "stop_sequence") => {}
        Some("max_tokens" | "model_context_window_exceeded") => {
            return Err(unusable("the answer was cut off at the limit of tokens", took));
        }
        Some("refusal") => return Err(unusable("the model refused to answer", took)),
        _ => return Err(unusable("the answer is not finished", took)),
    }
    let blocks = answer["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let calls: Vec<&Value> = blocks.iter().filter(|it| it["type"] == "tool_use").collect();
    if calls.iter().any(|call| call["name"] != tool) {
        return Err(unusable("the model wanted to use another tool", took));
    }
    let Some(call) = calls.first() else {
        return Err(unusable("the model answered without the tool", took));
    };
    if !call["input"].is_object() {
        return Err(unusable("the answer is no JSON object", took));
    }
    let model = answer["model"].as_str().unwrap_or_default().to_owned();
    Ok(Completion { value: call["input"].clone(), took, model })
}

/// The answer that a stream told in pieces; `None` if it does not come to its end.
fn assemble(events: &[Value]) -> Option<Value> {
    let mut answer = Value::Null;
    let mut blocks: BTreeMap<u64, (Value, String)> = BTreeMap::new();
    for event in events {
        let index = event["index"].as_u64().unwrap_or_default();
        match event["type"].as_str() {
            Some("message_start") => answer = event["message"].clone(),
            Some("content_block_start") => {
                blocks.insert(index, (event["content_block"].clone(), String::new()));
            }
            Some("content_block_delta") => {
                let piece = event["delta"]["partial_json"].as_str();
                if let (Some(piece), Some((_, told))) = (piece, blocks.get_mut(&index)) {
                    told.push_str(piece);
                }
            }
            Some("message_delta") if answer.is_object() => {
                answer["stop_reason"] = event["delta"]["stop_reason"].clone();
                if !answer["usage"].is_object() {
                    answer["usage"] = json!({});
                }
                let usage = event["usage"].as_object().into_iter().flatten();
                let counted = usage.filter(|(_, count)| count.is_u64());
                counted.for_each(|(name, count)| answer["usage"][name] = count.clone());
            }
            _ => {}
        }
    }
    answer["stop_reason"].as_str()?;
    let whole = |(mut block, told): (Value, String)| {
        if block["type"] == "tool_use" && !told.is_empty() {
            block["input"] = serde_json::from_str(&told).unwrap_or_default();
        }
        block
    };
    answer["content"] = blocks.into_values().map(whole).collect();
    Some(answer)
}
