//! What does a line of Claude Code's transcript say? Sub-agents answer as the result of the
//! tool call that started them, which names their role.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Spoken, text_of};
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
