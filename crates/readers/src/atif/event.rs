//! What does a step say that stands for an event? OpenAgents' orchestrator writes no calls:
//! its steps are what happened to a task, named in their `extra`.

use hardwon_core::run::Outcome;
use serde_json::Value;

use super::frame::Frame;
use super::result;
use crate::fields::Fields;
use crate::steps::{Ended, call};

/// What events tell of a trajectory as a whole.
#[derive(Default)]
pub struct Told {
    pub outcome: Option<Outcome>,
    pub summary: Option<String>,
    pub commit: Option<String>,
}

/// Takes a step that is an event; says whether it is one.
pub fn take(frame: &mut Frame, step: Fields<'_>, line: u64) -> bool {
    let Some(extra) = step.value("extra") else { return false };
    let Some(event) = extra["event_type"].as_str() else { return false };
    let message = step.value("message").and_then(result::text);
    match event {
        "verification_complete" => verified(frame, step, extra, line),
        "task_selected" => {
            let task = message.as_deref().map(|text| text.trim_start_matches("Selected task: "));
            frame.set_task(task);
        }
        "commit_created" => frame.told.commit = extra["sha"].as_str().map(str::to_owned),
        "session_complete" => {
            let is_ok = extra["success"].as_bool();
            frame.told.outcome =
                is_ok.map(|is_ok| if is_ok { Outcome::Success } else { Outcome::Failed });
            frame.told.summary = message.filter(|_| is_ok == Some(false));
        }
        _ => {}
    }
    true
}

/// A check that the orchestrator ran itself.
fn verified(frame: &mut Frame, step: Fields<'_>, extra: &Value, line: u64) {
    for result in frame.results(step, line) {
        let content = result.get("content").unwrap_or(&Value::Null);
        let Some(command) = content["command"].as_str() else { continue };
        let is_ok = content["passed"].as_bool().or_else(|| extra["passed"].as_bool());
        let output = content["output"].as_str().map(str::to_owned);
        let ended = Ended { is_ok, output, duration_ms: None };
        frame.steps.push_call(line, call("bash", &Value::String(command.to_owned())), ended);
    }
}
