//! What scripts read: one JSON object for each answer, with the names that design and
//! published schemas promise. Times are RFC 3339 in UTC, numbers have three decimals.

mod schema;

use hardwon_core::event::Problem;
use hardwon_core::gate::without_control;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::answer::{Answer, Status, Word};
pub use schema::schemas;

/// What every answer has.
#[derive(Serialize, JsonSchema)]
pub struct Envelope<T> {
    status: Word<Status>,
    /// What went wrong on the way, and where. Never holds the input's text.
    problems: Vec<ProblemWire>,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
struct ProblemWire {
    /// File and line, setting or store.
    #[serde(rename = "where")]
    place: String,
    reason: String,
}

/// An answer that says nothing but how it went.
#[derive(Serialize, JsonSchema)]
struct Nothing {}

/// The answer of a command that could not be done: `failed`, with the reasons.
pub fn failed(problems: &[Problem]) -> Value {
    answer(&Answer { status: Status::Failed, problems: problems.to_vec(), body: Nothing {} })
}

/// Any answer: how it went, what went wrong, and the fields of its body.
pub fn answer<T: Serialize>(answer: &Answer<T>) -> Value {
    let problems = answer.problems.iter().map(|problem| ProblemWire {
        place: without_control(&problem.at),
        reason: without_control(&problem.reason),
    });
    let problems = problems.collect();
    value(&Envelope { status: Word(answer.status), problems, body: &answer.body })
}

/// A part of an answer by itself.
pub fn value<T: Serialize>(part: &T) -> Value {
    serde_json::to_value(part).expect("answers have string keys and finite numbers")
}

#[cfg(test)]
mod tests;
