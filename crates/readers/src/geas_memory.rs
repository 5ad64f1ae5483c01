//! What does geas remember? Reads the documents of `.geas/memory`: candidates, entries, reviews
//! and application logs. Its own programs and examples write them in more than one shape (the
//! header in an envelope or beside the fields, counters in `signals` or at the top, or left
//! out), so nothing but the words of a lesson is needed.

use hardwon_core::event::Problem;
use hardwon_core::foreign::{
    ForeignFile, ForeignLine, GeasForm, GeasHeader, GeasIndexRow, GeasLog, GeasMemory, GeasReview,
    GeasSignals,
};
use hardwon_core::list;
use serde_json::Value;

use crate::archeflow_memory::{object, unknown_fields};
use crate::fields::{Fields, amount};
use crate::lines::{BYTE_ORDER_MARK, Limits};
use crate::notes::Notes;

pub fn geas_memory(name: &str, bytes: &[u8]) -> (ForeignFile<GeasMemory>, Vec<Problem>) {
    let (record, problems) = document(name, bytes, memory);
    let line = ForeignLine { raw: bytes.to_vec(), record };
    (ForeignFile { lines: vec![line], has_end: true }, problems)
}

pub fn geas_log(name: &str, bytes: &[u8]) -> (Option<GeasLog>, Vec<Problem>) {
    document(name, bytes, log)
}

pub fn geas_review(name: &str, bytes: &[u8]) -> (Option<GeasReview>, Vec<Problem>) {
    document(name, bytes, review)
}

/// The rows of the index, as far as they name a lesson and its state; `None` if it is no index.
pub fn geas_index(bytes: &[u8]) -> Option<Vec<GeasIndexRow>> {
    let notes = Notes::default();
    let object = object(bytes, &notes)?;
    let entries = Fields::new(&object, &notes).list("entries")?;
    let word = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let row = |row: &Value| GeasIndexRow {
        memory_id: word(row, "memory_id"),
        state: word(row, "state"),
        ..GeasIndexRow::default()
    };
    Some(entries.iter().map(row).collect())
}

/// Names of fields that a document of a lesson has besides those of the schemas.
pub fn geas_unknown_fields(raw: &[u8]) -> Vec<String> {
    unknown_fields(raw, list!("fields.txt", "geas memory"))
}

