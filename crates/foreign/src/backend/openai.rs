//! The Chat Completions API, as many serve it. They differ in how an answer of a given shape is
//! asked for: first by its schema, then as any JSON object, then in words alone.

mod answer;
mod manner;

use std::cell::Cell;

use hardwon_engine::model::{Completion, Model, NoAnswer, Request};
use serde_json::{Value, json};

use super::failure::{lost, unusable};
use super::http::{Endpoint, Heard, Patience, Question, tool_name};
use super::stream;
use answer::{assemble, completion};
use manner::{Form, Manner};

const PATH: &str = "/chat/completions";

pub(super) struct OpenAi {
    endpoint: Endpoint,
    model: String,
    /// Learned from what the server said.
    manner: Cell<Manner>,
}

impl OpenAi {
    pub(super) fn new(endpoint: Endpoint, model: String) -> Self {
        let manner = Cell::new(Manner::first(endpoint.address.host()));
        OpenAi { endpoint, model, manner }
    }

    fn ask(&self, request: &Request) -> Result<(String, bool), NoAnswer> {
        let mut patience = Patience::new(request.limits.time);
        loop {
            let key = self.endpoint.key_header("Bearer ");
            let question = Question {
                path: PATH,
                headers: key.map(|key| ("authorization", key)).into_iter().collect(),
                body: body(&self.model, request, self.manner.get()),
                sent: &request.messages,
            };
            let (status, text) = match self.endpoint.ask(&question, &mut patience)? {
                Heard::Answer { text, is_stream } => return Ok((text, is_stream)),
                Heard::Refusal { status, text } => (status, text),
            };
            let is_form = matches!(status, 400 | 422);
            match self.manner.get().after(&text).filter(|_| is_form) {
                Some(manner) => self.manner.set(manner),
                None => {
                    let refused = self.endpoint.refused(status, &text, &request.messages);
                    return Err(patience.settle(refused));
                }
            }
        }
    }
}

impl Model for OpenAi {
    fn backend(&self) -> &str {
        "openai"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_free(&self) -> bool {
        self.endpoint.address.is_loopback()
    }

    fn complete(&self, request: &Request) -> Result<Completion, NoAnswer> {
        let (text, is_stream) = self.ask(request)?;
        let broken = |error: &Value| {
            let quote = self.endpoint.quote(&error.to_string(), &request.messages);
            lost(format!("the answer broke off: {quote}"))
        };
        let answer = if is_stream {
            let events = stream::events(&text);
            if let Some(error) = stream::error(&events) {
                return Err(broken(error));
            }
            assemble(&events).ok_or_else(|| lost("the answer broke off"))?
        } else {
            serde_json::from_str(&text).map_err(|_| unusable("the answer is no JSON", None))?
        };
        // Some routers say with 200 that whom they asked has failed.
        if answer["choices"].is_null() && !answer["error"].is_null() {
            return Err(broken(&answer["error"]));
        }
        completion(&answer, &tool_name(request))
    }
}

fn body(model: &str, request: &Request, manner: Manner) -> Value {
    let mut system = request.system.clone();
    if manner.has_words {
        system += "\n\nAnswer with one JSON object and nothing else. Its JSON schema:\n";
        system += &request.shape.schema.to_string();
    }
    let role = |is_models: bool| if is_models { "assistant" } else { "user" };
    let said = request.messages.iter();
    let said = said.map(|it| json!({"role": role(it.is_models), "content": it.text}));
    let first = json!({"role": "system", "content": system});
    let messages: Vec<Value> = std::iter::once(first).chain(said).collect();
    let mut body = json!({"model": model, "messages": messages, "stream": false});
    body[manner.limit.name()] = request.limits.tokens_out.into();
    match manner.form {
        Form::Schema => {
            let schema = json!({
                "name": tool_name(request),
                "description": request.shape.purpose,
                "schema": request.shape.schema,
                "strict": true,
            });
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        Form::Object => body["response_format"] = json!({"type": "json_object"}),
        Form::Words => {}
    }
    body
}
