//! What `project` says: which projects there are, and which one this checkout belongs to.

use crate::ids::ProjectId;

/// A project, and how much is known in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectLine {
    pub id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Whether it is the one that the command was called in.
    pub is_current: bool,
    /// Its own, without global ones.
    pub n_lessons: u64,
    pub n_runs: u64,
    /// The folders that belong to it.
    pub checkouts: Vec<String>,
}

/// Every project.
#[derive(Clone, Debug, Default)]
pub struct Projects {
    pub projects: Vec<ProjectLine>,
}

/// One project.
#[derive(Clone, Debug)]
pub struct ProjectShown {
    pub project: ProjectLine,
    /// Why the command's own folder belongs to it; `None` for another project.
    pub because: Option<String>,
    /// Other projects that are clones of the same repository.
    pub kin: Vec<ProjectId>,
}
