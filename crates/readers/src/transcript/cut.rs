//! Did somebody cut a session short? The user stopped it, or the host could not go on; whatever the
//! agent says or does later takes that back.

use hardwon_core::ended::{CutBy, Ended};
use serde_json::Value;

use super::words::{first_line, text_of};

/// How Claude Code notes under the user's name that the user stopped it.
const INTERRUPTED: &str = "[Request interrupted by user";

/// The same of Codex.
const TURN_ABORTED: &str = "<turn_aborted>";

/// Who cut it short as far as it was read, and what the host said.
#[derive(Default)]
pub struct Cut {
    by: Option<CutBy>,
    said: Option<String>,
}

impl Cut {
    pub fn by_user(&mut self) {
        *self = Cut { by: Some(CutBy::User), said: None };
    }

    pub fn by_host(&mut self, said: Option<&str>) {
        *self = Cut { by: Some(CutBy::Host), said: said.and_then(first_line) };
    }

    pub fn goes_on(&mut self) {
        *self = Cut::default();
    }

    pub fn ended(&self) -> Option<Ended> {
        self.by.map(|by| Ended { cut_by: Some(by), ..Ended::default() })
    }

    /// What the host said when it could not go on.
    pub fn said(&self) -> Option<&str> {
        self.said.as_deref()
    }

    /// Takes a line of Claude Code's main agent. What the host writes under the agent's name
    /// is no work of it.
    pub fn claude(&mut self, line: &Value) {
        let message = &line["message"];
        let text = || text_of(&message["content"]);
        let is_hosts = message["model"].as_str().is_some_and(|model| model.starts_with('<'));
        match line["type"].as_str() {
            Some("assistant") if line["isApiErrorMessage"] == true => {
                self.by_host(text().as_deref())
            }
            Some("assistant") if !is_hosts => self.goes_on(),
            Some("system") if line["subtype"] == "api_error" => {
                self.by_host(line["error"]["message"].as_str());
            }
            Some("user") if text().is_some_and(|text| text.starts_with(INTERRUPTED)) => {
                self.by_user()
            }
            _ => {}
        }
    }

    /// Takes a line of a Codex rollout.
    pub fn codex(&mut self, line: &Value) {
        let payload = &line["payload"];
        let is_event = line["type"] == "event_msg";
        match payload["type"].as_str() {
            Some("turn_aborted") if is_event => match payload["reason"].as_str() {
                Some("interrupted") | None => self.by_user(),
                // The next turn took its place.
                Some("replaced" | "review_ended") => {}
                Some(reason) => self.by_host(Some(reason)),
            },
            Some("error" | "stream_error") if is_event => self.by_host(payload["message"].as_str()),
            Some("task_started" | "turn_started") if is_event => self.goes_on(),
            Some("message") if payload["role"] == "assistant" => self.goes_on(),
            Some("function_call" | "custom_tool_call" | "local_shell_call") => self.goes_on(),
            Some("message") if payload["role"] == "user" => {
                let text = text_of(&payload["content"]).unwrap_or_default();
                if text.trim_start().starts_with(TURN_ABORTED) {
                    self.by_user();
                }
            }
            _ => {}
        }
    }

    /// Takes a message of OpenCode's agent.
    pub fn opencode(&mut self, info: &Value) {
        let error = &info["error"];
        match error["name"].as_str() {
            Some("MessageAbortedError") => self.by_user(),
            Some(name) => self.by_host(error["data"]["message"].as_str().or(Some(name))),
            None => self.goes_on(),
        }
    }

    /// Takes a message of Gemini CLI.
    pub fn gemini(&mut self, kind: &str, text: Option<&str>) {
        match kind {
            "gemini" => self.goes_on(),
            "error" => self.by_host(text),
            "info" if text.is_some_and(|text| text.starts_with("Request cancelled")) => {
                self.by_user();
            }
            _ => {}
        }
    }
}
