//! What scripts read: one JSON object for each answer, with the names that design and
//! published schemas promise. The structs here are wire only; each has a conversion
//! from what `core` says. Times are RFC 3339 in UTC, numbers have three decimals.

mod doctor;
mod episodes;
mod erase;
mod events;
mod inject;
mod install;
mod journal;
mod lesson;
mod mcp;
mod reflect;
mod replay;
mod report;
mod review;
mod runs;
mod said;
mod schema;
mod settings;
mod story;
mod transfer;
pub(crate) mod value;

use crate::answer::{Answer, Status};
use hardwon_core::event::Problem;
use hardwon_core::gate::without_control;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use doctor::doctor;
pub use episodes::{run_story, runs};
pub use erase::forget_hard;
pub use events::{event, events, kept_event, told_events};
pub use inject::inject;
pub use install::install;
pub use journal::{history, undo};
pub(crate) use lesson::EffectsWire;
pub use lesson::{lesson, lessons};
pub use mcp::mcp;
pub use reflect::{reflect, reflection_context};
pub use replay::replay;
pub use report::{report, stats};
pub use review::{guard, near_pairs, review_queue};
pub use runs::{check, decay, learn, outcome, regressions};
pub use said::said;
pub use schema::schemas;
pub use settings::{config, policy, policy_diff};
pub use story::{show, why};
pub use transfer::{export, import, trust};

use value::Word;

/// What every answer has.
#[derive(Serialize, JsonSchema)]
struct Envelope<T> {
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
    envelope(Status::Failed, problems, Nothing {})
}

fn answer<T, B: Serialize>(answer: &Answer<T>, body: B) -> Value {
    envelope(answer.status, &answer.problems, body)
}

fn envelope<B: Serialize>(status: Status, problems: &[Problem], body: B) -> Value {
    let problems = problems.iter().map(|problem| ProblemWire {
        place: without_control(&problem.at),
        reason: without_control(&problem.reason),
    });
    let envelope = Envelope { status: Word(status), problems: problems.collect(), body };
    serde_json::to_value(envelope).expect("wire structs have string keys and finite numbers")
}

#[cfg(test)]
mod tests;
