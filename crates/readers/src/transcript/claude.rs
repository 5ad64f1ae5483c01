//! What does a line of Claude Code's transcript say? Sub-agents answer as the result of the
//! tool call that started them, which names their role.

use std::collections::BTreeMap;

use hardwon_core::command::output::{CallResult, ending};
use hardwon_core::episode::Usage;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::work::{Came, Work};
use super::{Spoken, text_of};
use crate::amounts::silent;
use crate::correct::refused;
use crate::json::Object;

/// Most sub-agent calls that wait for their answer.
const MAX_CALLS: usize = 1000;

/// What is known of the session so far.
#[derive(Default)]
pub struct Session {
    pub id: Option<String>,
    pub folder: Option<String>,
    /// Roles by the id of the call that started them.
    calls: BTreeMap<String, String>,
}

impl Session {
    /// The message of a line, if it is one that somebody said last.
    pub fn take(&mut self, line: &Object) -> Option<Spoken> {
        let text = |name: &str| line.get(name).and_then(Value::as_str).map(str::to_owned);
        self.id = self.id.take().or_else(|| text("sessionId")).or_else(|| text("session_id"));
        self.folder = self.folder.take().or_else(|| text("cwd"));
        // What the host put under the user's name was said by nobody.
        let is = |name: &str| line.get(name).and_then(Value::as_bool) == Some(true);
        if is("isMeta") {
            return None;
        }
        let content = line.get("message")?.get("content");
        match line.get("type")?.as_str()? {
            "assistant" if is("isSidechain") => None,
            "assistant" => {
                self.remember_calls(content?);
                let message = text_of(content)?;
                Some(Spoken { message, ..Spoken::default() })
            }
            "user" => self.answered(line, content?.as_array()?),
            _ => None,
        }
    }

    fn remember_calls(&mut self, content: &Value) {
        let calls = content.as_array().into_iter().flatten();
        for call in calls.filter(|part| part["type"] == "tool_use") {
            let role = call["input"]["subagent_type"].as_str();
            if let (Some(id), Some(role)) = (call["id"].as_str(), role)
                && self.calls.len() < MAX_CALLS
            {
                let role = role.rsplit(':').next().unwrap_or(role);
                self.calls.insert(id.to_owned(), role.to_owned());
            }
        }
    }

    fn answered(&mut self, line: &Object, parts: &[Value]) -> Option<Spoken> {
        parts.iter().find_map(|part| {
            let role = self.calls.remove(part["tool_use_id"].as_str()?)?;
            let result = line.get("toolUseResult").or_else(|| line.get("tool_use_result"));
            let agent = result.and_then(|result| result.get("agentId")?.as_str());
            let message = text_of(part.get("content"))?;
            Some(Spoken { agent: agent.map(str::to_owned), role: Some(role), message })
        })
    }
}

/// Notes what a line did: calls and their results, what the user set right, what was used.
pub fn work(number: u64, line: &Object, at: Option<Timestamp>, work: &mut Work) {
    let is = |name: &str| line.get(name).and_then(Value::as_bool) == Some(true);
    let who = line.get("agentId").and_then(Value::as_str).map(str::to_owned);
    // What a sub-agent did is told only where it is known which one it was.
    let Some(who) = (if is("isSidechain") { who.map(Some) } else { Some(None) }) else { return };
    let is_hosts = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"];
    let Some(message) = line.get("message").filter(|_| !is_hosts.iter().any(|name| is(name)))
    else {
        return;
    };
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    match line.get("type").and_then(Value::as_str) {
        Some("assistant") => {
            work.model(who.clone(), message["model"].as_str());
            if let (Some(id), Some(usage)) = (message["id"].as_str(), message.get("usage")) {
                work.used(who.clone(), id, used(usage));
            }
            for call in parts.filter(|part| part["type"] == "tool_use") {
                let id = call["id"].as_str().unwrap_or_default();
                let name = call["name"].as_str().unwrap_or_default();
                work.call(number, at, who.clone(), id, name, &call["input"]);
            }
        }
        Some("user") => {
            let mut is_answer = false;
            for part in parts.filter(|part| part["type"] == "tool_result") {
                is_answer = true;
                answer(number, line, part, at, work);
            }
            let said = text_of(message.get("content")).filter(|_| !is_answer && who.is_none());
            said.into_iter().for_each(|said| work.said(number, &said));
        }
        _ => {}
    }
}

fn answer(number: u64, line: &Object, part: &Value, at: Option<Timestamp>, work: &mut Work) {
    let Some(id) = part["tool_use_id"].as_str() else { return };
    let output = text_of(part.get("content"));
    let refusal = output.as_deref().and_then(refused);
    if work.waits(id).is_some()
        && let Some(Some(said)) = &refusal
    {
        work.corrected(number, said);
    }
    let is_stopped = line.get("toolUseResult").is_some_and(|result| result["interrupted"] == true);
    let ended = ending(&CallResult {
        is_ok: Some(part["is_error"] != true),
        is_interrupted: is_stopped || refusal.is_some(),
        output: output.as_deref().unwrap_or_default(),
        ..CallResult::default()
    });
    work.result(id, Came { is_ok: ended.end.is_ok(), output, at });
}

/// The tokens of a message; what was read from a cache was read, too.
fn used(usage: &Value) -> Usage {
    let count = |name: &str| usage.get(name).and_then(silent);
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let read = read.iter().filter_map(|name| count(name)).reduce(u64::saturating_add);
    Usage {
        tokens_in: read,
        tokens_out: count("output_tokens"),
        tokens_cached: count("cache_read_input_tokens"),
        ..Usage::default()
    }
}
