//! What the commands of geas's skill answer.

use schemars::JsonSchema;
use serde::Serialize;

use hardwon_core::ids::RunId;

use super::Effect;

/// Which applications of lessons were logged.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GeasLogs {
    pub logs: Vec<GeasLogged>,
    /// Tasks that were told lessons and have no outcome yet.
    pub waiting: Vec<String>,
}

/// One application of a lesson.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasLogged {
    pub task: String,
    pub lesson: String,
    pub effect: String,
    pub because: String,
}

impl GeasLogged {
    pub fn of(run: &RunId, effect: &Effect) -> Self {
        GeasLogged {
            task: run.to_string(),
            lesson: effect.lesson.id.0.to_string(),
            effect: effect.conclusion.kind.0.to_string(),
            because: effect.conclusion.why.clone(),
        }
    }
}

/// The index, compared with the documents or made of them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasIndexed {
    pub path: String,
    #[serde(rename = "rows")]
    pub n_rows: u64,
    /// Whether it said already what the documents say.
    #[serde(rename = "equal")]
    pub is_equal: bool,
    #[serde(rename = "written")]
    pub is_written: bool,
}

/// Which files are not what their schemas say.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GeasValidated {
    #[serde(rename = "files")]
    pub n_files: u64,
    #[serde(rename = "faulty")]
    pub n_faulty: u64,
    pub faults: Vec<GeasFault>,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasFault {
    pub file: String,
    /// With its place in the document.
    pub what: String,
}

/// Reviews of agents that were applied.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GeasCollected {
    /// Id and decision of each.
    pub applied: Vec<String>,
}

/// What the batch at the end of a mission did, and what waits.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GeasEvolved {
    /// Id and decision of each review that was applied.
    pub collected: Vec<String>,
    /// Id and new state of what rose by itself.
    pub promoted: Vec<String>,
    pub logged: Vec<GeasLogged>,
    #[serde(rename = "rejected")]
    pub n_rejected: u64,
    #[serde(rename = "decayed")]
    pub n_decayed: u64,
    /// Lines that notebooks got.
    #[serde(rename = "noted")]
    pub n_noted: u64,
    pub waiting: Vec<GeasWaiting>,
}

/// A lesson that waits for a reviewer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasWaiting {
    pub memory: String,
    pub text: String,
    /// Why it waits.
    pub waits: String,
    pub reviewer: String,
}
