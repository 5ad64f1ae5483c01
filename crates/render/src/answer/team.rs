//! `team`: who works on a project.

use hardwon_core::ids::LessonId;
use hardwon_core::team::Role;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Id, Time, Word};

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
