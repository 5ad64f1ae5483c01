//! What does a session of Gemini CLI, or of its descendant Qwen Code, say? Gemini writes a
//! message again when its calls have ended, with their results in it; Qwen keeps calls and
//! results apart.

use hardwon_core::command::printed::exit_status;
use hardwon_core::episode::StepKind;
use serde_json::Value;

use super::session::{Session, Spoken, learn, time, tokens};
use crate::json::text_of;
use crate::steps::kind_of;

/// Most calls of which it is remembered that they were read.
const MAX_SEEN: usize = 20_000;

/// What the host itself says under the user's name.
const OF_HOST: [&str; 2] = ["<session_context>", "<system-reminder>"];

/// A line of Gemini's: the header, a message, or a change of what came before.
pub fn take(line: &Value, session: &mut Session) -> Option<Spoken> {
    learn(&mut session.id, &line["sessionId"]);
    for message in line["$set"]["messages"].as_array().into_iter().flatten() {
        said(message, session);
    }
    said(line, session)
}

fn said(message: &Value, session: &mut Session) -> Option<Spoken> {
    session.at = time(&message["timestamp"]);
    let text = text_of(&message["content"]);
    let kind = message["type"].as_str()?;
    session.cut.gemini(kind, text.as_deref());
    match kind {
        "user" => user(text, session),
        "gemini" => {
            session.model(None, &message["model"]);
            if let Some(id) = message["id"].as_str() {
                let used = tokens(&message["tokens"], ["input", "output", "cached"]);
                session.used(None, id, used);
            }
            for call in message["toolCalls"].as_array().into_iter().flatten() {
                session.at = time(&message["timestamp"]);
                called(call, session);
            }
            return Spoken::main(&text?);
        }
        _ => {}
    }
    None
}

fn user(text: Option<String>, session: &mut Session) {
    let of_host = |text: &str| OF_HOST.iter().any(|mark| text.trim_start().starts_with(mark));
    let text = text.filter(|text| !of_host(text));
    text.into_iter().for_each(|text| session.user_message(&text));
}

/// A call with its result, once.
fn called(call: &Value, session: &mut Session) {
    let (Some(id), Some(name)) = (call["id"].as_str(), call["name"].as_str()) else { return };
    let may_be_new = !call["status"].is_null() && session.seen.len() < MAX_SEEN;
    if !may_be_new || !session.seen.insert(id.to_owned()) {
        return;
    }
    session.call(id, name, &call["args"]);
    let response = &call["result"][0]["functionResponse"]["response"];
    let printed = printed(response);
    session.at = time(&call["timestamp"]);
    let is_ok = is_ok(kind_of(name), call["status"].as_str(), printed.unwrap_or_default());
    let shown = call["resultDisplay"].as_str().map(str::to_owned);
    session.answer(id, is_ok, shown.or_else(|| printed.map(shown_output)));
}

fn printed(response: &Value) -> Option<&str> {
    ["output", "error"].iter().find_map(|name| response[*name].as_str())
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

pub fn take_qwen(line: &Value, session: &mut Session) -> Option<Spoken> {
    learn(&mut session.id, &line["sessionId"]);
    learn(&mut session.folder, &line["cwd"]);
    let content = &line["message"]["parts"];
    let parts = content.as_array().into_iter().flatten();
    match line["type"].as_str()? {
        "user" => user(text_of(content), session),
        "tool_result" => {
            for part in parts {
                answered(&part["functionResponse"], &line["toolCallResult"], session);
            }
        }
        "assistant" => {
            session.model(None, &line["model"]);
            let names = ["promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount"];
            if let Some(id) = line["uuid"].as_str() {
                session.used(None, id, tokens(&line["usageMetadata"], names));
            }
            for call in parts.map(|part| &part["functionCall"]) {
                if let (Some(id), Some(name)) = (call["id"].as_str(), call["name"].as_str()) {
                    session.call(id, name, &call["args"]);
                }
            }
            return Spoken::main(&text_of(content)?);
        }
        _ => {}
    }
    None
}

fn answered(response: &Value, result: &Value, session: &mut Session) {
    let Some(id) = response["id"].as_str() else { return };
    let Some(kind) = session.waiting_kind(id) else { return };
    let response = &response["response"];
    let printed = printed(response);
    let by_name = if response["error"].is_string() { "error" } else { "success" };
    let status = result["status"].as_str().unwrap_or(by_name);
    let is_ok = is_ok(kind, Some(status), printed.unwrap_or_default());
    session.answer(id, is_ok, printed.map(shown_output));
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
