//! geas's own documents, written as its schemas say: keys in their order, two spaces, a newline
//! at the end, times in whole seconds. A document that is there keeps every byte that no change
//! of its lesson concerns.

mod patch;
mod section;

use hardwon_core::foreign::{
    GeasForm, GeasHeader, GeasIndexRow, GeasLog, GeasMemory, GeasReview, GeasSignals,
};
use hardwon_core::time::Timestamp;
use serde::Serialize;

pub use patch::patched;
pub use section::section;

const VERSION: &str = "1.0";

#[derive(Serialize)]
struct Meta<'a> {
    version: &'a str,
    artifact_type: &'a str,
    artifact_id: &'a str,
    producer_type: &'a str,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

#[derive(Serialize)]
struct Signals {
    evidence_count: u32,
    reuse_count: u32,
    successful_reuses: u32,
    failed_reuses: u32,
    contradiction_count: u32,
    confidence: f64,
}

#[derive(Serialize)]
struct Candidate<'a> {
    meta: Meta<'a>,
    memory_id: &'a str,
    memory_type: &'a str,
    state: &'a str,
    title: &'a str,
    summary: &'a str,
    scope: &'a str,
    evidence_refs: &'a [String],
    signals: Signals,
    candidate_reason: &'a str,
    source_artifacts: &'a [String],
}

#[derive(Serialize)]
struct Entry<'a> {
    meta: Meta<'a>,
    memory_id: &'a str,
    memory_type: &'a str,
    state: &'a str,
    title: &'a str,
    summary: &'a str,
    scope: &'a str,
    evidence_refs: &'a [String],
    signals: Signals,
    review_after: String,
    supersedes: &'a [String],
    superseded_by: Option<&'a str>,
    tags: &'a [String],
    body: &'a [String],
}

#[derive(Serialize)]
struct Log<'a> {
    meta: Meta<'a>,
    memory_id: &'a str,
    task_id: &'a str,
    applied_by_type: &'a str,
    usage_surface: &'a str,
    effect: &'a str,
    notes: &'a str,
    followup_action: &'a str,
}

#[derive(Serialize)]
struct Review<'a> {
    meta: Meta<'a>,
    memory_id: &'a str,
    reviewer_type: &'a str,
    decision: &'a str,
    rationale: &'a str,
    required_followup: &'a [String],
    supersedes: &'a [String],
}

#[derive(Serialize)]
struct Index<'a> {
    meta: Meta<'a>,
    entries: Vec<IndexRow<'a>>,
}

#[derive(Serialize)]
struct IndexRow<'a> {
    memory_id: &'a str,
    memory_type: &'a str,
    state: &'a str,
    confidence: f64,
    tags: &'a [String],
    review_after: String,
}

/// A new document of a lesson.
pub fn memory(it: &GeasMemory) -> String {
    match it.form {
        GeasForm::Candidate => document(&Candidate {
            meta: meta(&it.header, "memory_candidate"),
            memory_id: &it.id,
            memory_type: &it.kind,
            state: &it.state,
            title: &it.title,
            summary: &it.summary,
            scope: &it.scope,
            evidence_refs: &it.evidence_refs,
            signals: signals(&it.signals),
            candidate_reason: it.candidate_reason.as_deref().unwrap_or_default(),
            source_artifacts: &it.source_artifacts,
        }),
        GeasForm::Entry => document(&Entry {
            meta: meta(&it.header, "memory_entry"),
            memory_id: &it.id,
            memory_type: &it.kind,
            state: &it.state,
            title: &it.title,
            summary: &it.summary,
            scope: &it.scope,
            evidence_refs: &it.evidence_refs,
            signals: signals(&it.signals),
            review_after: time(it.review_after.unwrap_or_default()),
            supersedes: &it.supersedes,
            superseded_by: it.superseded_by.as_deref(),
            tags: &it.tags,
            body: &it.body,
        }),
    }
}

