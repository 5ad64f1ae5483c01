//! What does a line of `codex exec --json` say? A command, with what it printed and its exit
//! code, is one item that ends.

use hardwon_core::episode::Usage;
use hardwon_core::run::Outcome;
use serde_json::Value;

use super::session::{Kept, Spoken};
use super::words::first_line;
use super::work::Answer;
use crate::fields::count;
use crate::steps::by_fields;

/// Whether such a line has a type that rollouts do not have.
pub fn is_line(line: &Value) -> bool {
    let starts = ["thread.", "turn.", "item."];
    let word = line["type"].as_str();
    word.is_some_and(|word| word == "error" || starts.iter().any(|start| word.starts_with(start)))
        && line["payload"].is_null()
}

pub fn take(number: u64, line: &Value, kept: &mut Kept<'_>) -> Option<Spoken> {
    match line["type"].as_str()? {
        "thread.started" => {
            let id = line["thread_id"].as_str().map(str::to_owned);
            kept.session.id = kept.session.id.take().or(id);
        }
        "item.completed" => return item(number, &line["item"], kept),
        "turn.completed" => {
            let used = &line["usage"];
            let id = format!("turn {number}");
            let used = Usage {
                tokens_in: count(&used["input_tokens"]),
                tokens_out: count(&used["output_tokens"]),
                tokens_cached: count(&used["cached_input_tokens"]),
                ..Usage::default()
            };
            kept.work.used(None, &id, used);
        }
        "turn.failed" => {
            kept.session.outcome = Some(Outcome::Failed);
            kept.work.cut.by_host(None);
            kept.session.summary = line["error"]["message"].as_str().and_then(first_line);
        }
        _ => {}
    }
    None
}

fn item(number: u64, item: &Value, kept: &mut Kept<'_>) -> Option<Spoken> {
    let id = item["id"].as_str().unwrap_or_default();
    let is_ok = || item.as_object().and_then(by_fields);
    let mut ended = |tool: &str, arguments: &Value, output: Option<String>| {
        kept.call(number, None, id, tool, arguments);
        kept.work.answer(id, Answer { is_ok: is_ok(), output, at: None });
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
        "agent_message" => {
            let message = item["text"].as_str()?.to_owned();
            return Some(Spoken { message, ..Spoken::default() });
        }
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
