//! Who kept this session, and in which form? Decided by what its start says, never by a
//! file's name.

use serde_json::Value;

use super::codex;
use crate::report_head::Names;

/// Who keeps such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    Claude,
    Codex,
    Gemini,
    Qwen,
    Opencode,
    SweAgent,
    Openhands,
    Openagents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line.
    Lines,
    /// One JSON document, kept by this host.
    Document(Host),
    /// The text log of OpenAgents.
    Rlog,
}

impl Host {
    pub fn of_line(line: &Value) -> Option<Host> {
        let has = |name: &str| !line[name].is_null();
        if has("sessionId") && has("projectHash") {
            Some(Host::Gemini)
        } else if has("sessionId") && line["message"]["parts"].is_array() {
            Some(Host::Qwen)
        } else if has("sessionId") || has("session_id") && has("uuid") || is_stream_line(line) {
            Some(Host::Claude)
        } else if has("payload") && has("timestamp") && has("type")
            || codex::is_older_header(line)
            || line["type"] == "thread.started"
        {
            Some(Host::Codex)
        } else {
            None
        }
    }

    /// What ids of runs begin with: the names that hooks use.
    pub fn word(self) -> &'static str {
        match self {
            Host::Claude => "claude",
            Host::Codex => "codex",
            Host::Gemini => "gemini",
            Host::Qwen => "qwen",
            Host::Opencode => "opencode",
            Host::SweAgent => "swe-agent",
            Host::Openhands => "openhands",
            Host::Openagents => "openagents",
        }
    }

    pub fn agent(self) -> &'static str {
        match self {
            Host::Claude => "claude-code",
            Host::Gemini => "gemini-cli",
            Host::Qwen => "qwen-code",
            other => other.word(),
        }
    }
}

/// Lines of `--output-format stream-json` before they had an id of their own, and those that
/// OpenAgents put into its own envelope.
fn is_stream_line(line: &Value) -> bool {
    let is_type =
        ["system", "assistant", "user", "result"].iter().any(|word| line["type"] == *word);
    let message = &line["message"];
    let is_init = line["session_id"].is_string() && line["subtype"].is_string();
    let is_message = message["role"].is_string() && !message["content"].is_null();
    let is_wrapped = message["session_id"].is_string() && message["subtype"].is_string();
    is_type && (is_init || is_message || is_wrapped)
}

/// The form of the session that an input holds, if it holds one.
pub fn form(head: &[u8]) -> Option<Form> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if is_rlog(text) {
        return Some(Form::Rlog);
    }
    let document = document_host(head).map(Form::Document);
    document.or_else(|| (text.starts_with('{') && has_lines(text, head)).then_some(Form::Lines))
}

fn is_rlog(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    lines.next() == Some("---")
        && lines
            .take_while(|line| *line != "---")
            .take(40)
            .any(|line| line.starts_with("format: rlog/"))
}

fn has_lines(text: &str, head: &[u8]) -> bool {
    let has = |name: &str, begins: &str| {
        let is_it = |gap: &str| text.contains(&format!("\"{name}\":{gap}{begins}"));
        is_it("") || is_it(" ")
    };
    let is_claude = (has("sessionId", "\"") || has("session_id", "\"") && has("uuid", "\""))
        && (has("parentUuid", "") || has("message", "{"));
    let is_codex = has("type", "\"session_meta\"") && has("payload", "{")
        || has("type", "\"thread.started\"") && has("thread_id", "\"");
    let is_gemini = has("sessionId", "\"") && has("projectHash", "\"");
    is_claude || is_codex || is_gemini || is_stream(&has) || is_older_rollout(head)
}

fn is_stream(has: &impl Fn(&str, &str) -> bool) -> bool {
    let is_init = has("type", "\"system\"") && has("subtype", "\"init\"");
    let is_said = has("role", "\"assistant\"") || has("role", "\"user\"");
    let is_message = ["\"assistant\"", "\"user\""].iter().any(|word| has("type", word));
    is_init && has("session_id", "\"") || is_message && has("message", "{") && is_said
}

/// Rollouts that begin with a line of who and when, before every line had a payload.
fn is_older_rollout(head: &[u8]) -> bool {
    let names = Names::of(head);
    let known = ["id", "timestamp", "instructions", "git"];
    let has = |name: &str| names.has(1, name);
    has("id")
        && has("timestamp")
        && names.all_of(1, &known)
        && !has("type")
        && (has("instructions") || has("git") || names.is_whole)
}

/// Who keeps a session as one document that begins so.
fn document_host(head: &[u8]) -> Option<Host> {
    let names = Names::of(head);
    let top = |name: &str| names.has(1, name);
    let has = |depth: usize, any: &[&str]| names.has_any(depth, any);
    if names.is_list {
        let is_event = has(2, &["action", "observation"]) && has(2, &["timestamp", "cause", "id"]);
        let is_kind = names.begins(2, "kind", b"\"") && has(2, &["timestamp"]);
        return (has(2, &["source"]) && (is_event || is_kind)).then_some(Host::Openhands);
    }
    if top("sessionId") && top("projectHash") && top("messages") {
        Some(Host::Gemini)
    } else if top("info")
        && has(2, &["projectID", "directory"])
        && has(2, &["slug", "time", "title"])
    {
        Some(Host::Opencode)
    } else if top("session")
        && has(2, &["timestamp"])
        && (top("items") || has(2, &["instructions"]))
    {
        Some(Host::Codex)
    } else if top("session_id") && top("repo_sha") && (top("started_at") || top("steps")) {
        Some(Host::Openagents)
    } else if top("trajectory") && has(3, &["action", "observation", "response"])
        || top("info") && has(2, &["exit_status"]) && has(2, &["submission", "model_stats"])
    {
        Some(Host::SweAgent)
    } else {
        None
    }
}
