//! What geas's commands answer: packets, notebooks and rules; logs, reviews and the index.

use hardwon_core::ids::RunId;
use hardwon_core::lesson::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::Effect;
use super::value::{Decimal, Id, Word};

/// The memory packet of a task for one agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasPacket {
    pub run: Id<RunId>,
    pub mission: String,
    pub task: String,
    /// The type that the packet is for.
    pub agent: String,
    /// Below the folder of geas.
    pub path: String,
    pub packet: String,
    /// It was made before and is served again.
    #[serde(rename = "repeated")]
    pub is_repeat: bool,
    /// Why it was made anew, or was not.
    pub because: String,
    /// Whether the file is another one now.
    #[serde(rename = "written")]
    pub is_written: bool,
    /// The store was busy: which lessons were shown is noted by the next writer.
    #[serde(rename = "queued")]
    pub is_queued: bool,
    /// For the context packet; empty when there is nothing to say.
    pub section: String,
    /// The role's notebook, newest first.
    pub notebook: Vec<String>,
    pub rules: Vec<String>,
    pub lessons: Vec<GeasPacketLesson>,
    pub cautions: Vec<String>,
    /// Lessons that were left out.
    pub suppressed: Vec<String>,
}

/// One lesson of a packet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasPacketLesson {
    pub id: String,
    pub title: String,
    pub confidence: Decimal,
    pub state: Word<State>,
    pub summary: String,
}

/// The notebook of a role.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasNotebook {
    /// The type whose notebook it is.
    pub agent: String,
    /// Its files below the folder of geas; several where names differ by `-` and `_` only.
    pub paths: Vec<String>,
    /// What the role may be told of it.
    pub lines: Vec<String>,
    /// The line that was added; null if it was there, or none was to be added.
    pub added: Option<String>,
    /// Whether the line that was to be added was there.
    #[serde(rename = "known")]
    pub is_known: bool,
}

/// Rules that tasks proposed, and what they would change in the rules of the project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasRules {
    /// Below the folder of geas.
    pub path: String,
    pub rules: Vec<GeasRule>,
    /// Rules that not enough tasks proposed, or that something contradicts.
    pub left_out: Vec<GeasRule>,
    /// Empty if nothing would change.
    pub diff: String,
    #[serde(rename = "written")]
    pub is_written: bool,
}

/// A rule that tasks proposed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeasRule {
    pub text: String,
    /// The lesson that says it, if there is one.
    pub lesson: Option<String>,
    #[serde(rename = "tasks")]
    pub n_tasks: u64,
    /// Why it is proposed, or left out.
    pub because: String,
}

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
