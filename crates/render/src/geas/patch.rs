//! A document of a lesson after a change: single fields are set where they stand, and one that
//! becomes the other kind of document is put together anew, of its own bytes wherever it can.

use hardwon_core::foreign::{GeasForm, GeasMemory, GeasSignals};
use serde::Serialize;

use super::{memory, pretty, time};
use crate::json_line::{Field, fields_of, value_of, with_fields};

/// Fields of the header, which stand beside the others in some documents.
const HEADER: [&str; 6] =
    ["version", "artifact_type", "artifact_id", "producer_type", "created_at", "updated_at"];
/// Counters, of which the same is true.
const COUNTERS: [&str; 6] = [
    "evidence_count",
    "reuse_count",
    "successful_reuses",
    "failed_reuses",
    "contradiction_count",
    "confidence",
];
/// Fields that only the other kind of document has.
const OF_CANDIDATES: [&str; 2] = ["candidate_reason", "source_artifacts"];
const OF_ENTRIES: [&str; 5] = ["review_after", "supersedes", "superseded_by", "tags", "body"];

/// The document with what differs between the two records changed in it.
pub fn patched(raw: &[u8], from: &GeasMemory, to: &GeasMemory) -> Vec<u8> {
    let is_same = GeasMemory { header: to.header.clone(), ..from.clone() } == *to;
    if is_same || fields_of(raw).is_empty() {
        return raw.to_vec();
    }
    if from.form != to.form {
        return converted(raw, from, to);
    }
    let mut changed = changed_fields(from, to);
    let counters = changed_counters(&from.signals, &to.signals);
    match value_of(raw, "signals").filter(|value| value.starts_with(b"{")) {
        Some(signals) => {
            let at_top = |(name, _): &Field<'_>| {
                value_of(signals, name).is_none() && value_of(raw, name).is_some()
            };
            let (top, inside): (Vec<_>, Vec<_>) = counters.into_iter().partition(at_top);
            if !inside.is_empty() {
                changed.push(("signals", Some(text_of(with_fields(signals, &inside)))));
            }
            changed.extend(top);
        }
        None => changed.extend(counters),
    }
    let updated = [("updated_at", to.header.updated_at.map(|at| json(&time(at))))];
    match value_of(raw, "meta").filter(|value| value.starts_with(b"{")) {
        Some(meta) => changed.push(("meta", Some(text_of(with_fields(meta, &updated))))),
        None => changed.extend(updated),
    }
    with_fields(raw, &changed)
}

fn changed_fields(from: &GeasMemory, to: &GeasMemory) -> Vec<Field<'static>> {
    let (old, new) = (fields(from), fields(to));
    let is_other = |((_, old), (_, new)): &(&Field<'_>, &Field<'_>)| old != new;
    old.iter().zip(&new).filter(is_other).map(|(_, new)| new.clone()).collect()
}

/// Every field that a lesson can change, but its counters.
fn fields(it: &GeasMemory) -> Vec<Field<'static>> {
    let mut fields = vec![
        ("memory_id", Some(json(&it.id))),
        ("memory_type", Some(json(&it.kind))),
        ("state", Some(json(&it.state))),
        ("title", Some(json(&it.title))),
        ("summary", Some(json(&it.summary))),
        ("scope", Some(json(&it.scope))),
        ("evidence_refs", Some(json(&it.evidence_refs))),
    ];
    match it.form {
        GeasForm::Candidate => fields.extend([
            ("candidate_reason", it.candidate_reason.as_ref().map(json)),
            ("source_artifacts", Some(json(&it.source_artifacts))),
        ]),
        GeasForm::Entry => fields.extend([
            ("review_after", it.review_after.map(|at| json(&time(at)))),
            ("supersedes", Some(json(&it.supersedes))),
            ("superseded_by", it.superseded_by.as_ref().map(json)),
            ("tags", Some(json(&it.tags))),
            ("body", Some(json(&it.body))),
        ]),
    }
    fields
}

fn changed_counters(from: &GeasSignals, to: &GeasSignals) -> Vec<Field<'static>> {
    let counts = |it: &GeasSignals| {
        [
            Some(it.evidence_count.to_string()),
            Some(it.reuse_count.to_string()),
            Some(it.successful_reuses.to_string()),
            Some(it.failed_reuses.to_string()),
            Some(it.contradiction_count.to_string()),
            it.confidence.map(|confidence| json(&confidence)),
        ]
    };
    let counters = COUNTERS.into_iter().zip(counts(from).into_iter().zip(counts(to)));
    counters.filter(|(_, (old, new))| old != new).map(|(name, (_, new))| (name, new)).collect()
}

/// The other kind of document: keys in their order, values in the bytes that they had, and
/// behind them whatever we do not know.
fn converted(raw: &[u8], from: &GeasMemory, to: &GeasMemory) -> Vec<u8> {
    let new = memory(to);
    let has_meta = value_of(raw, "meta").is_some_and(|meta| meta.starts_with(b"{"));
    let unchanged = |name: &str| {
        let same = |it: &GeasMemory| fields(it).into_iter().find(|(key, _)| *key == name);
        let is_known = same(from).is_some() && same(from) == same(to);
        value_of(raw, name).filter(|_| is_known).map(|value| text_of(value.to_vec()))
    };
    let mut entries: Vec<(String, String)> = Vec::new();
    for (name, value) in fields_of(new.as_bytes()) {
        let value = match name.as_str() {
            "meta" if has_meta => patched_meta(raw, to),
            "signals" => patched_signals(raw, value, from, to),
            _ => unchanged(&name).unwrap_or_else(|| text_of(value.to_vec())),
        };
        entries.push((name, value));
    }
    for (name, value) in fields_of(raw) {
        let key = name.as_str();
        let is_ours = entries.iter().any(|(known, _)| *known == name)
            || COUNTERS.contains(&key)
            || OF_CANDIDATES.contains(&key)
            || OF_ENTRIES.contains(&key)
            || !has_meta && HEADER.contains(&key);
        if !is_ours {
            entries.push((name, text_of(value.to_vec())));
        }
    }
    let lines: Vec<String> =
        entries.iter().map(|(name, value)| format!("  {}: {value}", json(name))).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n")).into_bytes()
}

/// The header with everything else that stands in it.
fn patched_meta(raw: &[u8], to: &GeasMemory) -> String {
    let kind = match to.form {
        GeasForm::Candidate => "memory_candidate",
        GeasForm::Entry => "memory_entry",
    };
    let updated = to.header.updated_at.map(|at| json(&time(at)));
    let fields = [("artifact_type", Some(json(kind))), ("updated_at", updated)];
    text_of(with_fields(value_of(raw, "meta").unwrap_or_default(), &fields))
}

/// Its counters in the bytes that they had, if they stood together and none is missing.
fn patched_signals(raw: &[u8], new: &[u8], from: &GeasMemory, to: &GeasMemory) -> String {
    let there = value_of(raw, "signals").filter(|value| value.starts_with(b"{"));
    let is_whole = |value: &&[u8]| COUNTERS.iter().all(|name| value_of(value, name).is_some());
    match there.filter(is_whole) {
        Some(signals) => {
            text_of(with_fields(signals, &changed_counters(&from.signals, &to.signals)))
        }
        None => text_of(new.to_vec()),
    }
}

/// A value as it stands in a document: its further lines are indented.
fn json(value: &(impl Serialize + ?Sized)) -> String {
    pretty(&value).replace('\n', "\n  ")
}

/// What was JSON stays it.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|_| "null".to_owned())
}
