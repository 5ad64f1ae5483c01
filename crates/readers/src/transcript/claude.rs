//! What does a line of Claude Code's transcript say? Sub-agents answer as the result of the
//! tool call that started them, which names their role.

use std::collections::BTreeMap;

use hardwon_core::command::output::{CallResult, ending};
use hardwon_core::episode::{StepKind, Usage};
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::reported::reported;
use super::work::{Answer, Work};
use super::{Session, Spoken, text_of};
use crate::correct::refused;
use crate::fields::count;

/// Most sub-agent calls that wait for their answer.
const MAX_CALLS: usize = 1000;

/// The message of a line, if it is one that counts as an agent's last.
pub fn take(
    line: &Value,
    session: &mut Session,
    roles: &mut BTreeMap<String, String>,
) -> Option<Spoken> {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    session.id = session.id.take().or_else(|| text("sessionId")).or_else(|| text("session_id"));
    session.folder = session.folder.take().or_else(|| text("cwd"));
    // The host itself wrote this under the user's name.
    if line["isMeta"] == true {
        return None;
    }
    let content = &line["message"]["content"];
    match line["type"].as_str()? {
        "assistant" if line["isSidechain"] == true => None,
        "assistant" => {
            remember_roles(content, roles);
            if let Some(report) = reported(content) {
                return Some(report);
            }
            let message = text_of(content)?;
            Some(Spoken { message, ..Spoken::default() })
        }
        "user" => answered(line, content.as_array()?, roles),
        _ => None,
    }
}

fn remember_roles(content: &Value, roles: &mut BTreeMap<String, String>) {
    let calls = content.as_array().into_iter().flatten();
    for call in calls.filter(|part| part["type"] == "tool_use") {
        let role = call["input"]["subagent_type"].as_str();
        if let (Some(id), Some(role)) = (call["id"].as_str(), role)
            && roles.len() < MAX_CALLS
        {
            let role = role.rsplit(':').next().unwrap_or(role);
            roles.insert(id.to_owned(), role.to_owned());
        }
    }
}

fn answered(line: &Value, parts: &[Value], roles: &mut BTreeMap<String, String>) -> Option<Spoken> {
    parts.iter().find_map(|part| {
        let role = roles.remove(part["tool_use_id"].as_str()?)?;
        let result = line.get("toolUseResult").unwrap_or(&line["tool_use_result"]);
        let agent = result["agentId"].as_str().map(str::to_owned);
        let message = text_of(&part["content"])?;
        Some(Spoken { agent, role: Some(role), message, ..Spoken::default() })
    })
}

/// Notes what a line did: calls and their results, corrections by the user, what was used.
pub fn work(number: u64, line: &Value, at: Option<Timestamp>, work: &mut Work) {
    // What a sub-agent did counts only where it is known which one it was.
    let who = if line["isSidechain"] == true {
        let Some(agent) = line["agentId"].as_str() else { return };
        Some(agent.to_owned())
    } else {
        None
    };
    if who.is_none() {
        work.cut.claude(line);
    }
    // A program that drives the host speaks under the user's name.
    work.is_scripted |= line["entrypoint"].as_str().is_some_and(|by| by.starts_with("sdk"));
    let of_host = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"];
    if of_host.iter().any(|name| line[*name] == true) {
        return;
    }
    let message = &line["message"];
    let parts = message["content"].as_array().into_iter().flatten();
    match line["type"].as_str() {
        Some("assistant") => {
            work.model(who.clone(), message["model"].as_str());
            if let (Some(id), Some(usage)) = (message["id"].as_str(), message.get("usage")) {
                work.used(who.clone(), id, used(usage));
            }
            for call in parts.filter(|part| part["type"] == "tool_use") {
                let id = call["id"].as_str().unwrap_or_default();
                let name = call["name"].as_str().unwrap_or_default();
                work.call(number, at, who.clone(), id, name, &call["input"]);
            }
        }
        Some("user") => {
            let mut is_answer = false;
            for part in parts.filter(|part| part["type"] == "tool_result") {
                is_answer = true;
                answer(number, line, part, at, work);
            }
            let message = text_of(&message["content"]).filter(|_| !is_answer && who.is_none());
            message.into_iter().for_each(|message| work.user_message(number, &message));
        }
        _ => {}
    }
}

fn answer(number: u64, line: &Value, part: &Value, at: Option<Timestamp>, work: &mut Work) {
    let Some(id) = part["tool_use_id"].as_str() else { return };
    let output = text_of(&part["content"]);
    // A program can print the same words; only the host says that the call was an error of
    // its own beside them.
    let told = line["toolUseResult"].as_str().or(line["tool_use_result"].as_str());
    let is_hosts = part["is_error"] == true && told.is_some_and(is_refusal);
    let refusal = output.as_deref().and_then(refused).filter(|_| is_hosts);
    if let Some(said) = refusal {
        work.reject(number, id, said);
    }
    let call = work.waiting_call(id);
    let ended = ending(&CallResult {
        kind: call.map_or(StepKind::Command, |call| call.kind),
        is_ok: Some(part["is_error"] != true),
        is_interrupted: line["toolUseResult"]["interrupted"] == true || refusal.is_some(),
        output: output.as_deref().unwrap_or_default(),
        ..CallResult::default()
    });
    work.answer(id, Answer { is_ok: ended.end.is_ok(), output, at });
}

/// How Claude Code notes beside a result that the user rejected the call.
fn is_refusal(told: &str) -> bool {
    let told = told.strip_prefix("Error: ").unwrap_or(told);
    told == "User rejected tool use" || refused(told).is_some()
}

/// The tokens of a message; what was read from a cache was read, too.
fn used(usage: &Value) -> Usage {
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let read = read.iter().filter_map(|name| count(&usage[*name]));
    Usage {
        tokens_in: read.reduce(u64::saturating_add),
        tokens_out: count(&usage["output_tokens"]),
        tokens_cached: count(&usage["cache_read_input_tokens"]),
        ..Usage::default()
    }
}
