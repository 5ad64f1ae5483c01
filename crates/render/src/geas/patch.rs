//! A document of a lesson after a change: single fields are set where they stand, and one that
//! becomes the other kind of document is put together anew, of its own bytes wherever it can.

use hardwon_core::foreign::{GeasForm, GeasMemory, GeasSignals};

use super::{artifact_type, field, header, indented, json, memory, object, time, updated};
use crate::json_line::{Field, differing, fields_of, value_of, with_fields};

/// The document with what differs between the two records changed in it.
pub fn patched(raw: &[u8], from: &GeasMemory, to: &GeasMemory) -> Vec<u8> {
    let is_same = GeasMemory { header: to.header.clone(), ..from.clone() } == *to;
    if is_same || fields_of(raw).is_empty() {
        return raw.to_vec();
    }
    if from.form != to.form {
        return converted(raw, from, to);
    }
    let mut changed = differing(&fields(from), fields(to));
    changed.retain(|(name, _)| *name != "signals");
    let counters = changed_counters(from, to);
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
    let updated = [updated(&to.header)];
    match value_of(raw, "meta").filter(|value| value.starts_with(b"{")) {
        Some(meta) => changed.push(("meta", Some(text_of(with_fields(meta, &updated))))),
        None => changed.extend(updated),
    }
    with_fields(raw, &changed)
}

/// Every field of a document but its header.
pub(super) fn fields(it: &GeasMemory) -> Vec<Field<'static>> {
    let mut fields = vec![
        field("memory_id", &it.id),
        field("memory_type", &it.kind),
        field("state", &it.state),
        field("title", &it.title),
        field("summary", &it.summary),
        field("scope", &it.scope),
        field("evidence_refs", &it.evidence_refs),
        ("signals", Some(indented(&object(counters(&it.signals))))),
    ];
    match it.form {
        GeasForm::Candidate => fields.extend([
            ("candidate_reason", it.candidate_reason.as_ref().map(json)),
            field("source_artifacts", &it.source_artifacts),
        ]),
        GeasForm::Entry => fields.extend([
            ("review_after", it.review_after.map(|at| json(&time(at)))),
            field("supersedes", &it.supersedes),
            field("superseded_by", &it.superseded_by),
            field("tags", &it.tags),
            field("body", &it.body),
        ]),
    }
    fields
}

/// What geas counts; it stands beside the other fields in some documents.
fn counters(it: &GeasSignals) -> [Field<'static>; 6] {
    [
        field("evidence_count", &it.evidence_count),
        field("reuse_count", &it.reuse_count),
        field("successful_reuses", &it.successful_reuses),
        field("failed_reuses", &it.failed_reuses),
        field("contradiction_count", &it.contradiction_count),
        ("confidence", it.confidence.map(|confidence| json(&confidence))),
    ]
}

fn changed_counters(from: &GeasMemory, to: &GeasMemory) -> Vec<Field<'static>> {
    differing(&counters(&from.signals), counters(&to.signals).to_vec())
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
    let new = fields_of(new.as_bytes());
    let value = |(name, value): &(String, &[u8])| match name.as_str() {
        "meta" if has_meta => patched_meta(raw, to),
        "signals" => patched_signals(raw, value, from, to),
        _ => unchanged(name).unwrap_or_else(|| text_of(value.to_vec())),
    };
    // Some documents have header and counters beside their other fields.
    let mut ours = fields(from);
    ours.extend(counters(&to.signals));
    if !has_meta {
        ours.extend(header(&to.header, artifact_type(to.form)));
    }
    let old = fields_of(raw);
    let is_ours = |key: &str| {
        new.iter().any(|(known, _)| known == key) || ours.iter().any(|(known, _)| *known == key)
    };
    let odd = old.iter().filter(|(key, _)| !is_ours(key));
    let odd = odd.map(|(key, value)| (key.as_str(), Some(text_of(value.to_vec()))));
    let entries = new.iter().map(|it| (it.0.as_str(), Some(value(it)))).chain(odd);
    (object(entries) + "\n").into_bytes()
}

/// The header with everything else that stands in it.
fn patched_meta(raw: &[u8], to: &GeasMemory) -> String {
    let fields = [field("artifact_type", artifact_type(to.form)), updated(&to.header)];
    text_of(with_fields(value_of(raw, "meta").unwrap_or_default(), &fields))
}

/// Its counters in the bytes that they had, if they stood together and none is missing.
fn patched_signals(raw: &[u8], new: &[u8], from: &GeasMemory, to: &GeasMemory) -> String {
    let there = value_of(raw, "signals").filter(|value| value.starts_with(b"{"));
    let is_whole =
        |value: &&[u8]| counters(&to.signals).iter().all(|it| value_of(value, it.0).is_some());
    match there.filter(is_whole) {
        Some(signals) => text_of(with_fields(signals, &changed_counters(from, to))),
        None => text_of(new.to_vec()),
    }
}

/// What was JSON stays it.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|_| "null".to_owned())
}
