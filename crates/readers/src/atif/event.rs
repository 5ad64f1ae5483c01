//! What does a step say that stands for an event? OpenAgents' orchestrator writes no calls:
//! its steps are what happened to a task, named in their `extra`.

use hardwon_core::run::Outcome;
use serde_json::Value;

use super::result;
use crate::fields::Fields;
use crate::json::Object;
use crate::steps::{Call, Ended, call};

/// What an event says.
pub enum Told {
    /// Checks that the orchestrator ran itself.
    Checks(Vec<(Call, Ended)>),
    Task(String),
    Commit(String),
    Ended {
        outcome: Option<Outcome>,
        summary: Option<String>,
    },
    /// Nothing that is kept.
    Other,
}

/// The event that a step stands for, if it is one; its results are those of the step.
pub fn told(step: Fields<'_>, results: &[&Object]) -> Option<Told> {
    let extra = step.value("extra")?;
    let message = step.value("message").and_then(result::text);
    let told = match extra["event_type"].as_str()? {
        "verification_complete" => {
            Told::Checks(results.iter().filter_map(|result| check(result, extra)).collect())
        }
        "task_selected" => Told::Task(message?.trim_start_matches("Selected task: ").to_owned()),
        "commit_created" => Told::Commit(extra["sha"].as_str()?.to_owned()),
        "session_complete" => {
            let is_ok = extra["success"].as_bool();
            let outcome = is_ok.map(|is_ok| if is_ok { Outcome::Success } else { Outcome::Failed });
            Told::Ended { outcome, summary: message.filter(|_| is_ok == Some(false)) }
        }
        _ => Told::Other,
    };
    Some(told)
}

fn check(result: &Object, extra: &Value) -> Option<(Call, Ended)> {
    let content = result.get("content")?;
    let command = Value::String(content["command"].as_str()?.to_owned());
    let is_ok = content["passed"].as_bool().or_else(|| extra["passed"].as_bool());
    let output = content["output"].as_str().map(str::to_owned);
    Some((call("bash", &command), Ended { is_ok, output, duration_ms: None }))
}
