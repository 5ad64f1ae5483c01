//! The numbers by which a draft rises or falls with the runs that used it.

use serde::{Deserialize, Serialize};

/// The numbers of the rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionPolicy {
    /// Success from which a draft is active, and after how many uses.
    pub active_at: f64,
    pub active_uses: u32,
    /// Success below which it is a draft again.
    pub draft_below: f64,
    pub draft_uses: u32,
    /// Success below which it is put away.
    pub prune_below: f64,
    pub prune_uses: u32,
}

impl Default for EvolutionPolicy {
    fn default() -> Self {
        EvolutionPolicy {
            active_at: 0.7,
            active_uses: 3,
            draft_below: 0.4,
            draft_uses: 5,
            prune_below: 0.2,
            prune_uses: 10,
        }
    }
}
