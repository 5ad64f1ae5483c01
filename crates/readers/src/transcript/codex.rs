//! What does a line of a Codex rollout say? Only response items are kept in every mode of
//! history; a review's output also stands in the event that ends it.

use hardwon_core::episode::Usage;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::work::{Came, Work};
use super::{Spoken, text_of};
use crate::amounts::{milliseconds, silent};
use crate::json::{self, Object};
use crate::steps::{by_output, told};

/// What is known of the session so far.
#[derive(Default)]
pub struct Session {
    pub id: Option<String>,
    pub folder: Option<String>,
    role: Option<String>,
}

impl Session {
    /// The message of a line, if it is one that somebody said last.
    pub fn take(&mut self, line: &Object) -> Option<Spoken> {
        let payload = line.get("payload")?;
        let text = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
        match line.get("type")?.as_str()? {
            "session_meta" => {
                self.id = self.id.take().or_else(|| text("id")).or_else(|| text("session_id"));
                self.folder = self.folder.take().or_else(|| text("cwd"));
                self.role = self.role.take().or_else(|| text("agent_role"));
                None
            }
            "response_item" if payload["type"] == "message" && payload["role"] == "assistant" => {
                let message = text_of(payload.get("content"))?;
                Some(Spoken { role: self.role.clone(), message, ..Spoken::default() })
            }
            "event_msg" if payload["type"] == "exited_review_mode" => {
                let message = payload.get("review_output").filter(|o| o.is_object())?.to_string();
                Some(Spoken { role: Some("reviewer".to_owned()), message, ..Spoken::default() })
            }
            _ => None,
        }
    }
}

/// Notes what a line did: calls and their results, what the user set right, what was used.
pub fn work(number: u64, line: &Object, at: Option<Timestamp>, work: &mut Work) {
    let Some(payload) = line.get("payload") else { return };
    let text = |name: &str| payload[name].as_str().unwrap_or_default();
    let id = text("call_id");
    match (line.get("type").and_then(Value::as_str), text("type")) {
        (Some("turn_context"), _) => work.model(None, payload["model"].as_str()),
        (Some("event_msg"), "token_count") => {
            work.used_in_all(used(&payload["info"]["total_token_usage"]));
        }
        (Some("event_msg"), "exec_command_end") => {
            let is_ok = payload.as_object().and_then(told);
            let span = &payload["duration"];
            let ms = silent(&span["secs"]).map(|secs| {
                let nanos = silent(&span["nanos"]).unwrap_or_default();
                secs.saturating_mul(1000).saturating_add(nanos / 1_000_000)
            });
            work.told(id, is_ok, ms);
        }
        (Some("response_item"), "function_call") => {
            work.call(number, at, None, id, text("name"), &payload["arguments"]);
        }
        (Some("response_item"), "custom_tool_call") => {
            work.call(number, at, None, id, text("name"), &payload["input"]);
        }
        (Some("response_item"), "local_shell_call") => {
            work.call(number, at, None, id, "local_shell", &payload["action"]);
        }
        (Some("response_item"), "function_call_output" | "custom_tool_call_output") => {
            answer(id, &payload["output"], at, work);
        }
        (Some("response_item"), "message") if payload["role"] == "user" => {
            let said = text_of(payload.get("content"));
            said.into_iter().for_each(|said| work.said(number, &said));
        }
        _ => {}
    }
}

/// A result is a text, parts, or JSON with the exit code beside the output.
fn answer(id: &str, output: &Value, at: Option<Timestamp>, work: &mut Work) {
    let Some(kind) = work.waits(id) else { return };
    let parsed = match output {
        Value::String(text) if text.trim_start().starts_with('{') => {
            json::parse(text, 32).ok().map(|parsed| Value::Object(parsed.object))
        }
        _ => None,
    };
    let output = parsed.as_ref().unwrap_or(output);
    let about = output.get("metadata").unwrap_or(output).as_object();
    let told = about.and_then(told).or_else(|| output.get("success")?.as_bool());
    let seconds = about.and_then(|about| about.get("duration_seconds")?.as_f64());
    let seconds = seconds.filter(|seconds| (0.0..9e9).contains(seconds));
    work.told(id, told, seconds.map(milliseconds));
    let said = ["output", "content"].iter().find_map(|name| text_of(output.get(*name)));
    let said = said.or_else(|| text_of(Some(output)));
    let shown = said.as_deref().and_then(|said| by_output(kind, said));
    work.result(id, Came { is_ok: told.or(shown), output: said, at });
}

fn used(total: &Value) -> Usage {
    let count = |name: &str| total.get(name).and_then(silent);
    Usage {
        tokens_in: count("input_tokens"),
        tokens_out: count("output_tokens"),
        tokens_cached: count("cached_input_tokens"),
        ..Usage::default()
    }
}
