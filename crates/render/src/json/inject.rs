//! What `inject` answers: the block, and the reason for everything in and out of it.

use std::collections::BTreeMap;

use crate::answer::{Answer, Injected, InjectedLesson, LeftOut};
use hardwon_core::ids::{LessonId, RunId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use super::value::Decimal;

#[derive(Serialize, JsonSchema)]
pub(super) struct InjectWire {
    /// The exact bytes for the prompt; empty when there is nothing to say.
    block: String,
    /// In the order of the block.
    lessons: Vec<InjectedLessonWire>,
    left_out: Vec<LeftOutWire>,
    /// Lessons that chance kept out, so that lift can be measured.
    held_out: Vec<String>,
    /// A conservative estimate.
    tokens: u32,
    chars: u64,
    /// `sha256:` of the block.
    digest: String,
    /// Null when nothing was recorded.
    run: Option<String>,
    /// The block had been served before and is served again.
    repeated: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InjectedLesson")]
struct InjectedLessonWire {
    id: String,
    text: String,
    score: Decimal,
    parts: BTreeMap<&'static str, Decimal>,
    /// Chance could have held it out.
    randomised: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LeftOut")]
struct LeftOutWire {
    id: String,
    text: String,
    reason: String,
    /// Null if it did not come as far as being scored.
    score: Option<Decimal>,
    parts: BTreeMap<&'static str, Decimal>,
}

/// `inject`.
pub fn inject(injected: &Answer<Injected>) -> Value {
    let body = &injected.body;
    let wire = InjectWire {
        block: body.block.clone(),
        lessons: body.lessons.iter().map(in_block).collect(),
        left_out: body.left_out.iter().map(left_out).collect(),
        held_out: body.held_out.iter().map(LessonId::to_string).collect(),
        tokens: body.n_tokens,
        chars: body.block.chars().count() as u64,
        digest: body.digest.clone(),
        run: body.run.as_ref().map(RunId::to_string),
        repeated: body.is_repeat,
    };
    answer(injected, wire)
}

fn in_block(injected: &InjectedLesson) -> InjectedLessonWire {
    InjectedLessonWire {
        id: injected.lesson.id.to_string(),
        text: injected.lesson.text.as_str().to_owned(),
        score: Decimal(injected.score),
        parts: parts(&injected.parts),
        randomised: injected.is_randomised,
    }
}

fn left_out(left_out: &LeftOut) -> LeftOutWire {
    LeftOutWire {
        id: left_out.id.to_string(),
        text: left_out.text.clone(),
        reason: left_out.reason.clone(),
        score: left_out.score.map(Decimal),
        parts: parts(&left_out.parts),
    }
}

fn parts(parts: &[(&'static str, f64)]) -> BTreeMap<&'static str, Decimal> {
    parts.iter().map(|(name, value)| (*name, Decimal(*value))).collect()
}