/// A new application log.
pub fn log(it: &GeasLog) -> String {
    document(&Log {
        meta: meta(&it.header, "memory_application_log"),
        memory_id: &it.memory_id,
        task_id: &it.task_id,
        applied_by_type: &it.applied_by,
        usage_surface: &it.surface,
        effect: &it.effect,
        notes: &it.notes,
        followup_action: &it.followup,
    })
}

/// A new review.
pub fn review(it: &GeasReview) -> String {
    document(&Review {
        meta: meta(&it.header, "memory_review"),
        memory_id: &it.memory_id,
        reviewer_type: &it.reviewer,
        decision: &it.decision,
        rationale: &it.rationale,
        required_followup: &it.required_followup,
        supersedes: &it.supersedes,
    })
}

/// The index.
pub fn index(header: &GeasHeader, rows: &[GeasIndexRow]) -> String {
    let row = |row: &'_ GeasIndexRow| (row.confidence, time(row.review_after.unwrap_or_default()));
    let entries = rows.iter().map(|it| {
        let (confidence, review_after) = row(it);
        IndexRow {
            memory_id: &it.memory_id,
            memory_type: &it.kind,
            state: &it.state,
            confidence,
            tags: &it.tags,
            review_after,
        }
    });
    document(&Index { meta: meta(header, "memory_index"), entries: entries.collect() })
}

/// What happened to lessons, for geas's ledger.
pub enum Happening<'a> {
    Promoted {
        memory_id: &'a str,
        from: &'a str,
        to: &'a str,
    },
    Decayed {
        memory_id: &'a str,
        reason: &'a str,
    },
    /// A task was read.
    Extracted {
        task_id: &'a str,
        candidates: usize,
    },
    /// All that waited was decided.
    Batch {
        promoted: usize,
        rejected: usize,
        decayed: usize,
    },
    /// Rules were proposed or written.
    Rules {
        status: &'a str,
    },
}

/// One line of the ledger.
pub fn event(happening: &Happening<'_>, at: Timestamp) -> String {
    let word = |word: &str| serde_json::Value::from(word).to_string();
    let fields = match happening {
        Happening::Promoted { memory_id, from, to } => format!(
            "\"event\":\"memory_promoted\",\"memory_id\":{},\"from_state\":{},\"to_state\":{}",
            word(memory_id),
            word(from),
            word(to)
        ),
        Happening::Decayed { memory_id, reason } => format!(
            "\"event\":\"memory_decayed\",\"memory_id\":{},\"reason\":{}",
            word(memory_id),
            word(reason)
        ),
        Happening::Extracted { task_id, candidates } => format!(
            "\"event\":\"memory_extraction\",\"task_id\":{},\"candidates\":{candidates}",
            word(task_id)
        ),
        Happening::Batch { promoted, rejected, decayed } => format!(
            "\"event\":\"memory_promotion_batch\",\"promoted\":{promoted},\
             \"rejected\":{rejected},\"decayed\":{decayed}"
        ),
        Happening::Rules { status } => {
            format!("\"event\":\"rules_update\",\"status\":{}", word(status))
        }
    };
    format!("{{{fields},\"timestamp\":{}}}\n", word(&time(at)))
}

fn meta<'a>(header: &'a GeasHeader, artifact_type: &'a str) -> Meta<'a> {
    Meta {
        version: if header.version.is_empty() { VERSION } else { &header.version },
        artifact_type,
        artifact_id: &header.artifact_id,
        producer_type: &header.producer,
        created_at: time(header.created_at.unwrap_or_default()),
        updated_at: header.updated_at.map(time),
    }
}

fn signals(it: &GeasSignals) -> Signals {
    Signals {
        evidence_count: it.evidence_count,
        reuse_count: it.reuse_count,
        successful_reuses: it.successful_reuses,
        failed_reuses: it.failed_reuses,
        contradiction_count: it.contradiction_count,
        confidence: it.confidence.unwrap_or_default(),
    }
}

/// The schemas know seconds only.
fn time(at: Timestamp) -> String {
    Timestamp(at.0.div_euclid(1000) * 1000).to_string()
}

fn document(value: &impl Serialize) -> String {
    pretty(value) + "\n"
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("strings, numbers and lists")
}

#[cfg(test)]
mod tests;
