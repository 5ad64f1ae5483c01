//! What happened beside what another policy would have made of it: `replay`.

use schemars::JsonSchema;
use serde::Serialize;

/// Recorded history beside the same history under another policy.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Replayed {
    /// The policy it was replayed under.
    pub policy: String,
    /// Root runs that were replayed.
    #[serde(rename = "runs")]
    pub n_runs: u64,
    pub happened: HistoryCounts,
    pub replayed: HistoryCounts,
    /// Texts of lessons that were shown, and would not have been.
    pub only_happened: Vec<String>,
    /// Texts of lessons that were not shown, and would have been.
    pub only_replayed: Vec<String>,
    /// What to keep in mind.
    pub notes: Vec<String>,
}

/// What a history amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryCounts {
    /// Lessons in blocks, each time one was shown.
    #[serde(rename = "shown")]
    pub n_shown: u64,
    /// Shown where it could have come back, and did not.
    #[serde(rename = "prevented")]
    pub n_prevented: u64,
    /// Shown, and came back.
    #[serde(rename = "repeated")]
    pub n_repeated: u64,
    /// Lessons that became active.
    #[serde(rename = "promoted")]
    pub n_promoted: u64,
    /// Lessons that faded.
    #[serde(rename = "decayed")]
    pub n_decayed: u64,
}
