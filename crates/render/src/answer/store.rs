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
