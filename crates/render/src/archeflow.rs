//! ArcheFlow's own files, written as ArcheFlow writes them: one compact JSON object a
//! line. A line that is already there is patched in place, so that everything in it that
//! we do not know, or have no reason to touch, keeps its bytes.

use std::ops::Range;

use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignFile};
use hardwon_core::gate::without_control;
use hardwon_core::time::Timestamp;

mod run;
mod scan;

pub use run::{EventLine, event_line, index_line};

/// The value of a field, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    Text(&'a str),
    Number(u64),
    Null,
    Texts(&'a [String]),
    /// JSON already, for what is nested or not a whole number.
    Json(&'a str),
}

impl Field<'_> {
    fn json(&self) -> String {
        match self {
            Field::Text(text) => json_text(text),
            Field::Number(number) => number.to_string(),
            Field::Null => "null".to_owned(),
            Field::Texts(texts) => {
                let items: Vec<String> = texts.iter().map(|text| json_text(text)).collect();
                format!("[{}]", items.join(","))
            }
            Field::Json(json) => (*json).to_owned(),
        }
    }
}

/// The bytes of a top-level field's value, as it is spelled.
pub(crate) fn value_of<'a>(raw: &'a [u8], key: &str) -> Option<&'a [u8]> {
    scan::layout(raw)?.value_of(key).map(|span| &raw[span])
}

/// A line with these top-level fields set, and every other byte as it was. Of a key that
/// stands twice the last one is set, because that is the one that parsers believe; one
/// that is missing goes behind the others. What is no JSON object stays as it is.
pub fn with_fields(raw: &[u8], fields: &[(&str, Field<'_>)]) -> Vec<u8> {
    let Some(layout) = scan::layout(raw) else {
        return raw.to_vec();
    };
    let (mut edits, mut added) = (Vec::new(), Vec::new());
    for (at, (key, field)) in fields.iter().enumerate() {
        if fields[at + 1..].iter().any(|(later, _)| later == key) {
            continue;
        }
        match layout.value_of(key) {
            Some(span) => edits.push((span, field.json())),
            None => added.push(entry(key, &field.json())),
        }
    }
    edits.sort_by_key(|(span, _)| span.start);
    if !added.is_empty() {
        let comma = if layout.is_empty() { "" } else { "," };
        let end = layout.end_of_entries();
        edits.push((end..end, format!("{comma}{}", added.join(","))));
    }
    edited(raw, &edits)
}

/// Replaces spans that stand in order and do not overlap.
fn edited(raw: &[u8], edits: &[(Range<usize>, String)]) -> Vec<u8> {
    let (mut out, mut taken) = (Vec::with_capacity(raw.len()), 0);
    for (span, text) in edits {
        out.extend_from_slice(&raw[taken..span.start]);
        out.extend_from_slice(text.as_bytes());
        taken = span.end;
    }
    out.extend_from_slice(&raw[taken..]);
    out
}

/// The same JSON without the white space that says nothing; strings and numbers stay as
/// they are spelled. What is no JSON stays as it is.
pub fn compacted(raw: &[u8]) -> Vec<u8> {
    scan::without_space(raw).unwrap_or_else(|| raw.to_vec())
}

/// A new line of `lessons.jsonl`.
pub fn line(lesson: &ArcheflowLesson) -> String {
    let ts = lesson.ts.map(seconds).unwrap_or_default();
    object(&lesson_fields(lesson, &ts))
}

/// A line of `lessons.jsonl` after a change: only what differs between the two records
/// is written.
pub fn patched(raw: &[u8], from: &ArcheflowLesson, to: &ArcheflowLesson) -> Vec<u8> {
    let ts = |lesson: &ArcheflowLesson| lesson.ts.map(seconds).unwrap_or_default();
    let (ts_before, ts_after) = (ts(from), ts(to));
    let before = lesson_fields(from, &ts_before);
    let after = lesson_fields(to, &ts_after);
    // Times are compared as times: two of them may be written alike.
    let differs = |(old, new): &((&str, Field<'_>), (&str, Field<'_>))| match new.0 {
        "ts" => from.ts != to.ts,
        _ => old != new,
    };
    let pairs = before.into_iter().zip(after).filter(differs);
    let changed: Vec<(&str, Field<'_>)> = pairs.map(|(_, new)| new).collect();
    if changed.is_empty() { raw.to_vec() } else { with_fields(raw, &changed) }
}

/// Every field of a lesson, in the order in which ArcheFlow writes them.
fn lesson_fields<'a>(
    lesson: &'a ArcheflowLesson,
    written_ts: &'a str,
) -> [(&'static str, Field<'a>); 13] {
    let ArcheflowLesson {
        id,
        ts: _,
        run_id,
        kind,
        source,
        description,
        frequency,
        severity,
        domain,
        tags,
        archetype,
        last_seen_run,
        runs_since_last_seen,
    } = lesson;
    [
        ("id", Field::Text(id)),
        ("ts", Field::Text(written_ts)),
        ("run_id", Field::Text(run_id)),
        ("type", Field::Text(kind)),
        ("source", Field::Text(source)),
        ("description", Field::Text(description)),
        ("frequency", Field::Number(u64::from(*frequency))),
        ("severity", Field::Text(severity)),
        ("domain", Field::Text(domain)),
        ("tags", Field::Texts(tags)),
        ("archetype", archetype.as_deref().map_or(Field::Null, Field::Text)),
        ("last_seen_run", Field::Text(last_seen_run)),
        ("runs_since_last_seen", Field::Number(u64::from(*runs_since_last_seen))),
    ]
}

/// A line of `audit.jsonl`.
pub fn audit_line(record: &ArcheflowAudit) -> String {
    let written = |ts: &Option<Timestamp>| ts.map(seconds).unwrap_or_default();
    match record {
        ArcheflowAudit::Injection { ts, run_id, domain, archetype, lessons } => object(&[
            ("ts", Field::Text(&written(ts))),
            ("run_id", Field::Text(run_id)),
            ("domain", Field::Text(domain)),
            ("archetype", Field::Text(archetype)),
            ("lessons_injected", Field::Texts(lessons)),
            ("lesson_count", Field::Number(lessons.len() as u64)),
        ]),
        ArcheflowAudit::Check { ts, run_id, lesson_id, lesson_desc, is_helpful, overlap_pct } => {
            let effectiveness = if *is_helpful { "helpful" } else { "ineffective" };
            object(&[
                ("ts", Field::Text(&written(ts))),
                ("run_id", Field::Text(run_id)),
                ("type", Field::Text("effectiveness_check")),
                ("lesson_id", Field::Text(lesson_id)),
                ("lesson_desc", Field::Text(lesson_desc)),
                ("effectiveness", Field::Text(effectiveness)),
                ("keyword_overlap_pct", Field::Number(u64::from(*overlap_pct))),
            ])
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

fn object(fields: &[(&str, Field<'_>)]) -> String {
    let entries: Vec<String> =
        fields.iter().map(|(key, field)| entry(key, &field.json())).collect();
    format!("{{{}}}", entries.join(","))
}

fn entry(key: &str, value: &str) -> String {
    format!("{}:{value}", json_text(key))
}

/// A string as `jq` spells it: only what JSON demands is escaped, and DEL.
pub(crate) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// ArcheFlow's times have no fractions.
fn seconds(ts: Timestamp) -> String {
    Timestamp(ts.0.saturating_sub(ts.0.rem_euclid(1000))).to_string()
}

#[cfg(test)]
mod tests;