fn document<T>(
    name: &str,
    bytes: &[u8],
    read: impl Fn(Fields<'_>) -> Option<T>,
) -> (Option<T>, Vec<Problem>) {
    let notes = Notes::new(name, Limits::default().n_problems);
    let content = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if content.trim_ascii().is_empty() {
        notes.problem("it is empty; kept as it is");
    }
    let object = object(content, &notes);
    let read = object.and_then(|object| read(Fields::new(&object, &notes)));
    (read, notes.into_problems())
}

fn memory(fields: Fields<'_>) -> Option<GeasMemory> {
    let title = fields.silent("title").unwrap_or_default().trim().to_owned();
    let summary = fields.silent("summary").filter(|text| !text.trim().is_empty());
    let summary = summary.map(str::to_owned).or_else(|| Some(title.clone()));
    let Some(summary) = summary.filter(|text| !text.is_empty()) else {
        fields.notes.problem("a lesson without \"summary\" and \"title\"; kept as it is");
        return None;
    };
    let word = |name: &str| fields.silent(name).unwrap_or_default().trim().to_owned();
    let texts = |name: &str| fields.texts(name).unwrap_or_default();
    let body = match fields.silent("body") {
        Some(text) => text.lines().map(str::to_owned).collect(),
        None => texts("body"),
    };
    Some(GeasMemory {
        form: form(fields),
        header: header(fields),
        id: fields.id("memory_id").unwrap_or_default().trim().to_owned(),
        kind: word("memory_type"),
        state: word("state").to_lowercase(),
        title,
        summary,
        scope: word("scope").to_lowercase(),
        evidence_refs: texts("evidence_refs"),
        signals: signals(fields),
        candidate_reason: fields.words("candidate_reason"),
        source_artifacts: texts("source_artifacts"),
        review_after: fields.time_or_empty("review_after"),
        supersedes: texts("supersedes"),
        superseded_by: fields.words("superseded_by"),
        tags: texts("tags"),
        body,
    })
}

/// Which of the two it is: by its own word, or else by the fields that only one of them has.
fn form(fields: Fields<'_>) -> GeasForm {
    let of_meta = fields.silent_object("meta").and_then(|meta| meta.silent("artifact_type"));
    match of_meta.or_else(|| fields.silent("artifact_type")) {
        Some("memory_candidate") => GeasForm::Candidate,
        Some("memory_entry") => GeasForm::Entry,
        _ if fields.has("review_after") => GeasForm::Entry,
        _ if fields.has("candidate_reason") => GeasForm::Candidate,
        _ if fields.silent("state") == Some("candidate") => GeasForm::Candidate,
        _ => GeasForm::Entry,
    }
}

/// In an envelope, beside the fields, or half of it here and half there.
fn header(fields: Fields<'_>) -> GeasHeader {
    let meta = fields.silent_object("meta");
    let holder = |name: &str| meta.filter(|meta| meta.has(name)).unwrap_or(fields);
    let word = |name: &str| holder(name).silent(name).unwrap_or_default().trim().to_owned();
    let time = |name: &str| holder(name).time_or_empty(name);
    GeasHeader {
        version: word("version"),
        artifact_id: word("artifact_id"),
        producer: word("producer_type"),
        created_at: time("created_at"),
        updated_at: time("updated_at"),
    }
}

fn signals(fields: Fields<'_>) -> GeasSignals {
    let inside = fields.silent_object("signals");
    let holder = |name: &str| inside.filter(|inside| inside.has(name)).unwrap_or(fields);
    let count = |name: &str| holder(name).counter(name, 0);
    let (successful, failed) = (count("successful_reuses"), count("failed_reuses"));
    let confidence = holder("confidence").value("confidence").and_then(amount);
    GeasSignals {
        evidence_count: count("evidence_count"),
        reuse_count: holder("reuse_count")
            .counter("reuse_count", successful.saturating_add(failed)),
        successful_reuses: successful,
        failed_reuses: failed,
        contradiction_count: count("contradiction_count"),
        confidence: confidence.map(|confidence| confidence.min(1.0)),
    }
}

fn log(fields: Fields<'_>) -> Option<GeasLog> {
    let word = |name: &str| fields.silent(name).unwrap_or_default().trim().to_owned();
    let needed = |name: &str| {
        let reason = format!("an application without \"{name}\" is not counted");
        let id = fields.id(name).filter(|id| !id.trim().is_empty());
        if id.is_none() {
            fields.notes.problem(reason);
        }
        id.map(|id| id.trim().to_owned())
    };
    Some(GeasLog {
        header: header(fields),
        memory_id: needed("memory_id")?,
        task_id: needed("task_id")?,
        applied_by: word("applied_by_type"),
        surface: word("usage_surface").to_lowercase(),
        effect: word("effect").to_lowercase(),
        notes: word("notes"),
        followup: word("followup_action").to_lowercase(),
    })
}

/// Flat, as the skill asks for it, or in an envelope, as the schema wants it.
fn review(fields: Fields<'_>) -> Option<GeasReview> {
    let word = |name: &str| fields.silent(name).unwrap_or_default().trim().to_owned();
    let decision = fields.needed_words("decision", "a review without \"decision\" is not used")?;
    let header = header(fields);
    let reviewer = fields.silent("reviewer_type").unwrap_or(&header.producer).trim().to_owned();
    Some(GeasReview {
        memory_id: fields.id("memory_id").unwrap_or_default().trim().to_owned(),
        reviewer,
        decision: decision.trim().to_lowercase(),
        rationale: word("rationale"),
        required_followup: fields.texts("required_followup").unwrap_or_default(),
        supersedes: fields.texts("supersedes").unwrap_or_default(),
        header,
    })
}

#[cfg(test)]
mod tests;
