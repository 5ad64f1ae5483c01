//! What geas keeps in `.geas/memory`: one document a lesson, one a review, one an application.

use crate::time::Timestamp;

/// Which of its two documents a lesson has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GeasForm {
    #[default]
    Candidate,
    Entry,
}

/// A candidate or an entry, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeasMemory {
    pub form: GeasForm,
    pub header: GeasHeader,
    /// `mem-{task}-{n}`, or whatever stands there; empty if nothing does.
    pub id: String,
    /// One of twelve words.
    pub kind: String,
    pub state: String,
    pub title: String,
    /// The lesson's text.
    pub summary: String,
    /// task, mission, project, agent or global.
    pub scope: String,
    pub evidence_refs: Vec<String>,
    pub signals: GeasSignals,
    pub candidate_reason: Option<String>,
    pub source_artifacts: Vec<String>,
    /// Of an entry.
    pub review_after: Option<Timestamp>,
    pub supersedes: Vec<String>,
    pub superseded_by: Option<String>,
    pub tags: Vec<String>,
    pub body: Vec<String>,
}

/// The head of every document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeasHeader {
    pub version: String,
    pub artifact_id: String,
    pub producer: String,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
}

/// What geas counts for a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GeasSignals {
    pub evidence_count: u32,
    pub reuse_count: u32,
    pub successful_reuses: u32,
    pub failed_reuses: u32,
    pub contradiction_count: u32,
    pub confidence: Option<f64>,
}

/// One application of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeasLog {
    pub header: GeasHeader,
    pub memory_id: String,
    pub task_id: String,
    pub applied_by: String,
    pub surface: String,
    /// positive, negative or neutral; others also write neutral_but_risky and unknown.
    pub effect: String,
    pub notes: String,
    pub followup: String,
}

/// What was decided about a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeasReview {
    pub header: GeasHeader,
    pub memory_id: String,
    pub reviewer: String,
    pub decision: String,
    pub rationale: String,
    pub required_followup: Vec<String>,
    pub supersedes: Vec<String>,
}

/// One line of the index, which is made of the documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeasIndexRow {
    pub memory_id: String,
    pub kind: String,
    pub state: String,
    pub confidence: f64,
    pub tags: Vec<String>,
    pub review_after: Option<Timestamp>,
}
