//! What `project` says: which projects there are, and which one this checkout belongs to.

use hardwon_core::ids::LessonId;
use hardwon_core::team::Role;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Id, Time, Word};

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

/// The members of a project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TeamShown {
    pub project: String,
    /// Empty if it has no team.
    pub members: Vec<MemberLine>,
}

/// Somebody who works on a project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemberLine {
    pub name: String,
    /// `reader`, `writer`, `reviewer` or `admin`.
    pub role: Word<Role>,
    pub tokens: Vec<TokenLine>,
}

/// What is known of a token: not the token.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TokenLine {
    /// What `team token revoke` takes.
    pub id: String,
    pub made_at: Time,
    pub until: Time,
    /// Whether it speaks as the member, or as a script of theirs.
    #[serde(rename = "as_person")]
    pub is_person: bool,
    #[serde(rename = "expired")]
    pub is_expired: bool,
}

/// Lessons that were proposed to a team.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Shared {
    /// Where the team is.
    pub to: String,
    pub lessons: Vec<Id<LessonId>>,
    /// How many of them wait there now.
    #[serde(rename = "new")]
    pub n_new: u64,
    /// How many were known there.
    #[serde(rename = "known")]
    pub n_known: u64,
}

/// What a team approved, for those who take it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ApprovedLessons {
    /// As `export` writes it.
    pub export: String,
    #[serde(rename = "lessons")]
    pub n_lessons: u64,
}

/// A token that was made: shown this once.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TokenMade {
    pub token: String,
    pub id: String,
    pub member: String,
    pub until: Time,
    #[serde(rename = "as_person")]
    pub is_person: bool,
}
