//! The Chat Completions API, as many serve it. They differ in how an answer of a given shape is
//! asked for: first by its schema, then in words alone.

use hardwon_engine::model::{Completion, NoAnswer, Request};
use serde_json::{Value, json};

use super::http::{Form, HttpModel, Protocol, tool_name};
use super::object::first_object;
use super::took;

pub(super) const OPENAI: Protocol = Protocol {
    backend: "openai",
    path: "/chat/completions",
    key_header: ("authorization", "Bearer "),
    headers: &[],
    is_free_here: true,
    body,
    other_form,
    completion,
};

/// Where the newest form of a request is understood.
const OWN_HOST: &str = "api.openai.com";

const NEW_LIMIT: &str = "max_completion_tokens";

fn body(model: &HttpModel, request: &Request, form: Form) -> Value {
    let is_own = model.address.host() == OWN_HOST;
    let mut system = request.system.clone();
    // Some servers take the field and do nothing with it.
    if !is_own || !form.has_schema {
        system += "\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n";
        system += &request.shape.schema.to_string();
    }
    let messages = json!([
        {"role": "system", "content": system},
        {"role": "user", "content": request.text},
    ]);
    let mut body = json!({"model": model.model, "messages": messages, "stream": false});
    let limit = if is_own || form.has_new_limit { NEW_LIMIT } else { "max_tokens" };
    body[limit] = request.limits.tokens_out.into();
    if form.has_schema {
        let schema = json!({
            "name": tool_name(request),
            "description": request.shape.purpose,
            "schema": request.shape.schema,
            "strict": true,
        });
        body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
    }
    body
}

/// What is tried after a complaint; `None` if it is about something else.
fn other_form(form: Form, complaint: &str) -> Option<Form> {
    let complaint = complaint.to_ascii_lowercase();
    if !form.has_new_limit && complaint.contains(NEW_LIMIT) {
        return Some(Form { has_new_limit: true, ..form });
    }
    let signs = ["response_format", "json_schema", "structured output"];
    let is_meant = form.has_schema && signs.iter().any(|sign| complaint.contains(sign));
    is_meant.then_some(Form { has_schema: false, ..form })
}

/// The object that the model answered with.
fn completion(answer: &Value, _: &Request) -> Result<Completion, NoAnswer> {
    let took = took(&answer["usage"], &["prompt_tokens"], "completion_tokens");
    let unusable = |reason: &str| Err(NoAnswer::failed(reason, took));
    let choice = &answer["choices"][0];
    let message = &choice["message"];
    match choice["finish_reason"].as_str() {
        Some("length") => return unusable("the answer was cut off at the limit of tokens"),
        Some("content_filter") => return unusable("the provider's filter held the answer back"),
        _ => {}
    }
    if message["refusal"].as_str().is_some_and(|text| !text.is_empty()) {
        return unusable("the model refused to answer");
    }
    let text = content(&message["content"]);
    if text.is_empty() {
        return unusable("the answer is empty");
    }
    let Some(value) = first_object(&text) else {
        return unusable("no JSON object is in the answer");
    };
    let model = answer["model"].as_str().unwrap_or_default().to_owned();
    Ok(Completion { value, took, model })
}

/// The text of a message: one, or a list of parts.
fn content(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let parts: String = parts.filter_map(|part| part["text"].as_str()).collect();
    content.as_str().map_or(parts, str::to_owned)
}
