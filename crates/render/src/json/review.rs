//! What `review list`, `merge` without names and `guard` answer.

use crate::answer::{Answer, Guarded, Near, NearPairs, Queue, Queued};
use hardwon_core::lesson::Decision;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::lesson::LessonWire;
use super::story::{ReviewWire, review};
use super::value::{Decimal, Time, Word};

#[derive(Serialize, JsonSchema)]
pub(super) struct QueueWire {
    /// The most urgent first.
    items: Vec<QueuedWire>,
    /// Whether reviews are asked for.
    team: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Queued")]
struct QueuedWire {
    lesson: LessonWire,
    /// Why it waits.
    waits: String,
    authority: String,
    /// The reason of its last step, or how it came to be.
    because: Option<String>,
    /// Approvals that are given and wait for another authority's.
    approvals: Vec<ReviewWire>,
    /// Who may decide: those bound to that authority, or who can give the last approval.
    people: Vec<String>,
    /// When time decides if nobody does.
    deadline: Option<Time>,
    /// What may be decided.
    decisions: Vec<Word<Decision>>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct NearWire {
    /// The likest first.
    pairs: Vec<PairWire>,
}

/// Two lessons that may say the same.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pair")]
struct PairWire {
    /// Would stay.
    base: LessonWire,
    /// Would be superseded.
    other: LessonWire,
    likeness: Decimal,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct GuardWire {
    guard: String,
    met: bool,
    /// What is missing, each with the command that gives it.
    missing: Vec<String>,
}

/// Lessons that wait for somebody.
pub fn review_queue(said: &Answer<Queue>) -> Value {
    let items = said.body.items.iter().map(queued).collect();
    answer(said, QueueWire { items, team: said.body.is_team })
}

fn queued(item: &Queued) -> QueuedWire {
    QueuedWire {
        lesson: LessonWire::of(&item.lesson),
        waits: item.waits.to_string(),
        authority: item.authority.clone(),
        because: item.because.clone(),
        approvals: item.approvals.iter().map(review).collect(),
        people: item.people.clone(),
        deadline: item.deadline.map(Time),
        decisions: item.decisions.iter().copied().map(Word).collect(),
    }
}

/// Lessons that may say the same.
pub fn near_pairs(said: &Answer<NearPairs>) -> Value {
    let pair = |near: &Near| PairWire {
        base: LessonWire::of(&near.base),
        other: LessonWire::of(&near.other),
        likeness: Decimal(near.likeness),
    };
    answer(said, NearWire { pairs: said.body.pairs.iter().map(pair).collect() })
}

/// The answer to a guard.
pub fn guard(said: &Answer<Guarded>) -> Value {
    let Guarded { what, is_met, missing } = &said.body;
    answer(said, GuardWire { guard: what.clone(), met: *is_met, missing: missing.clone() })
}
