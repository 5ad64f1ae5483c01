//! Did somebody cut a session short? The user stopped it, or the host could not go on; whatever the
//! agent says or does later takes that back. And which calls did the user reject, as hosts tell it?

use hardwon_core::ended::{CutBy, Ended};
use serde_json::Value;

use crate::json::text_of;
use crate::report::first_line;

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

    pub fn opencode(&mut self, info: &Value) {
        let error = &info["error"];
        match error["name"].as_str() {
            Some("MessageAbortedError") => self.by_user(),
            Some(name) => self.by_host(error["data"]["message"].as_str().or(Some(name))),
            None => self.goes_on(),
        }
    }

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

/// How Claude Code begins the result of a call that was rejected, and what stands before the
/// words that were said with it.
const REFUSED: [&str; 2] = [
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action",
];
const SAID: &str = "the user said:";

/// What Codex answers to a call that was not approved, and nothing else with it.
const DENIED: [&str; 4] = [
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "command rejected by user",
];

/// The words of a user who refused a call, in the words with which Claude Code passes it on:
/// `Some(None)` if nothing was said.
pub fn refused(result: &str) -> Option<Option<&str>> {
    let is_refusal = REFUSED.iter().any(|begin| result.starts_with(begin));
    let said = || result.split_once(SAID).map(|(_, said)| said.trim());
    is_refusal.then(|| said().filter(|said| !said.is_empty()))
}

pub fn is_denied(result: &str) -> bool {
    DENIED.contains(&result.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_call_may_say_why() {
        let refusal = |said| format!("{} To tell you how to proceed, {SAID}\n{said}", REFUSED[0]);
        assert_eq!(refused(&refusal("use the api")), Some(Some("use the api")));
        assert_eq!(refused(REFUSED[0]), Some(None));
        assert_eq!(refused(&refusal("")), Some(None));
        assert_eq!(refused("Error: x"), None);
        assert_eq!(refused(&format!("cat notes.txt\n{}", REFUSED[0])), None);
        assert!(is_denied("exec command rejected by user\n"));
        assert!(!is_denied("Exit code: 0\nexec command rejected by user"));
    }
}
