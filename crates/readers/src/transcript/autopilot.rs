//! What does a session say that OpenAgents' autopilot kept as one document? Its steps name
//! the calls of Claude Code and their results.

use hardwon_core::episode::Usage;
use hardwon_core::run::Outcome;
use serde_json::Value;

use super::host::Host;
use super::session::{Session, Spoken, cost, first_line, learn, tokens};
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

pub fn header(header: &Value, session: &mut Session) {
    learn(&mut session.id, &header["session_id"]);
    learn(&mut session.folder, &header["cwd"]);
    session.task = header["prompt"].as_str().and_then(first_line);
    session.model(None, &header["model"]);
    let (result, usage) = (&header["result"], &header["usage"]);
    if result["success"] == false {
        session.outcome = Some(Outcome::Failed);
    }
    session.used_in_all(Usage {
        cost_usd: cost(&usage["cost_usd"]),
        duration_s: count(&result["duration_ms"]).map(|ms| ms as f64 / 1000.0),
        ..tokens(usage, ["input_tokens", "output_tokens", "cache_read_tokens"])
    });
}

pub fn take(step: &Value, session: &mut Session) -> Option<Spoken> {
    let text = |name: &str| step[name].as_str();
    match text("type")? {
        "tool_call" => session.call(text("tool_id")?, text("tool")?, &step["input"]),
        "tool_result" => {
            let output = text("output").map(str::to_owned);
            session.answer(text("tool_id")?, step["success"].as_bool(), output);
        }
        "user" => session.user_message(text("content")?),
        "assistant" => return Spoken::main(text("content")?),
        _ => {}
    }
    None
}
