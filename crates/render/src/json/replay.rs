//! What happened beside what another policy would have made of it: `replay`.

use crate::answer::{Answer, HistoryCounts, Replayed};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;

#[derive(Serialize, JsonSchema)]
pub(super) struct ReplayWire {
    /// The policy it was replayed under.
    policy: String,
    /// Root runs that were replayed.
    runs: u64,
    happened: HistoryCountsWire,
    replayed: HistoryCountsWire,
    /// Texts of lessons that were shown, and would not have been.
    only_happened: Vec<String>,
    /// Texts of lessons that were not shown, and would have been.
    only_replayed: Vec<String>,
    /// What to keep in mind.
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HistoryCounts")]
struct HistoryCountsWire {
    /// Lessons in blocks, each time one was shown.
    shown: u64,
    /// Shown where it could have come back, and did not.
    prevented: u64,
    /// Shown, and came back.
    repeated: u64,
    /// Lessons that became active.
    promoted: u64,
    /// Lessons that faded.
    decayed: u64,
}

/// `replay`.
pub fn replay(replayed: &Answer<Replayed>) -> Value {
    let body = &replayed.body;
    let wire = ReplayWire {
        policy: body.policy.clone(),
        runs: body.n_runs,
        happened: counts(&body.happened),
        replayed: counts(&body.replayed),
        only_happened: body.only_happened.clone(),
        only_replayed: body.only_replayed.clone(),
        notes: body.notes.clone(),
    };
    answer(replayed, wire)
}

fn counts(counts: &HistoryCounts) -> HistoryCountsWire {
    HistoryCountsWire {
        shown: counts.n_shown,
        prevented: counts.n_prevented,
        repeated: counts.n_repeated,
        promoted: counts.n_promoted,
        decayed: counts.n_decayed,
    }
}
