//! A session as the transcript that its host would keep of it.

use serde_json::{Value, json};

use super::cases::Deed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    Claude,
    Codex,
}

impl Host {
    pub fn name(self) -> &'static str {
        match self {
            Host::Claude => "claude",
            Host::Codex => "codex",
        }
    }
}

/// The transcript of a session with this name.
pub fn transcript(host: Host, deeds: &[Deed], name: &str) -> String {
    let session = format!("5e550000-0000-4000-8000-{:0>12}", name.replace('-', "0"));
    let lines: Vec<Value> = match host {
        Host::Claude => claude(deeds, &session),
        Host::Codex => codex(deeds, &session),
    };
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn at(n: usize) -> String {
    format!("2026-04-01T10:{:02}:{:02}.000Z", n / 60 % 60, n % 60)
}

fn claude(deeds: &[Deed], session: &str) -> Vec<Value> {
    let line = |n: usize, sort: &str, message: Value| {
        json!({
            "type": sort, "sessionId": session, "uuid": format!("u-{n}"), "parentUuid": null,
            "cwd": "/w", "timestamp": at(n), "message": message,
        })
    };
    let prompt = json!({"role": "user", "content": "Go on with the work on the cart"});
    let mut lines = vec![line(0, "user", prompt)];
    for (n, deed) in deeds.iter().enumerate() {
        let id = format!("toolu_{n}");
        let (tool, input) = if deed.is_edit {
            (
                "Edit",
                json!({"file_path": format!("/w/{}", deed.command),
                "old_string": "a", "new_string": "b"}),
            )
        } else {
            ("Bash", json!({"command": deed.command}))
        };
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let said = json!({"role": "assistant", "id": format!("m-{n}"), "content": [call]});
        lines.push(line(2 * n + 1, "assistant", said));
        let is_error = deed.fails && deed.is_told;
        let content = match is_error {
            true => format!("Exit code 1\n{}", deed.output),
            false => deed.output.clone(),
        };
        let result = json!({
            "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error,
        });
        lines.push(line(2 * n + 2, "user", json!({"role": "user", "content": [result]})));
    }
    lines
}

fn codex(deeds: &[Deed], session: &str) -> Vec<Value> {
    let line = |n: usize, sort: &str, payload: Value| json!({"timestamp": at(n), "type": sort, "payload": payload});
    let meta =
        json!({"id": session, "cwd": "/w", "originator": "codex_cli", "cli_version": "0.166.0"});
    let mut lines = vec![line(0, "session_meta", meta)];
    for (n, deed) in deeds.iter().enumerate() {
        let id = format!("call_{n}");
        let (name, arguments) = if deed.is_edit {
            let patch = format!(
                "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch",
                deed.command
            );
            ("apply_patch", json!({ "input": patch }).to_string())
        } else {
            ("exec_command", json!({"cmd": deed.command, "workdir": "/w"}).to_string())
        };
        let call =
            json!({"type": "function_call", "name": name, "arguments": arguments, "call_id": id});
        lines.push(line(2 * n + 1, "response_item", call));
        let status = i32::from(deed.fails && deed.is_told);
        let printed = format!(
            "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code {status}\nOutput:\n{}",
            deed.output
        );
        let result = json!({"type": "function_call_output", "call_id": id, "output": printed});
        lines.push(line(2 * n + 2, "response_item", result));
    }
    lines
}
