//! What does a line of Claude Code's transcript say? Sub-agents answer as the result of the
//! tool call that started them, which names their role. The lines of
//! `claude -p --output-format stream-json` hold the same messages under other names; a last line says
//! how it ended. OpenAgents' autopilot keeps such lines in an envelope of its own, which is opened
//! here, too.

use hardwon_core::command::output::{CallResult, ending};
use hardwon_core::episode::{StepKind, Usage};
use serde_json::{Value, json};

use super::cut::refused;
use super::session::{Session, Spoken, cost, learn, tokens};
use crate::fields::count;
use crate::json::text_of;

const MAX_CALLS: usize = 1000;

const MAX_AGENTS: usize = 1000;

/// The tool by which an agent hands its findings to the host, and who speaks there: it reviewed,
/// whatever its role is.
const REPORT: &str = "ReportFindings";
const REVIEWER: &str = "code-review";

/// Notes what a line did. The message in it, if it is one that counts as an agent's last.
pub fn take(line: &Value, session: &mut Session) -> Option<Spoken> {
    result(line, session);
    work(line, session);
    learn(&mut session.id, &line["sessionId"]);
    learn(&mut session.id, &line["session_id"]);
    learn(&mut session.folder, &line["cwd"]);
    // The host itself wrote this under the user's name.
    if line["isMeta"] == true {
        return None;
    }
    let content = &line["message"]["content"];
    match line["type"].as_str()? {
        "assistant" if line["isSidechain"] == true => None,
        "assistant" => {
            remember_roles(content, session);
            reported(content).or_else(|| Spoken::main(&text_of(content)?))
        }
        "user" => answered(line, content.as_array()?, session),
        _ => None,
    }
}

fn remember_roles(content: &Value, session: &mut Session) {
    for call in parts_of(content, "tool_use") {
        let role = call["input"]["subagent_type"].as_str();
        if let (Some(id), Some(role)) = (call["id"].as_str(), role)
            && session.roles.len() < MAX_CALLS
        {
            let role = role.rsplit(':').next().unwrap_or(role);
            session.roles.insert(id.to_owned(), role.to_owned());
        }
    }
}

fn parts_of<'a>(content: &'a Value, kind: &str) -> impl Iterator<Item = &'a Value> {
    let parts = content.as_array().into_iter().flatten();
    parts.filter(move |part| part["type"] == *kind)
}

/// The list that an agent handed to the host, with file, line, summary, failure scenario,
/// category, verdict and outcome.
fn reported(content: &Value) -> Option<Spoken> {
    let list = &parts_of(content, "tool_use").find(|part| part["name"] == REPORT)?["input"];
    list["findings"].is_array().then(|| Spoken {
        reviewer: Some(REVIEWER),
        message: list.to_string(),
        ..Spoken::default()
    })
}

fn answered(line: &Value, parts: &[Value], session: &mut Session) -> Option<Spoken> {
    parts.iter().find_map(|part| {
        let role = session.roles.remove(part["tool_use_id"].as_str()?)?;
        let result = line.get("toolUseResult").unwrap_or(&line["tool_use_result"]);
        let agent = result["agentId"].as_str().map(str::to_owned);
        let message = text_of(&part["content"])?;
        Some(Spoken { agent, role: Some(role), message, ..Spoken::default() })
    })
}

/// Notes what a line did: calls and their results, corrections by the user, what was used.
fn work(line: &Value, session: &mut Session) {
    // What a sub-agent did counts only where it is known which one it was.
    let who = if line["isSidechain"] == true {
        let Some(agent) = line["agentId"].as_str() else { return };
        Some(agent.to_owned())
    } else {
        None
    };
    if who.is_none() {
        session.cut.claude(line);
    }
    // A program that drives the host speaks under the user's name.
    session.is_scripted |= line["entrypoint"].as_str().is_some_and(|by| by.starts_with("sdk"));
    let of_host = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"];
    if of_host.iter().any(|name| line[*name] == true) {
        return;
    }
    let message = &line["message"];
    match line["type"].as_str() {
        Some("assistant") => {
            session.model(who.clone(), &message["model"]);
            if let (Some(id), Some(usage)) = (message["id"].as_str(), message.get("usage")) {
                session.used(who.clone(), id, used(usage));
            }
            for call in parts_of(&message["content"], "tool_use") {
                let text = |name: &str| call[name].as_str().unwrap_or_default();
                session.call_of(who.clone(), text("id"), text("name"), &call["input"]);
            }
        }
        Some("user") => {
            let mut is_answer = false;
            for part in parts_of(&message["content"], "tool_result") {
                is_answer = true;
                answer(line, part, session);
            }
            let message = text_of(&message["content"]).filter(|_| !is_answer && who.is_none());
            message.into_iter().for_each(|message| session.user_message(&message));
        }
        _ => {}
    }
}

