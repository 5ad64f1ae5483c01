//! What does a line of a Codex rollout say? Only response items are kept in every mode of
//! history; a review's output also stands in the event that ends it.

use serde_json::Value;

use super::{Spoken, text_of};
use crate::json::Object;

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
