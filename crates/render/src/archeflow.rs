//! ArcheFlow's own files, written as ArcheFlow writes them: one compact JSON object a line.

use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignFile};
use hardwon_core::gate::without_control;
use hardwon_core::time::Timestamp;

use crate::json_line::{Field, compacted, is_json, object, text, texts, with_fields};

/// A new line of `lessons.jsonl`.
pub fn line(lesson: &ArcheflowLesson) -> String {
    object(&lesson_fields(lesson))
}

/// A line of `lessons.jsonl` after a change: only what differs between the two records
/// is written.
pub fn patched(raw: &[u8], from: &ArcheflowLesson, to: &ArcheflowLesson) -> Vec<u8> {
    // Times are compared as times: two of them may be written alike.
    let differs = |(old, new): &(Field<'_>, Field<'_>)| match new.0 {
        "ts" => from.ts != to.ts,
        _ => old != new,
    };
    let pairs = lesson_fields(from).into_iter().zip(lesson_fields(to)).filter(differs);
    with_fields(raw, &pairs.map(|(_, new)| new).collect::<Vec<_>>())
}

/// Every field of a lesson, in the order in which ArcheFlow writes them.
fn lesson_fields(lesson: &ArcheflowLesson) -> Vec<Field<'static>> {
    let archetype = lesson.archetype.as_deref().map_or_else(|| "null".to_owned(), text);
    let fields = [
        ("id", text(&lesson.id)),
        ("ts", seconds(lesson.ts)),
        ("run_id", text(&lesson.run_id)),
        ("type", text(&lesson.kind)),
        ("source", text(&lesson.source)),
        ("description", text(&lesson.description)),
        ("frequency", lesson.frequency.to_string()),
        ("severity", text(&lesson.severity)),
        ("domain", text(&lesson.domain)),
        ("tags", texts(&lesson.tags)),
        ("archetype", archetype),
        ("last_seen_run", text(&lesson.last_seen_run)),
        ("runs_since_last_seen", lesson.runs_since_last_seen.to_string()),
    ];
    written(fields).to_vec()
}

/// Fields that all have a value.
fn written<const N: usize>(fields: [(&'static str, String); N]) -> [Field<'static>; N] {
    fields.map(|(name, value)| (name, Some(value)))
}

/// A line of `audit.jsonl`.
pub fn audit_line(record: &ArcheflowAudit) -> String {
    match record {
        ArcheflowAudit::Injection { ts, run_id, domain, archetype, lessons } => object(&written([
            ("ts", seconds(*ts)),
            ("run_id", text(run_id)),
            ("domain", text(domain)),
            ("archetype", text(archetype)),
            ("lessons_injected", texts(lessons)),
            ("lesson_count", lessons.len().to_string()),
        ])),
        ArcheflowAudit::Check { ts, run_id, lesson_id, lesson_desc, is_helpful, overlap_pct } => {
            object(&written([
                ("ts", seconds(*ts)),
                ("run_id", text(run_id)),
                ("type", text("effectiveness_check")),
                ("lesson_id", text(lesson_id)),
                ("lesson_desc", text(lesson_desc)),
                ("effectiveness", text(if *is_helpful { "helpful" } else { "ineffective" })),
                ("keyword_overlap_pct", overlap_pct.to_string()),
            ]))
        }
    }
}

/// The file as it was read, byte for byte.
pub fn bytes<T>(file: &ForeignFile<T>) -> Vec<u8> {
    let lines: Vec<&[u8]> = file.lines.iter().map(|line| line.raw.as_slice()).collect();
    let mut bytes = lines.join(&b'\n');
    if file.has_end && !lines.is_empty() {
        bytes.push(b'\n');
    }
    bytes
}

/// The table of `memory list`: a header, then one line a lesson.
pub fn list(lessons: &[ArcheflowLesson]) -> String {
    let header = row(["ID", "Freq", "Type", "Domain", "Description"]);
    let rows = lessons.iter().map(|lesson| {
        let frequency = lesson.frequency.to_string();
        row([&lesson.id, &frequency, &lesson.kind, &lesson.domain, &lesson.description])
    });
    std::iter::once(header).chain(rows).collect()
}

fn row(cells: [&str; 5]) -> String {
    let [id, frequency, kind, domain, description] = cells.map(without_control);
    format!("{id:<8} {frequency:<5} {kind:<15} {domain:<8} {description}\n")
}

/// ArcheFlow's times have no fractions. An unknown time is an empty string.
fn seconds(ts: Option<Timestamp>) -> String {
    let whole = |ts: Timestamp| Timestamp(ts.0.saturating_sub(ts.0.rem_euclid(1000))).to_string();
    text(&ts.map(whole).unwrap_or_default())
}

#[cfg(test)]
mod tests;

/// One event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventLine<'a> {
    pub ts: Timestamp,
    pub run_id: &'a str,
    pub seq: u64,
    /// The events that led to this one, by their `seq`.
    pub parents: &'a [u64],
    pub event_type: &'a str,
    pub phase: &'a str,
    pub agent: Option<&'a str>,
    /// JSON; anything else is written as a string, so that the line stays valid.
    pub data: &'a str,
}

/// A line of `events/<run_id>.jsonl`.
pub fn event_line(event: &EventLine<'_>) -> String {
    let EventLine { ts, run_id, seq, parents, event_type, phase, agent, data } = *event;
    let parents: Vec<String> = parents.iter().map(u64::to_string).collect();
    object(&written([
        ("ts", seconds(Some(ts))),
        ("run_id", text(run_id)),
        ("seq", seq.to_string()),
        ("parent", format!("[{}]", parents.join(","))),
        ("type", text(event_type)),
        ("phase", text(phase)),
        ("agent", agent.map_or_else(|| "null".to_owned(), text)),
        ("data", compact_data(data)),
    ]))
}

fn compact_data(data: &str) -> String {
    if is_json(data) {
        String::from_utf8_lossy(&compacted(data.as_bytes())).into_owned()
    } else {
        text(data)
    }
}
