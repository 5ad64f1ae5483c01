//! What `project` says: which projects there are, and which one this checkout belongs to.

use schemars::JsonSchema;
use serde::Serialize;

/// A project, and how much is known in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Project")]
pub struct ProjectLine {
    /// What `--project` takes.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whether the command was called in it.
    #[serde(rename = "current")]
    pub is_current: bool,
    /// Its own, without global ones.
    #[serde(rename = "lessons")]
    pub n_lessons: u64,
    #[serde(rename = "runs")]
    pub n_runs: u64,
    /// Folders that belong to it.
    pub checkouts: Vec<String>,
}

/// Every project.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Projects {
    pub projects: Vec<ProjectLine>,
}

/// One project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProjectShown {
    pub project: ProjectLine,
    /// Why the command's own folder belongs to it; null for another project.
    pub because: Option<String>,
    /// Ids of other projects that are clones of the same repository.
    pub kin: Vec<String>,
}

/// Two projects that became one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedProjects {
    pub from: String,
    pub into: String,
    /// What `undo` takes.
    pub operation: Option<u64>,
    #[serde(rename = "lessons")]
    pub n_lessons: u64,
    /// How many of them became one with a lesson that was there.
    #[serde(rename = "same")]
    pub n_same: u64,
    #[serde(rename = "runs")]
    pub n_runs: u64,
    /// How many of those have another name now.
    #[serde(rename = "renamed")]
    pub n_renamed: u64,
}
