//! How do the lines of `claude -p --output-format stream-json` become lines of a transcript?
//! They hold the same messages under other names; a last line says how it ended. OpenAgents'
//! autopilot keeps such lines in an envelope of its own, which is opened here, too.

use hardwon_core::episode::Usage;
use serde_json::{Value, json};

use super::session::{Session, cost};
use crate::fields::count;

/// Most sub-agents whose id is remembered.
const MAX_AGENTS: usize = 1000;

/// The line as the host's own transcript would have it; nothing if it is one already.
pub fn plain(line: &Value, session: &mut Session) -> Option<Value> {
    let message = &line["message"];
    if message["subtype"].is_string() && line["subtype"].is_null() {
        return Some(unwrapped(line));
    }
    remember_agent(line, session);
    let result = line.get("tool_use_result");
    let parent = line["parent_tool_use_id"].as_str();
    if result.is_none() && parent.is_none() && refused(line).is_none() {
        return None;
    }
    let mut plain = line.clone();
    if let Some(result) = result {
        plain["toolUseResult"] = result.clone();
    }
    if refused(line).is_some() {
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
fn refused(line: &Value) -> Option<&Value> {
    let about = line["tool_result_meta"].as_array()?;
    about.iter().find(|about| about["permission_decision"]["decision"] == "reject")
}

/// Takes the line that ends a stream. That the agent was content is no outcome: only that it
/// came to no end is.
pub fn result(line: &Value, session: &mut Session) {
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
