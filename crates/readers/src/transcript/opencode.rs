//! What does a session that `opencode export` wrote say? Each message has parts; a call and
//! its result are one part.

use hardwon_core::command::output::{CallResult, ending};
use hardwon_core::episode::Usage;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::session::{Kept, Spoken};
use super::work::Answer;
use crate::fields::count;

/// What stands above the messages.
pub fn header(header: &Value, kept: &mut Kept<'_>) {
    let info = &header["info"];
    kept.session.id = info["id"].as_str().map(str::to_owned);
    kept.session.folder = info["directory"].as_str().map(str::to_owned);
}

pub fn take(number: u64, message: &Value, kept: &mut Kept<'_>) -> Option<Spoken> {
    let info = &message["info"];
    let parts = || message["parts"].as_array().into_iter().flatten();
    let texts = parts().filter(|part| part["type"] == "text" && part["synthetic"] != true);
    let text = texts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    let is_text = !text.trim().is_empty();
    if info["role"] == "user" {
        if is_text {
            kept.work.user_message(number, &text);
        }
        return None;
    }
    kept.work.cut.opencode(info);
    kept.work.model(None, info["modelID"].as_str());
    if let Some(id) = info["id"].as_str() {
        kept.work.used(None, id, used(info));
    }
    parts().filter(|part| part["type"] == "tool").for_each(|part| call(number, part, kept));
    is_text.then(|| Spoken { message: text, ..Spoken::default() })
}

fn call(number: u64, part: &Value, kept: &mut Kept<'_>) {
    let (Some(id), Some(tool)) = (part["callID"].as_str(), part["tool"].as_str()) else { return };
    let state = &part["state"];
    let time = |name: &str| state["time"][name].as_i64().map(Timestamp);
    kept.call(number, time("start"), id, tool, &state["input"]);
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
    let is_ok = ending(&result).end.is_ok();
    kept.work.answer(id, Answer { is_ok, output: output.map(str::to_owned), at: time("end") });
}

fn used(info: &Value) -> Usage {
    let tokens = &info["tokens"];
    Usage {
        tokens_in: count(&tokens["input"]),
        tokens_out: count(&tokens["output"]),
        tokens_cached: count(&tokens["cache"]["read"]),
        cost_usd: info["cost"].as_f64().filter(|cost| *cost > 0.0),
        ..Usage::default()
    }
}
