//! What do the events of OpenHands say? An observation names the action that caused it; the
//! events of its newer kit name the call.

use hardwon_core::command::output::{CallResult, ending};
use hardwon_core::episode::ErrorClass;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use serde_json::{Value, json};

use super::session::{Kept, Spoken};
use super::words::{first_line, text_of};
use super::work::Answer;

pub fn take(
    number: u64,
    event: &Value,
    at: Option<Timestamp>,
    kept: &mut Kept<'_>,
) -> Option<Spoken> {
    if event["kind"].is_string() {
        return of_kit(number, event, at, kept);
    }
    if let Some(action) = event["action"].as_str() {
        return acted(number, action, event, at, kept);
    }
    match event["observation"].as_str()? {
        "agent_state_changed" => {
            let extras = &event["extras"];
            if extras["agent_state"] == "error" {
                failed(extras["reason"].as_str().or_else(|| event["content"].as_str()), kept);
            }
        }
        observation => {
            if let Some(cause) = event["cause"].as_i64() {
                observed(observation, &cause.to_string(), event, at, kept);
            }
        }
    }
    None
}

fn acted(
    number: u64,
    action: &str,
    event: &Value,
    at: Option<Timestamp>,
    kept: &mut Kept<'_>,
) -> Option<Spoken> {
    let args = &event["args"];
    let id = event["id"].as_i64().map(|id| id.to_string()).unwrap_or_default();
    let mut call = |tool: &str, arguments: &Value| {
        kept.call(number, at, &id, tool, arguments);
    };
    match action {
        "run" => call("execute_bash", args),
        "run_ipython" => call("execute_ipython_cell", args),
        "edit" | "write" | "read" => call(action, args),
        "call_tool_mcp" | "mcp" => call(args["name"].as_str()?, &args["arguments"]),
        "message" if event["source"] == "user" => {
            let message = args["content"].as_str()?;
            kept.work.user_message(number, message);
        }
        "message" | "finish" => {
            let said = ["content", "final_thought", "thought"];
            let message = said.iter().find_map(|name| args[*name].as_str());
            let message = message.filter(|message| !message.trim().is_empty())?.to_owned();
            return Some(Spoken { message, ..Spoken::default() });
        }
        _ => {}
    }
    None
}

fn observed(
    observation: &str,
    id: &str,
    event: &Value,
    at: Option<Timestamp>,
    kept: &mut Kept<'_>,
) {
    let Some(kind) = kept.work.waiting_kind(id) else { return };
    let extras = &event["extras"];
    let output = event["content"].as_str().unwrap_or_default();
    let code = extras["metadata"]["exit_code"].as_i64().or_else(|| extras["exit_code"].as_i64());
    let result = CallResult {
        kind,
        // -1 = it still runs.
        exit_status: code.filter(|code| *code != -1),
        is_ok: (observation == "error").then_some(false),
        is_interrupted: code == Some(-1) || observation == "user_rejected",
        output,
    };
    let is_ok = ending(&result).end.is_ok();
    kept.work.answer(id, Answer { is_ok, output: Some(output.to_owned()), at });
}

/// An event of the newer kit.
fn of_kit(
    number: u64,
    event: &Value,
    at: Option<Timestamp>,
    kept: &mut Kept<'_>,
) -> Option<Spoken> {
    let id = event["tool_call_id"].as_str().unwrap_or_default();
    match event["kind"].as_str()? {
        "ActionEvent" => {
            let tool = event["tool_name"].as_str()?;
            // One tool there both shows and changes files.
            let tool = if tool == "file_editor" { "str_replace_editor" } else { tool };
            kept.call(number, at, id, tool, &event["action"]);
        }
        "ObservationEvent" => {
            let observation = &event["observation"];
            let text = ["content", "output"].iter().find_map(|name| text_of(&observation[*name]));
            let content = text.unwrap_or_default();
            let extras = json!({
                "exit_code": observation["exit_code"],
                "metadata": observation["metadata"],
            });
            let name = if observation["is_error"] == true { "error" } else { "" };
            observed(name, id, &json!({ "content": content, "extras": extras }), at, kept);
        }
        "AgentErrorEvent" => {
            observed("error", id, &json!({ "content": event["error"] }), at, kept);
        }
        "UserRejectObservation" => {
            observed("user_rejected", id, &json!({ "content": "" }), at, kept);
        }
        "ConversationErrorEvent" => {
            failed(["detail", "code"].iter().find_map(|name| event[*name].as_str()), kept);
        }
        "MessageEvent" => {
            let message = text_of(&event["llm_message"]["content"])?;
            if event["source"] == "user" {
                kept.work.user_message(number, &message);
            } else {
                return Some(Spoken { message, ..Spoken::default() });
            }
        }
        _ => {}
    }
    None
}

fn failed(why: Option<&str>, kept: &mut Kept<'_>) {
    kept.session.outcome = Some(Outcome::Failed);
    kept.session.summary = why.and_then(first_line);
    let is_late = why.is_some_and(|why| why.to_lowercase().contains("timeout"));
    kept.session.error_class = is_late.then(|| ErrorClass::Timeout.word().to_owned());
}
