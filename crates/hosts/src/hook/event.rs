//! What does a host's event say, in our words? Strict from here on: whatever was not sent,
//! or not as a text, is simply not known.

use std::path::Path;

use crate::once::Key;
use hardwon_engine::Environment;
use hardwon_engine::command::output::{CallResult, End, ending, shows_failure};
use hardwon_engine::command::shell::from_parts;
use hardwon_engine::ids::RunId;
use hardwon_engine::voice::{Speaker, Voice};
use hardwon_engine::{places, session_run};
use serde_json::{Map, Value};

use super::dialect::{Kind, at};
use crate::host::{Host, HostEvent};

/// More of a prompt says nothing new about what is needed.
const MAX_PROMPT_CHARS: usize = 4_000;
const MAX_PATHS: usize = 10;

pub struct Event {
    pub host: &'static Host,
    pub row: Option<&'static HostEvent>,
    pub kind: Kind,
    pub session: Option<String>,
    pub agent_id: Option<String>,
    /// The part that the agent plays, without the plugin it comes from.
    pub role: Option<String>,
    pub prompt_id: Option<String>,
    pub tool_id: Option<String>,
    pub folder: Option<String>,
    pub prompt: Option<String>,
    pub tool: Option<String>,
    pub command: Option<String>,
    pub files: Vec<String>,
    pub error: Option<String>,
    pub last_message: Option<String>,
    pub transcript: Option<String>,
    pub source: Option<String>,
}

impl Event {
    pub fn read(host: &'static Host, object: &Map<String, Value>) -> Event {
        let fields = &host.dialect.fields;
        let text = |names: &[&str]| names.iter().find_map(|name| text_at(object, name));
        let row = text(fields.event).and_then(|name| host.event(&name));
        let response = fields.response.iter().find_map(|name| at(object, name));
        let error = text(fields.error);
        let (kind, error) = match row.map_or(Kind::Other, |row| row.kind) {
            Kind::ToolDone => {
                match response.and_then(|it| failure(it, host.dialect.has_bare_output)) {
                    Some(failure) => (Kind::ToolFailed, Some(failure)),
                    None => (Kind::Other, None),
                }
            }
            // A user who interrupts a tool knows why.
            Kind::ToolFailed if at(object, "is_interrupt") == Some(&Value::Bool(true)) => {
                (Kind::Other, None)
            }
            kind => (kind, error),
        };
        let role = text(fields.role);
        Event {
            host,
            row,
            kind,
            session: text(fields.session),
            agent_id: text(fields.agent_id),
            role: role.map(|role| role.rsplit(':').next().unwrap_or(&role).to_owned()),
            prompt_id: text(fields.prompt_id),
            tool_id: text(fields.tool_id),
            folder: text(fields.folder),
            prompt: text(fields.prompt).map(|p| p.chars().take(MAX_PROMPT_CHARS).collect()),
            tool: text(fields.tool),
            command: text(fields.command),
            files: fields.files.iter().filter_map(|name| text_at(object, name)).collect(),
            error,
            last_message: text(fields.last_message),
            transcript: text(fields.transcript),
            source: text(fields.source),
        }
    }

    /// The run that the event belongs to, and the one that contains it.
    pub fn runs(&self) -> (Option<RunId>, Option<RunId>) {
        let run = |agent: Option<&str>| {
            let name = session_run(self.host.name, self.session.as_deref()?, agent);
            RunId::parse(&name).ok()
        };
        match &self.agent_id {
            Some(agent) => (run(Some(agent)), run(None)),
            None => (run(None), None),
        }
    }

    pub fn paths(&self) -> Vec<String> {
        let texts = [&self.prompt, &self.command].into_iter().flatten();
        let named: Vec<&str> = texts.chain(&self.files).map(String::as_str).collect();
        places(&named.join(" "), self.folder.as_deref(), MAX_PATHS)
    }

