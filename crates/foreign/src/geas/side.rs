//! What lies beside the documents of lessons: reviews, application logs, the index. And which of
//! two documents of one lesson is right.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::event::Problem;
use hardwon_core::foreign::{GeasIndexRow, GeasLog, GeasReview};
use hardwon_core::lesson::State;
use hardwon_readers::{geas_index, geas_log, geas_review};

use super::{ENDING, GeasLayout, INDEX, LOGS, REVIEW, REVIEWS, index, record, translate};
use crate::store::layout::{Layout, Shelf};
use crate::store::{Files, Rows};

/// Documents that are no lessons, each with its file.
#[derive(Default)]
pub struct GeasSide {
    pub(super) logs: Vec<(String, GeasLog)>,
    pub(super) reviews: Vec<(String, GeasReview)>,
    /// Every file of a review or a log, usable or not.
    pub(super) bytes: BTreeMap<String, Vec<u8>>,
    pub(super) index: Vec<u8>,
}

pub(super) fn read(files: &Files) -> (GeasSide, Vec<Problem>) {
    let mut side = GeasSide { index: files.get(INDEX).to_vec(), ..GeasSide::default() };
    let mut problems = Vec::new();
    for shelf in REVIEWS {
        let shelf = &GeasLayout::SIDE_SHELVES[shelf];
        for (name, bytes) in files.documents_of::<GeasLayout>(shelf) {
            let (review, more) = geas_review(name, bytes);
            side.reviews.extend(review.map(|review| (name.to_owned(), review)));
            side.bytes.insert(name.to_owned(), bytes.to_vec());
            problems.extend(more);
        }
    }
    for shelf in LOGS {
        for (name, bytes) in files.documents(&GeasLayout::SIDE_SHELVES[shelf]) {
            let (log, more) = geas_log(name, bytes);
            side.logs.extend(log.map(|log| (name.to_owned(), log)));
            side.bytes.insert(name.to_owned(), bytes.to_vec());
            problems.extend(more);
        }
    }
    (side, problems)
}

/// Whether a file that is called like a review is one: its lesson is there, or it states none.
pub(super) fn is_review(file: &str, files: &Files) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.strip_suffix(REVIEW).unwrap_or(name);
    let has = |shelf: &Shelf| !files.get(&shelf.file(&format!("{stem}{ENDING}"))).is_empty();
    let states_lesson =
        || record(file, files.get(file)).is_some_and(|record| !record.summary.is_empty());
    GeasLayout::SHELVES.iter().any(has) || !states_lesson()
}

/// Of two documents with one id the one with the later state is the lesson: a writer that died
/// while it moved one left both. The index is compared with what is there.
pub(super) fn settle(rows: &mut Rows<GeasLayout>) {
    let mut best: BTreeMap<String, (State, usize, usize)> = BTreeMap::new();
    let mut aside: Vec<(usize, usize)> = Vec::new();
    for (number, shelf) in GeasLayout::SHELVES.iter().enumerate() {
        for (place, (_, record)) in rows.documents(number).enumerate() {
            let Some(record) = record.filter(|record| !record.id.is_empty()) else { continue };
            let this = (translate::state(record, shelf), number, place);
            let known = best.entry(record.id.clone()).or_insert(this);
            if *known != this {
                let (later, earlier) =
                    if is_later(this, *known) { (this, *known) } else { (*known, this) };
                *known = later;
                aside.push((earlier.1, earlier.2));
            }
        }
    }
    for (shelf, place) in aside {
        let reason = "another document has the same memory_id and a later state, and is used; the \
                      next write puts this one aside";
        rows.put_aside(shelf, place, reason);
    }
    if let Some(problem) = told_index(rows) {
        rows.tell(problem);
    }
}

fn is_later(one: (State, usize, usize), other: (State, usize, usize)) -> bool {
    let order = |state: State| State::ALL.iter().position(|known| *known == state);
    // Of two in one state the entry is right, and in one folder the first.
    (order(one.0), one.1, std::cmp::Reverse(one.2))
        > (order(other.0), other.1, std::cmp::Reverse(other.2))
}

/// Whether the index says something else than the documents; one that is missing says nothing.
fn told_index(rows: &Rows<GeasLayout>) -> Option<Problem> {
    if rows.side.index.is_empty() {
        return None;
    }
    let told = |reason: String| Some(Problem::new(INDEX, reason));
    let Some(listed) = geas_index(&rows.side.index) else {
        return told("it cannot be read; the next write makes it anew".to_owned());
    };
    let of = |rows: &[GeasIndexRow]| -> BTreeSet<(String, String)> {
        rows.iter().map(|row| (row.memory_id.clone(), row.state.clone())).collect()
    };
    let there = index::rows(rows.shelf_records());
    let (listed, there) = (of(&listed), of(&there));
    let n_wrong = listed.symmetric_difference(&there).count();
    if n_wrong == 0 {
        return None;
    }
    told(format!("{n_wrong} of its rows differ from the documents; the next write makes it anew"))
}
