//! What became of the tables of a store on a server.

use schemars::JsonSchema;
use serde::Serialize;

/// Tables that were made or brought up to date.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Migrated {
    /// Where they are, without a password.
    pub store: String,
    /// The version they had; 0 if there were none.
    pub from: i64,
    /// The version they have.
    pub to: i64,
}

/// What was brought from one store to another.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CopiedStore {
    /// Both without a password.
    pub from: String,
    pub to: String,
    pub n_projects: u64,
    /// Entries of the journal, of all projects.
    pub n_entries: u64,
    /// How many of them were there already.
    pub n_known: u64,
}

/// A copy of a project that is on a server, for times when that is away.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct KeptCopy {
    pub path: String,
    /// Entries of the journal that were new.
    #[serde(rename = "new")]
    pub n_new: u64,
}
