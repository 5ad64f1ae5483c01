//! What does a session say that OpenAgents' autopilot kept as one document? Its steps name
//! the calls of Claude Code and their results.

use hardwon_core::episode::Usage;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::host::Host;
use super::session::{Kept, Spoken};
use super::words::first_line;
use super::work::Answer;
use crate::fields::count;

/// Whose session it is: that of the program that the autopilot drove, which has it under the
/// same id.
pub fn driven(model: Option<&str>) -> Host {
    match model {
        Some(model) if model.starts_with("claude") => Host::Claude,
        Some(model) if model.starts_with("codex") || model.starts_with("gpt") => Host::Codex,
        _ => Host::Openagents,
    }
}

pub fn header(header: &Value, kept: &mut Kept<'_>) {
    let text = |name: &str| header[name].as_str().map(str::to_owned);
    kept.session.id = text("session_id");
    kept.session.folder = text("cwd");
    kept.session.task = header["prompt"].as_str().and_then(first_line);
    kept.work.model(None, header["model"].as_str());
    let (result, usage) = (&header["result"], &header["usage"]);
    if result["success"] == false {
        kept.session.outcome = Some(Outcome::Failed);
    }
    kept.work.used_in_all(Usage {
        tokens_in: count(&usage["input_tokens"]),
        tokens_out: count(&usage["output_tokens"]),
        tokens_cached: count(&usage["cache_read_tokens"]),
        cost_usd: usage["cost_usd"].as_f64().filter(|cost| *cost > 0.0),
        duration_s: count(&result["duration_ms"]).map(|ms| ms as f64 / 1000.0),
    });
}

pub fn take(
    number: u64,
    step: &Value,
    at: Option<Timestamp>,
    kept: &mut Kept<'_>,
) -> Option<Spoken> {
    let text = |name: &str| step[name].as_str();
    match text("type")? {
        "tool_call" => {
            let (id, tool) = (text("tool_id")?, text("tool")?);
            kept.call(number, at, id, tool, &step["input"]);
        }
        "tool_result" => {
            let output = text("output").map(str::to_owned);
            let is_ok = step["success"].as_bool();
            kept.work.answer(text("tool_id")?, Answer { is_ok, output, at });
        }
        "user" => kept.work.user_message(number, text("content")?),
        "assistant" => {
            let message = text("content").filter(|message| !message.trim().is_empty())?.to_owned();
            return Some(Spoken { message, ..Spoken::default() });
        }
        _ => {}
    }
    None
}
