//! What does a trajectory of SWE-agent, or of mini-swe-agent, say? The one keeps pairs of
//! action and observation, the other a conversation in which commands are called or fenced.

use hardwon_core::episode::Usage;
use serde_json::{Value, json};

use super::session::{Session, cost, tokens};
use crate::fields::milliseconds;
use crate::json::text_of;
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

pub fn header(header: &Value, session: &mut Session) {
    let info = &header["info"];
    let stats = &info["model_stats"];
    session.used_in_all(Usage {
        cost_usd: cost(&stats["instance_cost"]),
        ..tokens(stats, ["tokens_sent", "tokens_received", ""])
    });
    session.model(None, &info["config"]["model"]["model_name"]);
    let Some(status) = info["exit_status"].as_str() else { return };
    // A patch that was handed in is not yet a good one.
    if !status.to_lowercase().starts_with(SUBMITTED) {
        let is_late = status.to_lowercase().contains("time");
        session.failed(Some(&format!("It ended with {status}.")), is_late);
    }
}

pub fn take(step: &Value, session: &mut Session) {
    session.at = None;
    if step["role"].is_string() {
        return said(step, session);
    }
    let Some(action) = step["action"].as_str().map(str::trim) else { return };
    let Some((tool, arguments)) = parsed(action, &step["state"]) else { return };
    let id = session.line.to_string();
    session.call(&id, tool, &arguments);
    let seconds = step["execution_time"].as_f64().filter(|s| (0.0..9e9).contains(s));
    session.end(&id, None, seconds.map(milliseconds));
    let Some(kind) = session.waiting_kind(&id) else { return };
    let output = step["observation"].as_str().map(|output| output.replace('\r', ""));
    let is_ok = output.as_deref().and_then(|output| by_output(kind, output));
    session.answer(&id, is_ok, output);
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

fn said(message: &Value, session: &mut Session) {
    let text = text_of(&message["content"]).unwrap_or_default();
    match message["role"].as_str() {
        Some("assistant") => called(message, &text, session),
        Some("tool") => {
            let id = message["tool_call_id"].as_str().unwrap_or(ONLY_CALL);
            answered(id, &text, session);
        }
        Some("user") if text.contains("<returncode>") => answered(ONLY_CALL, &text, session),
        _ => {}
    }
}

fn called(message: &Value, text: &str, session: &mut Session) {
    let calls = message["tool_calls"].as_array();
    for call in calls.into_iter().flatten() {
        let function = &call["function"];
        if let (Some(id), Some(name)) = (call["id"].as_str(), function["name"].as_str()) {
            session.call(id, name, &function["arguments"]);
        }
    }
    if calls.is_none_or(Vec::is_empty)
        && let Some(command) = fenced(text)
    {
        // The one before it got no answer: it ended in an unknown way.
        session.answer(ONLY_CALL, None, None);
        session.call(ONLY_CALL, "bash", &json!({ "command": command }));
    }
}

fn fenced(text: &str) -> Option<&str> {
    let after =
        ["```bash\n", "```mswea_bash_command\n"].iter().find_map(|mark| text.split(mark).nth(1));
    let command = after?.split("```").next()?.trim();
    (!command.is_empty()).then_some(command)
}

fn answered(id: &str, text: &str, session: &mut Session) {
    let between = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split(&format!("</{name}>")).next().unwrap_or(rest).trim())
    };
    let status = between("returncode").and_then(|status| status.parse::<i64>().ok());
    let output = between("output").or_else(|| between("output_tail")).unwrap_or(text);
    session.answer(id, status.map(|status| status == 0), Some(output.to_owned()));
}
