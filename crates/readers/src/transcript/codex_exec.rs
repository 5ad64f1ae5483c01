//! What does a line of `codex exec --json` say? A command, with what it printed and its exit
//! code, is one item that ends.

use serde_json::Value;

use super::codex::TOKENS;
use super::session::{Session, Spoken, learn, tokens};
use crate::steps::by_fields;

/// Whether such a line has a type that rollouts do not have.
pub fn is_line(line: &Value) -> bool {
    let starts = ["thread.", "turn.", "item."];
    let word = line["type"].as_str();
    word.is_some_and(|word| word == "error" || starts.iter().any(|start| word.starts_with(start)))
        && line["payload"].is_null()
}

pub fn take(line: &Value, session: &mut Session) -> Option<Spoken> {
    match line["type"].as_str()? {
        "thread.started" => learn(&mut session.id, &line["thread_id"]),
        "item.completed" => return item(&line["item"], session),
        "turn.completed" => {
            let id = format!("turn {}", session.line);
            session.used(None, &id, tokens(&line["usage"], TOKENS));
        }
        "turn.failed" => {
            session.cut.by_host(None);
            session.failed(line["error"]["message"].as_str(), false);
        }
        _ => {}
    }
    None
}

fn item(item: &Value, session: &mut Session) -> Option<Spoken> {
    let id = item["id"].as_str().unwrap_or_default();
    let is_ok = || item.as_object().and_then(by_fields);
    let mut ended = |tool: &str, arguments: &Value, output: Option<String>| {
        session.call(id, tool, arguments);
        session.answer(id, is_ok(), output);
    };
    match item["type"].as_str()? {
        "command_execution" => {
            let output = item["aggregated_output"].as_str().map(str::to_owned);
            let command = unwrapped(item["command"].as_str()?);
            ended("exec_command", &serde_json::json!({ "command": command }), output);
        }
        "mcp_tool_call" => {
            let output = item["error"]["message"].as_str().map(str::to_owned);
            ended(item["tool"].as_str()?, &item["arguments"], output);
        }
        "file_change" => {
            for change in item["changes"].as_array()? {
                ended("apply_patch", change, None);
            }
        }
        "agent_message" => return Spoken::main(item["text"].as_str()?),
        _ => {}
    }
    None
}

/// The command that a shell was started for: `/bin/bash -lc 'make test'`.
fn unwrapped(command: &str) -> String {
    let shells = ["/bin/bash -lc ", "/bin/sh -lc ", "/bin/zsh -lc ", "bash -lc ", "sh -lc "];
    let Some(rest) = shells.iter().find_map(|shell| command.strip_prefix(shell)) else {
        return command.to_owned();
    };
    let quoted = rest.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    match quoted {
        // A quote within is written as the end of one string and the start of the next.
        Some(inner) => inner.replace("'\\''", "'"),
        None => rest.to_owned(),
    }
}
