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

use crate::json_line::Field;

pub use patch::patched;
pub use section::section;

const VERSION: &str = "1.0";

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
    // What its schema asks for is never left out.
    let whole = GeasMemory {
        signals: GeasSignals {
            confidence: Some(it.signals.confidence.unwrap_or_default()),
            ..it.signals
        },
        candidate_reason: Some(it.candidate_reason.clone().unwrap_or_default()),
        review_after: Some(it.review_after.unwrap_or_default()),
        ..it.clone()
    };
    document(&it.header, artifact_type(it.form), patch::fields(&whole))
}

pub fn log(it: &GeasLog) -> String {
    let fields = [
        ("memory_id", &it.memory_id),
        ("task_id", &it.task_id),
        ("applied_by_type", &it.applied_by),
        ("usage_surface", &it.surface),
        ("effect", &it.effect),
        ("notes", &it.notes),
        ("followup_action", &it.followup),
    ];
    document(&it.header, "memory_application_log", fields.map(|(name, it)| field(name, it)))
}

pub fn review(it: &GeasReview) -> String {
    let fields = [
        field("memory_id", &it.memory_id),
        field("reviewer_type", &it.reviewer),
        field("decision", &it.decision),
        field("rationale", &it.rationale),
        field("required_followup", &it.required_followup),
        field("supersedes", &it.supersedes),
    ];
    document(&it.header, "memory_review", fields)
}

pub fn index(header: &GeasHeader, rows: &[GeasIndexRow]) -> String {
    let entries = rows.iter().map(|it| IndexRow {
        memory_id: &it.memory_id,
        memory_type: &it.kind,
        state: &it.state,
        confidence: it.confidence,
        tags: &it.tags,
        review_after: time(it.review_after.unwrap_or_default()),
    });
    document(header, "memory_index", [field("entries", &entries.collect::<Vec<_>>())])
}

/// What happened to lessons, for geas's ledger.
#[derive(Serialize)]
#[serde(tag = "event")]
pub enum Happening<'a> {
    #[serde(rename = "memory_promoted")]
    Promoted { memory_id: &'a str, from_state: &'a str, to_state: &'a str },
    #[serde(rename = "memory_decayed")]
    Decayed { memory_id: &'a str, reason: &'a str },
    /// A task was read.
    #[serde(rename = "memory_extraction")]
    Extracted { task_id: &'a str, candidates: usize },
    /// All that waited was decided.
    #[serde(rename = "memory_promotion_batch")]
    Batch { promoted: usize, rejected: usize, decayed: usize },
    /// Rules were proposed or written.
    #[serde(rename = "rules_update")]
    Rules { status: &'a str },
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    happening: &'a Happening<'a>,
    timestamp: String,
}

pub fn event(happening: &Happening<'_>, at: Timestamp) -> String {
    let line = serde_json::to_string(&Line { happening, timestamp: time(at) });
    line.expect("strings and numbers") + "\n"
}

/// What the header of a lesson's document calls it.
fn artifact_type(form: GeasForm) -> &'static str {
    match form {
        GeasForm::Candidate => "memory_candidate",
        GeasForm::Entry => "memory_entry",
    }
}

fn header(it: &GeasHeader, artifact_type: &str) -> [Field<'static>; 6] {
    [
        field("version", if it.version.is_empty() { VERSION } else { &it.version }),
        field("artifact_type", artifact_type),
        field("artifact_id", &it.artifact_id),
        field("producer_type", &it.producer),
        field("created_at", &time(it.created_at.unwrap_or_default())),
        updated(it),
    ]
}

fn updated(it: &GeasHeader) -> Field<'static> {
    ("updated_at", it.updated_at.map(|at| json(&time(at))))
}

/// The schemas know seconds only.
fn time(at: Timestamp) -> String {
    Timestamp(at.0.div_euclid(1000) * 1000).to_string()
}

fn field<'a>(name: &'a str, value: &(impl Serialize + ?Sized)) -> Field<'a> {
    (name, Some(json(value)))
}

/// A value as it stands in a document: its further lines are indented.
fn json(value: &(impl Serialize + ?Sized)) -> String {
    indented(&serde_json::to_string_pretty(value).expect("strings, numbers and lists"))
}

fn indented(value: &str) -> String {
    value.replace('\n', "\n  ")
}

fn document(
    it: &GeasHeader,
    artifact_type: &str,
    fields: impl IntoIterator<Item = Field<'static>>,
) -> String {
    let meta = indented(&object(header(it, artifact_type)));
    object([("meta", Some(meta))].into_iter().chain(fields)) + "\n"
}

/// A line for each field that has a value.
fn object<'a>(fields: impl IntoIterator<Item = Field<'a>>) -> String {
    let line = |(name, value): Field<'_>| Some(format!("  {}: {}", json(name), value?));
    let lines: Vec<String> = fields.into_iter().filter_map(line).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

#[cfg(test)]
mod tests;