fn answer(line: &Value, part: &Value, session: &mut Session) {
    let Some(id) = part["tool_use_id"].as_str() else { return };
    let output = text_of(&part["content"]);
    // A program can print the same words; only the host says that the call was an error of
    // its own beside them.
    let told = line["toolUseResult"].as_str().or(line["tool_use_result"].as_str());
    let is_hosts = part["is_error"] == true && told.is_some_and(is_refusal);
    let refusal = output.as_deref().and_then(refused).filter(|_| is_hosts);
    if let Some(said) = refusal {
        session.reject(id, said);
    }
    let ended = ending(&CallResult {
        kind: session.waiting_kind(id).unwrap_or(StepKind::Command),
        is_ok: Some(part["is_error"] != true),
        is_interrupted: line["toolUseResult"]["interrupted"] == true || refusal.is_some(),
        output: output.as_deref().unwrap_or_default(),
        ..CallResult::default()
    });
    session.answer(id, ended.is_ok(), output);
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
        ..tokens(usage, ["", "output_tokens", "cache_read_input_tokens"])
    }
}

/// The line as the host's own transcript would have it; nothing if it is one already.
pub fn plain(line: &Value, session: &mut Session) -> Option<Value> {
    let message = &line["message"];
    if message["subtype"].is_string() && line["subtype"].is_null() {
        return Some(unwrapped(line));
    }
    remember_agent(line, session);
    let result = line.get("tool_use_result");
    let parent = line["parent_tool_use_id"].as_str();
    if result.is_none() && parent.is_none() && not_permitted(line).is_none() {
        return None;
    }
    let mut plain = line.clone();
    if let Some(result) = result {
        plain["toolUseResult"] = result.clone();
    }
    if not_permitted(line).is_some() {
        plain["toolUseResult"] = json!({ "interrupted": true });
    }
    if let Some(parent) = parent {
        let agent = session.agents.get(parent).map_or(parent, String::as_str);
        plain["isSidechain"] = true.into();
        plain["agentId"] = agent.into();
    }
    Some(plain)
}

/// What stands in an envelope of type, message and time.
fn unwrapped(line: &Value) -> Value {
    let mut plain = line["message"].clone();
    plain["type"] = line["type"].clone();
    plain["timestamp"] = line["timestamp"].clone();
    plain
}

/// A background task names the call that started it.
fn remember_agent(line: &Value, session: &mut Session) {
    if line["subtype"] == "task_started"
        && let (Some(call), Some(agent)) = (line["tool_use_id"].as_str(), line["task_id"].as_str())
        && session.agents.len() < MAX_AGENTS
    {
        session.agents.insert(call.to_owned(), agent.to_owned());
    }
}

/// A call that was not permitted never ran: that is no failure of the command.
fn not_permitted(line: &Value) -> Option<&Value> {
    let about = line["tool_result_meta"].as_array()?;
    about.iter().find(|about| about["permission_decision"]["decision"] == "reject")
}

/// Takes the line that ends a stream. That the agent was content is no outcome: only that it
/// came to no end is.
fn result(line: &Value, session: &mut Session) {
    if line["type"] != "result" {
        return;
    }
    let subtype = line["subtype"].as_str().unwrap_or_default();
    if line["is_error"] == true || subtype.starts_with("error") {
        session.cut.by_host(None);
        let said = line["errors"][0].as_str().or_else(|| line["result"].as_str());
        session.failed(said.or(Some(subtype)), subtype.contains("timeout"));
    }
    let seconds = count(&line["duration_ms"]).map(|ms| ms as f64 / 1000.0);
    let duration_s = seconds.filter(|seconds| (0.0..9e9).contains(seconds) && *seconds > 0.0);
    let cost_usd = cost(&line["total_cost_usd"]);
    session.used_in_all(Usage { cost_usd, duration_s, ..Usage::default() });
}
