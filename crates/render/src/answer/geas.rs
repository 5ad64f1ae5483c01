//! What geas's commands answer about what agents are told: packets, notebooks and rules.

use hardwon_core::ids::RunId;
use hardwon_core::lesson::State;
use schemars::JsonSchema;
use serde::Serialize;

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
