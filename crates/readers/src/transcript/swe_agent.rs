//! What does a trajectory of SWE-agent, or of mini-swe-agent, say? The one keeps pairs of
//! action and observation, the other a conversation in which commands are called or fenced.

use hardwon_core::episode::{ErrorClass, Usage};
use hardwon_core::run::Outcome;
use serde_json::{Value, json};

use super::session::Kept;
use super::words::text_of;
use super::work::Answer;
use crate::fields::{count, milliseconds};
use crate::steps::by_output;

/// The tools that only show something, or go somewhere in a file.
const LOOKS: [&str; 8] =
    ["open", "goto", "scroll_up", "scroll_down", "find_file", "search_dir", "search_file", "view"];

/// What ends a run and does nothing in the project.
const ENDS: [&str; 3] = ["submit", "exit_forfeit", "exit_context"];

/// How a session is said to have ended by the one who called it done.
const SUBMITTED: &str = "submitted";

/// The id of a call that has none: its result comes next.
const ONLY_CALL: &str = "fenced";

pub fn header(header: &Value, kept: &mut Kept<'_>) {
    let info = &header["info"];
    let stats = &info["model_stats"];
    kept.work.used_in_all(Usage {
        tokens_in: count(&stats["tokens_sent"]),
        tokens_out: count(&stats["tokens_received"]),
        cost_usd: stats["instance_cost"].as_f64().filter(|cost| *cost > 0.0),
        ..Usage::default()
    });
    kept.work.model(None, info["config"]["model"]["model_name"].as_str());
    let Some(status) = info["exit_status"].as_str() else { return };
    // A patch that was handed in is not yet a good one.
    if !status.to_lowercase().starts_with(SUBMITTED) {
        kept.session.outcome = Some(Outcome::Failed);
        kept.session.summary = Some(format!("It ended with {status}."));
        let is_late = status.to_lowercase().contains("time");
        kept.session.error_class = is_late.then(|| ErrorClass::Timeout.word().to_owned());
    }
}

pub fn take(number: u64, step: &Value, kept: &mut Kept<'_>) {
    if step["role"].is_string() {
        return said(number, step, kept);
    }
    let Some(action) = step["action"].as_str().map(str::trim) else { return };
    let Some((tool, arguments)) = parsed(action, &step["state"]) else { return };
    let id = number.to_string();
    kept.call(number, None, &id, tool, &arguments);
    let seconds = step["execution_time"].as_f64().filter(|s| (0.0..9e9).contains(s));
    kept.work.end(&id, None, seconds.map(milliseconds));
    let Some(kind) = kept.work.waiting_kind(&id) else { return };
    let output = step["observation"].as_str().map(|output| output.replace('\r', ""));
    let is_ok = output.as_deref().and_then(|output| by_output(kind, output));
    kept.work.answer(&id, Answer { is_ok, output, at: None });
}

/// The tool of an action, and what it was called with.
fn parsed<'a>(action: &'a str, state: &Value) -> Option<(&'a str, Value)> {
    let mut words = action.split_whitespace();
    let tool = words.next().filter(|word| !ENDS.contains(word))?;
    let unquoted = |word: &str| word.trim_matches(['"', '\'']).to_owned();
    let next = words.next().map(unquoted);
    match tool {
        "str_replace_editor" => {
            let path = words.next().map(unquoted);
            Some((tool, json!({ "command": next, "path": path })))
        }
        "create" => Some((tool, json!({ "path": next }))),
        "edit" | "insert" => {
            // It changes the file that is open, which only the state names.
            let parsed = state.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
            let open = parsed.as_ref().unwrap_or(state)["open_file"].as_str();
            Some((tool, json!({ "path": open.filter(|path| *path != "n/a") })))
        }
        tool if LOOKS.contains(&tool) => Some((tool, json!({ "query": next }))),
        _ => Some(("bash", json!({ "command": action }))),
    }
}

/// A message of mini-swe-agent's conversation.
fn said(number: u64, message: &Value, kept: &mut Kept<'_>) {
    let text = text_of(&message["content"]).unwrap_or_default();
    match message["role"].as_str() {
        Some("assistant") => called(number, message, &text, kept),
        Some("tool") => {
            let id = message["tool_call_id"].as_str().unwrap_or(ONLY_CALL);
            answered(id, &text, kept);
        }
        Some("user") if text.contains("<returncode>") => answered(ONLY_CALL, &text, kept),
        _ => {}
    }
}

fn called(number: u64, message: &Value, text: &str, kept: &mut Kept<'_>) {
    let calls = message["tool_calls"].as_array();
    for call in calls.into_iter().flatten() {
        let function = &call["function"];
        if let (Some(id), Some(name)) = (call["id"].as_str(), function["name"].as_str()) {
            kept.call(number, None, id, name, &function["arguments"]);
        }
    }
    if calls.is_none_or(Vec::is_empty)
        && let Some(command) = fenced(text)
    {
        // The one before it got no answer: it ended in an unknown way.
        kept.work.answer(ONLY_CALL, Answer { is_ok: None, output: None, at: None });
        let arguments = json!({ "command": command });
        kept.call(number, None, ONLY_CALL, "bash", &arguments);
    }
}

/// The one command that a message fences.
fn fenced(text: &str) -> Option<&str> {
    let after =
        ["```bash\n", "```mswea_bash_command\n"].iter().find_map(|mark| text.split(mark).nth(1));
    let command = after?.split("```").next()?.trim();
    (!command.is_empty()).then_some(command)
}

fn answered(id: &str, text: &str, kept: &mut Kept<'_>) {
    let between = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split(&format!("</{name}>")).next().unwrap_or(rest).trim())
    };
    let status = between("returncode").and_then(|status| status.parse::<i64>().ok());
    let output = between("output").or_else(|| between("output_tail")).unwrap_or(text);
    let is_ok = status.map(|status| status == 0);
    kept.work.answer(id, Answer { is_ok, output: Some(output.to_owned()), at: None });
}
