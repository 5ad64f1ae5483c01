//! `state/memory-index.json`: made of the documents, whoever wrote them, and of nothing else, so
//! that one that was deleted comes back the same.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::foreign::{GeasForm, GeasHeader, GeasIndexRow, GeasMemory};
use hardwon_core::lesson::State;
use hardwon_core::time::Timestamp;
use hardwon_readers::System;
use hardwon_render::geas as render;

use super::agents::ORCHESTRATOR;
use super::translate::state;
use super::{GeasLayout, INDEX, record};
use crate::store::layout::{Layout, Shelf};
use crate::store::{FileWrite, Write, Writing};

const DAYS_30: i64 = 30 * 24 * 60 * 60 * 1000;
/// What stands for a type that is not geas's.
const USUAL_KIND: &str = "process_improvement";

pub(super) fn rows<'a, 's>(
    records: impl Iterator<Item = (&'s Shelf, &'a GeasMemory)>,
) -> Vec<GeasIndexRow> {
    let mut rows: BTreeMap<String, GeasIndexRow> = BTreeMap::new();
    for (shelf, record) in records.filter(|(_, record)| !record.id.is_empty()) {
        rows.insert(record.id.clone(), row(shelf, record));
    }
    rows.into_values().collect()
}

fn row(shelf: &Shelf, record: &GeasMemory) -> GeasIndexRow {
    let state = state(record, shelf);
    let is_dated = record.form == GeasForm::Entry && state != State::Candidate;
    let created_at = record.header.created_at.unwrap_or_default();
    // A candidate has no date, and the schema wants one.
    let usual = Timestamp(created_at.0 + DAYS_30);
    let is_known = |word: &&str| *word == record.kind;
    let mut seen = BTreeSet::new();
    GeasIndexRow {
        memory_id: record.id.clone(),
        kind: System::Geas.words().find(is_known).unwrap_or(USUAL_KIND).to_owned(),
        state: state.word().to_owned(),
        confidence: record.signals.confidence.unwrap_or_default(),
        tags: record.tags.iter().filter(|tag| seen.insert(*tag)).cloned().collect(),
        review_after: Some(record.review_after.filter(|_| is_dated).unwrap_or(usual)),
    }
}

/// The index of what will be there, if it is not that already.
pub(super) fn write(writing: &Writing<'_, GeasLayout>, planned: &[FileWrite]) -> Option<FileWrite> {
    let changed: BTreeMap<&str, &Write> =
        planned.iter().map(|it| (it.name.as_str(), &it.write)).collect();
    let mut parsed: Vec<(&Shelf, GeasMemory)> = Vec::new();
    let mut kept: Vec<(&Shelf, &GeasMemory)> = Vec::new();
    for (number, shelf) in GeasLayout::SHELVES.iter().enumerate() {
        let there = writing.rows.documents(number).filter(|(name, _)| !changed.contains_key(name));
        kept.extend(there.filter_map(|(_, record)| Some((shelf, record?))));
        // Of reviews nothing is planned yet, so whatever is there is a lesson.
        let all = Shelf { except_ending: None, ..*shelf };
        for it in planned.iter().filter(|it| all.has_file(&it.name)) {
            let Write::Replace(bytes) = &it.write else { continue };
            parsed.extend(record(&it.name, bytes).map(|record| (shelf, record)));
        }
    }
    let all: Vec<(&Shelf, &GeasMemory)> =
        kept.into_iter().chain(parsed.iter().map(|(shelf, record)| (*shelf, record))).collect();
    if all.is_empty() && writing.rows.side.index.is_empty() {
        return None;
    }
    let text = text(&all);
    let is_same = text.as_bytes() == writing.rows.side.index;
    (!is_same).then(|| FileWrite::of_project(INDEX, Write::Replace(text.into_bytes())))
}

pub(super) fn text(records: &[(&Shelf, &GeasMemory)]) -> String {
    render::index(&header(records), &rows(records.iter().copied()))
}

/// Times are those of the documents: the same documents have the same index.
fn header(records: &[(&Shelf, &GeasMemory)]) -> GeasHeader {
    let headers = || records.iter().map(|(_, record)| &record.header);
    let last = |header: &GeasHeader| header.updated_at.max(header.created_at);
    GeasHeader {
        artifact_id: "memory-index".to_owned(),
        producer: ORCHESTRATOR.to_owned(),
        created_at: headers().filter_map(|header| header.created_at).min(),
        updated_at: headers().filter_map(last).max(),
        ..GeasHeader::default()
    }
}
