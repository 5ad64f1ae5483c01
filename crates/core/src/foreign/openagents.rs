//! What OpenAgents keeps: the Archivist's lessons and episodes, as its specification has
//! them. Words stay as they stand in the file; what a line leaves out is left out here.

use crate::time::Timestamp;

/// One line of `lessons.jsonl`, `lessons-archive.jsonl` or `global-lessons.jsonl`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenagentsLesson {
    pub id: String,
    pub created_at: Option<Timestamp>,
    /// `global`, `project`, `repo`, `task`, `tool` or `provider`.
    pub scope: String,
    pub project_root: Option<String>,
    pub repo_id: Option<String>,
    pub task_id: Option<String>,
    pub provider: Option<String>,
    pub tool: Option<String>,
    pub category: String,
    pub tags: Vec<String>,
    /// As it stands there: 0 to 1, or 0 to 100.
    pub importance: f64,
    pub summary: String,
    pub rule: Option<String>,
    pub detail: Option<String>,
    pub evidence: OpenagentsEvidence,
    /// `archivist`, `healer` or `manual`.
    pub source: String,
    pub usage_count: u32,
    pub last_used_at: Option<Timestamp>,
    pub superseded_by: Option<String>,
    /// Not in the specification: `candidate` or `active`, in lines that we added.
    pub status: Option<String>,
    /// Only in shipped shapes: how sure its writer was, 0 to 1.
    pub confidence: Option<f64>,
    /// Only in shipped shapes: when it is of use.
    pub applies_when: Option<String>,
}

/// What a lesson was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenagentsEvidence {
    pub episode_ids: Vec<String>,
    pub trajectory_ids: Vec<String>,
    pub session_ids: Vec<String>,
    pub run_log_paths: Vec<String>,
}

/// One line of `episodes.jsonl`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenagentsEpisode {
    pub id: String,
    pub project_root: Option<String>,
    pub task_id: Option<String>,
    pub subtask_id: Option<String>,
    pub session_id: Option<String>,
    /// `orchestrator_run`, `subagent_run` or `healer_run`.
    pub kind: String,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// `success`, `partial`, `failed` or `aborted`.
    pub status: String,
    pub summary: String,
    pub tags: Vec<String>,
    pub trajectories: Vec<String>,
    pub usage: crate::episode::Usage,
}

/// The factor by which an importance is written: what is above 1 counts to 100.
pub fn importance_scale(importance: f64) -> f64 {
    if importance > 1.0 { 100.0 } else { 1.0 }
}
