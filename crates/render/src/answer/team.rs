//! `team`: who works on a project.

use hardwon_core::team::Role;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Time, Word};

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
