//! What does a line of a Codex rollout say? Only response items are kept in every mode of
//! history; a review's output also stands in the event that ends it. Rollouts before
//! September 2025 hold bare items below a line of who and when. In what `codex exec --json` prints, a
//! command with what it printed and its exit code is one item that ends.

use serde_json::{Value, json};

use super::cut::is_denied;
use super::session::{Session, Spoken, learn, time, tokens};
use crate::fields::{count, milliseconds};
use crate::json::{Object, text_of};
use crate::steps::{by_fields, by_output, embedded};

const TOKENS: [&str; 3] = ["input_tokens", "output_tokens", "cached_input_tokens"];

/// The bare items that are of use.
const ITEMS: [&str; 6] = [
    "message",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
];

/// Whether a line is the first of an older rollout.
pub fn is_older_header(line: &Value) -> bool {
    let is_text = |name: &str| line[name].is_string();
    let known = ["id", "timestamp", "instructions", "git"];
    let has_only = |fields: &Object| fields.keys().all(|name| known.contains(&name.as_str()));
    is_text("id") && is_text("timestamp") && line.as_object().is_some_and(has_only)
}

/// A line of an older rollout as a newer one has it; nothing if it is one already.
pub fn plain(line: &Value) -> Option<Value> {
    let is_item = ITEMS.iter().any(|item| line["type"] == *item);
    let word = match line.get("payload") {
        Some(_) => return None,
        None if is_older_header(line) => "session_meta",
        None if is_item => "response_item",
        None => return None,
    };
    Some(json!({ "type": word, "timestamp": line["timestamp"], "payload": line }))
}

/// What stands above the items of a rollout that is one document, as the first Codex wrote it.
pub fn header(header: &Value, session: &mut Session) {
    learn(&mut session.id, &header["session"]["id"]);
    session.started = session.started.or_else(|| time(&header["session"]["timestamp"]));
}

/// Notes what a line did. The message in it, if it is one that counts as an agent's last.
pub fn take(line: &Value, session: &mut Session) -> Option<Spoken> {
    if is_of_exec(line) {
        return take_exec(line, session);
    }
    work(line, session);
    let payload = &line["payload"];
    match line["type"].as_str()? {
        "session_meta" => {
            learn(&mut session.id, &payload["id"]);
            learn(&mut session.id, &payload["session_id"]);
            learn(&mut session.folder, &payload["cwd"]);
            learn(&mut session.role, &payload["agent_role"]);
            None
        }
        "response_item" if payload["type"] == "message" && payload["role"] == "assistant" => {
            let message = text_of(&payload["content"])?;
            Some(Spoken { role: session.role.clone(), message, ..Spoken::default() })
        }
        "event_msg" if payload["type"] == "exited_review_mode" => {
            let message = payload.get("review_output").filter(|o| o.is_object())?.to_string();
            let role = Some("reviewer".to_owned());
            Some(Spoken { role, message, is_of_host: true, ..Spoken::default() })
        }
        _ => None,
    }
}

/// Notes what a line did: calls and their results, corrections by the user, what was used.
fn work(line: &Value, session: &mut Session) {
    let payload = &line["payload"];
    let text = |name: &str| payload[name].as_str().unwrap_or_default();
    let id = text("call_id");
    session.cut.codex(line);
    let mut call = |tool: &str, arguments: &str| session.call(id, tool, &payload[arguments]);
    match (line["type"].as_str(), text("type")) {
        // A sub-agent's prompt is its parent's, and a program's is nobody's wish.
        (Some("session_meta"), _) => {
            let source = &payload["source"];
            session.is_scripted |= source.is_object() || source == "exec" || source == "mcp";
        }
        (Some("turn_context"), _) => session.model(None, &payload["model"]),
        (Some("event_msg"), "token_count") => {
            session.used_in_all(tokens(&payload["info"]["total_token_usage"], TOKENS));
        }
        (Some("event_msg"), "exec_command_end") => {
            let is_ok = payload.as_object().and_then(by_fields);
            let span = &payload["duration"];
            let ms = count(&span["secs"]).map(|secs| {
                let nanos = count(&span["nanos"]).unwrap_or_default();
                secs.saturating_mul(1000).saturating_add(nanos / 1_000_000)
            });
            session.end(id, is_ok, ms);
        }
        (Some("response_item"), "function_call") => call(text("name"), "arguments"),
        (Some("response_item"), "custom_tool_call") => call(text("name"), "input"),
        (Some("response_item"), "local_shell_call") => call("local_shell", "action"),
        (Some("response_item"), "function_call_output" | "custom_tool_call_output") => {
            answer(id, &payload["output"], session);
        }
        (Some("response_item"), "message") if payload["role"] == "user" => {
            let message = text_of(&payload["content"]);
            message.into_iter().for_each(|message| session.user_message(&message));
        }
        _ => {}
    }
}

/// A result is a text, parts, or JSON with the exit code beside the output.
fn answer(id: &str, output: &Value, session: &mut Session) {
    let Some(kind) = session.waiting_kind(id) else { return };
    let parsed = embedded(output);
    let output = parsed.as_ref().unwrap_or(output);
    let about = output.get("metadata").unwrap_or(output);
    let is_ok = about.as_object().and_then(by_fields).or_else(|| output["success"].as_bool());
    let seconds = about["duration_seconds"].as_f64();
    let seconds = seconds.filter(|seconds| (0.0..9e9).contains(seconds));
    session.end(id, is_ok, seconds.map(milliseconds));
    let text = ["output", "content"].iter().find_map(|name| text_of(&output[*name]));
    let text = text.or_else(|| text_of(output));
    if let Some(true) = text.as_deref().map(is_denied) {
        session.reject(id, None);
    }
    let shown = text.as_deref().and_then(|text| by_output(kind, text));
    session.answer(id, is_ok.or(shown), text);
}

/// Whether a line is one of `codex exec --json`: it has a type that rollouts do not have.
fn is_of_exec(line: &Value) -> bool {
    let starts = ["thread.", "turn.", "item."];
    let word = line["type"].as_str();
    word.is_some_and(|word| word == "error" || starts.iter().any(|start| word.starts_with(start)))
        && line["payload"].is_null()
}

fn take_exec(line: &Value, session: &mut Session) -> Option<Spoken> {
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