    /// By what the same event is recognized when it comes again.
    pub fn key(&self, payload_digest: &str) -> Key {
        let own = match self.kind {
            Kind::Prompt => &self.prompt_id,
            Kind::AgentStart => &self.agent_id,
            Kind::ToolFailed => &self.tool_id,
            _ => &None,
        };
        let name = self.row.map_or("", |row| row.name);
        match (&self.session, own) {
            (Some(session), Some(id)) => Key::Named(format!("{session}\n{name}\n{id}")),
            (Some(session), None) => {
                let texts =
                    [&self.agent_id, &self.source, &self.prompt, &self.command, &self.error];
                let texts = texts.map(|text| text.as_deref().unwrap_or_default());
                Key::Moment(format!("{session}\n{name}\n{}", texts.join("\n")))
            }
            (None, _) => Key::Moment(payload_digest.to_owned()),
        }
    }

    /// The environment of the event: its folder, and the agent that calls.
    pub fn environment(&self, process: &Environment) -> Environment {
        let mut environment = process.clone();
        let folder = self.folder.as_ref().map(std::path::PathBuf::from);
        // One that was deleted still says whose session it was.
        let is_known = |folder: &Path| folder.is_dir() || process.folder.as_os_str().is_empty();
        if let Some(folder) = folder.filter(|folder| folder.is_absolute() && is_known(folder)) {
            environment.folder = folder;
        }
        if environment.speaker.voice != Voice::Agent {
            environment.speaker = Speaker::agent(self.host.agent);
        }
        environment
    }
}

