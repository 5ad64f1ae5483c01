//! What does a session that `opencode export` wrote say? Each message has parts; a call and
//! its result are one part.

use hardwon_core::command::output::{CallResult, ending};
use hardwon_core::episode::Usage;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::session::{Session, Spoken, cost, learn, tokens};
use crate::fields::count;

pub fn header(header: &Value, session: &mut Session) {
    learn(&mut session.id, &header["info"]["id"]);
    learn(&mut session.folder, &header["info"]["directory"]);
}

pub fn take(message: &Value, session: &mut Session) -> Option<Spoken> {
    let info = &message["info"];
    let parts = || message["parts"].as_array().into_iter().flatten();
    let texts = parts().filter(|part| part["type"] == "text" && part["synthetic"] != true);
    let text = texts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    if info["role"] == "user" {
        if !text.trim().is_empty() {
            session.user_message(&text);
        }
        return None;
    }
    session.cut.opencode(info);
    session.model(None, &info["modelID"]);
    if let Some(id) = info["id"].as_str() {
        session.used(None, id, used(info));
    }
    parts().filter(|part| part["type"] == "tool").for_each(|part| call(part, session));
    Spoken::main(&text)
}

fn call(part: &Value, session: &mut Session) {
    let (Some(id), Some(tool)) = (part["callID"].as_str(), part["tool"].as_str()) else { return };
    let state = &part["state"];
    let time = |name: &str| state["time"][name].as_i64().map(Timestamp);
    session.at = time("start");
    session.call(id, tool, &state["input"]);
    let status = state["status"].as_str();
    let output = ["output", "error"].iter().find_map(|name| state[*name].as_str());
    let exit_status = state["metadata"]["exit"].as_i64();
    let is_told = match status {
        Some("completed") => Some(true),
        Some("error") => Some(false),
        // It was still waiting or running when the session was written.
        _ => return,
    };
    let result = CallResult {
        exit_status,
        is_ok: is_told.filter(|_| exit_status.is_none()),
        is_interrupted: state["metadata"]["interrupted"] == true,
        output: output.unwrap_or_default(),
        ..CallResult::default()
    };
    session.at = time("end");
    session.answer(id, ending(&result).is_ok(), output.map(str::to_owned));
}

fn used(info: &Value) -> Usage {
    let account = &info["tokens"];
    Usage {
        tokens_cached: count(&account["cache"]["read"]),
        cost_usd: cost(&info["cost"]),
        ..tokens(account, ["input", "output", ""])
    }
}
