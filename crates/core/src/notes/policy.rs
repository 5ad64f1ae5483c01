//! The numbers by which notes are judged. What a document or an issue gives is named; the others
//! are ours, and measured where a test says so.

use serde::{Deserialize, Serialize};

/// How much of the index a host loads, and how much of it may be ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexLimits {
    /// Our part, with its marks.
    pub own_lines: usize,
    pub own_bytes: usize,
    /// The whole index: what Claude Code loads.
    pub all_lines: usize,
    pub all_bytes: usize,
}

impl Default for IndexLimits {
    fn default() -> Self {
        IndexLimits { own_lines: 20, own_bytes: 2_000, all_lines: 200, all_bytes: 25_000 }
    }
}

/// Weights and bounds of a promotion. The weights are jkz's, the bounds ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromotePolicy {
    pub redundancy: f64,
    pub pattern: f64,
    pub specificity: f64,
    pub relevance: f64,
    pub uniqueness: f64,
    /// Promote from here on.
    pub promote: f64,
    /// Archive below.
    pub archive: f64,
}

impl Default for PromotePolicy {
    fn default() -> Self {
        PromotePolicy {
            redundancy: 0.30,
            pattern: 0.20,
            specificity: 0.20,
            relevance: 0.15,
            uniqueness: 0.15,
            promote: 0.70,
            archive: 0.40,
        }
    }
}

/// The numbers of bar and review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotesPolicy {
    pub limits: IndexLimits,
    pub promotion: PromotePolicy,
    /// In how many sessions a fact has to be said, unless a person states it.
    pub recurrent_sessions: usize,
    /// Share of a fact's rare words within a window of a document, from which it is documented.
    pub documented: f64,
    pub window_words: usize,
    /// Share from which a document covers a note, and from which a note adds to it.
    pub covered: f64,
    pub extends: f64,
    /// Days after which a note is stale.
    pub stale_days: i64,
    /// Share of common words from which two notes overlap.
    pub overlap: f64,
    /// Share of stale notes from which the set is in a critical state.
    pub critical_stale: f64,
}

impl Default for NotesPolicy {
    fn default() -> Self {
        NotesPolicy {
            limits: IndexLimits::default(),
            promotion: PromotePolicy::default(),
            recurrent_sessions: 2,
            documented: 0.8,
            window_words: 40,
            covered: 0.8,
            extends: 0.4,
            stale_days: 30,
            overlap: 0.6,
            critical_stale: 0.5,
        }
    }
}
