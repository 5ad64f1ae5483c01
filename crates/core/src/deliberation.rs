//! What did an agent answer, and what was its verdict? One full answer of one role in one run, kept
//! so that it can be looked up later. No lesson: nothing of it is ever put into a block.

pub mod keep;
pub mod search;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::finding::Grade;
use crate::gate::start_of;
use crate::ids::RunId;
use crate::text::Text;
use crate::time::Timestamp;
use crate::words::unique_words;

/// So much of a response is indexed, in bytes: what follows is quoted code and output.
const INDEXED_BYTES: usize = 8 << 10;

/// One full answer with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deliberation {
    /// `d-` and the digest of run, role and answer.
    pub id: String,
    pub run: RunId,
    pub role: String,
    /// In lower case, in the words of its author: `pass`, `fail`, `fixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// As given, or its first sentence.
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Read and written together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    pub at: Timestamp,
    /// Without a body where it was struck, or where the store keeps none.
    pub response: Text,
}

/// Which of them are asked for. An open field excludes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliberationFilter {
    /// The beginning of an id.
    pub id: Option<String>,
    pub role: Option<String>,
    pub run: Option<RunId>,
    pub verdict: Option<String>,
    pub since: Option<Timestamp>,
    /// The oldest first that still have their response, instead of the newest.
    pub oldest_kept: bool,
}

impl DeliberationFilter {
    pub fn admits(&self, it: &Deliberation) -> bool {
        let is_it = |asked: &Option<String>, own: Option<&str>| {
            asked.as_deref().is_none_or(|asked| own == Some(asked))
        };
        self.id.as_deref().is_none_or(|start| it.id.starts_with(start))
            && is_it(&self.role, Some(&it.role))
            && is_it(&self.verdict, it.verdict.as_deref())
            && self.run.as_ref().is_none_or(|run| *run == it.run)
            && self.since.is_none_or(|since| it.at >= since)
            && (!self.oldest_kept || it.response.body().is_some())
    }

    /// Whether it excludes anything.
    pub fn is_open(&self) -> bool {
        *self == DeliberationFilter::default()
    }
}

impl Deliberation {
    /// How much room its response takes.
    pub fn n_bytes(&self) -> u64 {
        self.response.body().map_or(0, |body| body.len() as u64)
    }

    /// What it is indexed under. Sorted, each once.
    pub fn terms(&self) -> Vec<String> {
        let response = start_of(self.response.body().unwrap_or_default(), INDEXED_BYTES);
        let mut terms: BTreeSet<String> = unique_words(response).into_iter().collect();
        terms.extend(unique_words(&self.summary));
        terms.into_iter().collect()
    }
}