/// A text that says something. A command may be a list of words.
fn text_at(object: &Map<String, Value>, name: &str) -> Option<String> {
    let text = match at(object, name)? {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            from_parts(&words)
        }
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// What went wrong by a tool's answer; nothing if nothing did.
fn failure(response: &Value, is_bare: bool) -> Option<String> {
    match response {
        Value::String(text) => {
            let is_json = text.trim_start().starts_with('{');
            let inner = is_json.then(|| serde_json::from_str::<Value>(text).ok()).flatten();
            match inner.filter(Value::is_object) {
                Some(object) => failure(&object, is_bare),
                None => shows_failure(text, is_bare).then(|| text.clone()),
            }
        }
        Value::Object(object) => {
            let codes = ["exit_code", "exitCode", "metadata.exit_code", "code"];
            let exit_status = codes.iter().find_map(|name| at(object, name)?.as_i64());
            let is = |name: &str, value: bool| object.get(name) == Some(&Value::Bool(value));
            let error = text_at(object, "error");
            let is_wrong = is("is_error", true) || is("isError", true) || is("success", false);
            // Without such a field it is not a failure, whatever the answer holds.
            let is_ok = Some(!(is_wrong || error.is_some()));
            let outputs = ["stderr", "output", "stdout", "content", "message"];
            let texts = outputs.iter().filter_map(|name| text_at(object, name));
            let text = error.into_iter().chain(texts).collect::<Vec<String>>().join("\n");
            let result = CallResult { exit_status, is_ok, output: &text, ..CallResult::default() };
            (ending(&result) == End::Failed).then_some(text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hosts::{named as host, speaking};

    fn event(value: Value) -> Event {
        Event::read(host("codex").unwrap(), value.as_object().unwrap())
    }

    /// What a host makes of a tool's answer.
    fn answered(name: &str, response: &Value) -> Event {
        let event = json!({"hook_event_name": "PostToolUse", "tool_response": response});
        Event::read(host(name).unwrap(), event.as_object().unwrap())
    }

    #[test]
    fn what_the_user_interrupted_is_not_a_failure() {
        let claude = |is_interrupt: bool| {
            let failed = json!({"hook_event_name": "PostToolUseFailure", "error": "no such file",
                "is_interrupt": is_interrupt});
            Event::read(host("claude").unwrap(), failed.as_object().unwrap()).kind
        };
        assert_eq!((claude(true), claude(false)), (Kind::Other, Kind::ToolFailed));
    }

    #[test]
    fn a_failed_tool_is_recognized_by_its_answer() {
        let failed = [
            json!({"exit_code": 2, "output": "no such file"}),
            json!({"metadata": {"exit_code": 101}, "output": "no such file"}),
            json!("Exit code: 1\nno such file"),
            json!("Process exited with code 127\nno such file"),
            json!("{\"output\":\"no such file\",\"metadata\":{\"exit_code\":1}}"),
            json!({"is_error": true, "content": "no such file"}),
            json!({"error": "no such file"}),
        ];
        for response in failed {
            let event = answered("codex", &response);
            assert_eq!(event.kind, Kind::ToolFailed, "{response}");
            assert!(event.error.unwrap().contains("no such file"), "{response}");
        }
        // Codex hands over what a command printed, and not how it ended.
        let bare = [
            "   Compiling demo\nerror[E0425]: cannot find value `x`\n",
            "sh: 1: foo: command not found",
            "Traceback (most recent call last):\n  File \"a.py\"\nValueError: no",
            "thread 'main' panicked at src/a.rs:1:1:\nno",
            "java.lang.IllegalStateException: closed",
        ];
        for output in bare.map(|output| json!(output)) {
            assert_eq!(answered("codex", &output).kind, Kind::ToolFailed, "{output}");
            let elsewhere = answered("claude", &output).kind;
            assert_eq!(elsewhere, Kind::Other, "it has an event for failures: {output}");
        }
        let good = [
            json!({"exit_code": 0}),
            json!("Exit code: 0\nerror: no such file"),
            json!("src/a.rs:7: fn error(&self)"),
            json!("error"),
            json!(7),
            json!("test result: ok. 3 passed; 0 failed"),
            json!("docs/errors.md: errors: 7"),
            json!("a: error"),
        ];
        for response in good {
            assert_eq!(answered("codex", &response).kind, Kind::Other, "{response}");
        }
    }

    #[test]
    fn the_event_shows_which_host_speaks() {
        let claude = host("claude").unwrap();
        let word = |value: Value| speaking(claude, value.as_object().unwrap());
        for codex in [
            json!({"hook_event_name": "Stop", "turn_id": "t"}),
            json!({"hook_event_name": "SessionStart", "transcript_path": null}),
            json!({"transcript_path": "/h/.codex/sessions/2026/04/03/rollout-2026.jsonl"}),
        ] {
            assert_eq!(word(codex.clone()).name, "codex", "{codex}");
        }
        let own = json!({"prompt_id": "p", "transcript_path": "/h/.claude/projects/a/s.jsonl"});
        assert_eq!(word(own).name, "claude");
    }

    #[test]
    fn a_field_of_another_type_is_not_known() {
        let event = event(json!({
            "hook_event_name": "SubagentStart", "session_id": 7, "agent_id": {"a": 1},
            "agent_type": "kit:code-reviewer", "cwd": null,
        }));
        assert_eq!(event.kind, Kind::AgentStart);
        assert_eq!(event.role.as_deref(), Some("code-reviewer"));
        assert_eq!(event.runs(), (None, None));
        assert_eq!(event.key("d"), Key::Moment("d".to_owned()));
    }

    #[test]
    fn sub_agents_are_runs_below_their_session() {
        let event = event(json!({
            "hook_event_name": "SubagentStop", "session_id": "s 1", "agent_id": "a7",
        }));
        let (run, parent) = event.runs();
        assert!(run.is_some() && parent.is_some() && run != parent, "{run:?} {parent:?}");
    }

    #[test]
    fn files_are_named_from_the_folder_on() {
        let event = event(json!({
            "hook_event_name": "UserPromptSubmit", "cwd": "/app",
            "prompt": "Look at @src/api.rs, and at `/app/src/db.rs:7`; see e.g. README.md.",
        }));
        assert_eq!(event.paths(), ["src/api.rs", "src/db.rs", "README.md"]);
    }
}
