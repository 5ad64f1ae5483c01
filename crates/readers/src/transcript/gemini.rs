//! What does a session of Gemini CLI, or of its descendant Qwen Code, say? Gemini writes a
//! message again when its calls have ended, with their results in it; Qwen keeps calls and
//! results apart.

use hardwon_core::command::printed::exit_status;
use hardwon_core::episode::{StepKind, Usage};
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::session::{Kept, Session, Spoken};
use super::work::{Answer, Work};
use crate::fields::count;
use crate::steps::kind_of;

/// Most calls of which it is remembered that they were read.
const MAX_SEEN: usize = 20_000;

/// What the host itself says under the user's name.
const OF_HOST: [&str; 2] = ["<session_context>", "<system-reminder>"];

/// A line of Gemini's: the header, a message, or a change of what came before.
pub fn take(number: u64, line: &Value, kept: &mut Kept<'_>) -> Option<Spoken> {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    kept.session.id = kept.session.id.take().or_else(|| text("sessionId"));
    let set = line["$set"]["messages"].as_array().into_iter().flatten();
    for message in set {
        said(number, message, kept);
    }
    said(number, line, kept)
}

fn said(number: u64, message: &Value, kept: &mut Kept<'_>) -> Option<Spoken> {
    let at = message["timestamp"].as_str().and_then(Timestamp::parse);
    let text = text_of(&message["content"]);
    let kind = message["type"].as_str()?;
    kept.work.cut.gemini(kind, text.as_deref());
    match kind {
        "user" => user(number, text, kept.work),
        "gemini" => {
            kept.work.model(None, message["model"].as_str());
            if let Some(id) = message["id"].as_str() {
                kept.work.used(None, id, used(&message["tokens"], ["input", "output", "cached"]));
            }
            for call in message["toolCalls"].as_array().into_iter().flatten() {
                called(number, call, at, kept);
            }
            let message = text.filter(|text| !text.trim().is_empty())?;
            return Some(Spoken { message, ..Spoken::default() });
        }
        _ => {}
    }
    None
}

fn user(number: u64, text: Option<String>, work: &mut Work) {
    let of_host = |text: &str| OF_HOST.iter().any(|mark| text.trim_start().starts_with(mark));
    let text = text.filter(|text| !text.trim().is_empty() && !of_host(text));
    text.into_iter().for_each(|text| work.user_message(number, &text));
}

/// A call with its result, once.
fn called(number: u64, call: &Value, at: Option<Timestamp>, kept: &mut Kept<'_>) {
    let (Some(id), Some(name)) = (call["id"].as_str(), call["name"].as_str()) else { return };
    if call["status"].is_null() || !is_new(id, kept.session) {
        return;
    }
    kept.call(number, at, id, name, &call["args"]);
    let response = &call["result"][0]["functionResponse"]["response"];
    let printed = ["output", "error"].iter().find_map(|name| response[*name].as_str());
    let ended = call["timestamp"].as_str().and_then(Timestamp::parse);
    let is_ok = is_ok(kind_of(name), call["status"].as_str(), printed.unwrap_or_default());
    let shown = call["resultDisplay"].as_str().map(str::to_owned);
    let output = shown.or_else(|| printed.map(shown_output));
    kept.work.answer(id, Answer { is_ok, output, at: ended });
}

fn is_new(id: &str, session: &mut Session) -> bool {
    session.seen.len() < MAX_SEEN && session.seen.insert(id.to_owned())
}

/// A shell that could be started is a success for the host, whatever the command said.
fn is_ok(kind: StepKind, status: Option<&str>, printed: &str) -> Option<bool> {
    match status {
        Some("error") => Some(false),
        Some("success") if kind == StepKind::Command => {
            Some(exit_status(printed).is_none_or(|status| status == 0))
        }
        Some("success") => Some(true),
        _ => None,
    }
}

/// A line of Qwen's.
pub fn take_qwen(number: u64, line: &Value, kept: &mut Kept<'_>) -> Option<Spoken> {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    kept.session.id = kept.session.id.take().or_else(|| text("sessionId"));
    kept.session.folder = kept.session.folder.take().or_else(|| text("cwd"));
    let at = line["timestamp"].as_str().and_then(Timestamp::parse);
    let parts = &line["message"]["parts"];
    match line["type"].as_str()? {
        "user" => user(number, text_of(parts), kept.work),
        "tool_result" => {
            for part in parts.as_array().into_iter().flatten() {
                answered(&part["functionResponse"], &line["toolCallResult"], at, kept.work);
            }
        }
        "assistant" => {
            kept.work.model(None, line["model"].as_str());
            let names = ["promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount"];
            if let Some(id) = line["uuid"].as_str() {
                kept.work.used(None, id, used(&line["usageMetadata"], names));
            }
            for call in parts.as_array().into_iter().flatten().map(|part| &part["functionCall"]) {
                if let (Some(id), Some(name)) = (call["id"].as_str(), call["name"].as_str()) {
                    kept.call(number, at, id, name, &call["args"]);
                }
            }
            let message = text_of(parts).filter(|text| !text.trim().is_empty())?;
            return Some(Spoken { message, ..Spoken::default() });
        }
        _ => {}
    }
    None
}

fn answered(response: &Value, result: &Value, at: Option<Timestamp>, work: &mut Work) {
    let Some(id) = response["id"].as_str() else { return };
    let Some(kind) = work.waiting_kind(id) else { return };
    let response = &response["response"];
    let printed = ["output", "error"].iter().find_map(|name| response[*name].as_str());
    let by_name = if response["error"].is_string() { "error" } else { "success" };
    let status = result["status"].as_str().unwrap_or(by_name);
    let is_ok = is_ok(kind, Some(status), printed.unwrap_or_default());
    work.answer(id, Answer { is_ok, output: printed.map(shown_output), at });
}

/// What a command printed, without what the host says around it.
fn shown_output(printed: &str) -> String {
    const AROUND: [&str; 9] = [
        "Command: ",
        "Directory: ",
        "Error: (none)",
        "Exit Code: ",
        "Signal: ",
        "Background PIDs: ",
        "Process Group PGID: ",
        "<untrusted_context>",
        "</untrusted_context>",
    ];
    let is_around = |line: &&str| AROUND.iter().any(|around| line.starts_with(around));
    let lines = printed.lines().filter(|line| !is_around(line));
    let lines = lines.map(|line| line.strip_prefix("Output: ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The text of a message: a string, or parts that have one.
fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

fn used(tokens: &Value, [input, output, cached]: [&str; 3]) -> Usage {
    Usage {
        tokens_in: count(&tokens[input]),
        tokens_out: count(&tokens[output]),
        tokens_cached: count(&tokens[cached]),
        ..Usage::default()
    }
}
