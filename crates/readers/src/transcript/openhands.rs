//! What do the events of OpenHands say? An observation names the action that caused it; the
//! events of its newer kit name the call.

use hardwon_core::command::output::{CallResult, ending};
use serde_json::{Value, json};

use super::session::{Session, Spoken};
use crate::json::text_of;

pub fn take(event: &Value, session: &mut Session) -> Option<Spoken> {
    if event["kind"].is_string() {
        return of_kit(event, session);
    }
    if let Some(action) = event["action"].as_str() {
        return acted(action, event, session);
    }
    match event["observation"].as_str()? {
        "agent_state_changed" => {
            let extras = &event["extras"];
            if extras["agent_state"] == "error" {
                failed(extras["reason"].as_str().or_else(|| event["content"].as_str()), session);
            }
        }
        observation => {
            if let Some(cause) = event["cause"].as_i64() {
                observed(observation, &cause.to_string(), event, session);
            }
        }
    }
    None
}

fn acted(action: &str, event: &Value, session: &mut Session) -> Option<Spoken> {
    let args = &event["args"];
    let id = event["id"].as_i64().map(|id| id.to_string()).unwrap_or_default();
    match action {
        "run" => session.call(&id, "execute_bash", args),
        "run_ipython" => session.call(&id, "execute_ipython_cell", args),
        "edit" | "write" | "read" => session.call(&id, action, args),
        "call_tool_mcp" | "mcp" => session.call(&id, args["name"].as_str()?, &args["arguments"]),
        "message" if event["source"] == "user" => session.user_message(args["content"].as_str()?),
        "message" | "finish" => {
            let said = ["content", "final_thought", "thought"];
            return Spoken::main(said.iter().find_map(|name| args[*name].as_str())?);
        }
        _ => {}
    }
    None
}

fn observed(observation: &str, id: &str, event: &Value, session: &mut Session) {
    let Some(kind) = session.waiting_kind(id) else { return };
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
    session.answer(id, ending(&result).is_ok(), Some(output.to_owned()));
}

fn of_kit(event: &Value, session: &mut Session) -> Option<Spoken> {
    let id = event["tool_call_id"].as_str().unwrap_or_default();
    match event["kind"].as_str()? {
        "ActionEvent" => {
            let tool = event["tool_name"].as_str()?;
            // One tool there both shows and changes files.
            let tool = if tool == "file_editor" { "str_replace_editor" } else { tool };
            session.call(id, tool, &event["action"]);
        }
        "ObservationEvent" => {
            let observation = &event["observation"];
            let text = ["content", "output"].iter().find_map(|name| text_of(&observation[*name]));
            let content = text.unwrap_or_default();
            let name = if observation["is_error"] == true { "error" } else { "" };
            observed(name, id, &json!({ "content": content, "extras": observation }), session);
        }
        "AgentErrorEvent" => {
            observed("error", id, &json!({ "content": event["error"] }), session);
        }
        "UserRejectObservation" => observed("user_rejected", id, &Value::Null, session),
        "ConversationErrorEvent" => {
            failed(["detail", "code"].iter().find_map(|name| event[*name].as_str()), session);
        }
        "MessageEvent" => {
            let message = text_of(&event["llm_message"]["content"])?;
            if event["source"] != "user" {
                return Spoken::main(&message);
            }
            session.user_message(&message);
        }
        _ => {}
    }
    None
}

fn failed(why: Option<&str>, session: &mut Session) {
    session.failed(why, why.is_some_and(|why| why.to_lowercase().contains("timeout")));
}
