//! Ours and others' writes in turn: each sees what the other did, and nothing is lost.

use std::collections::BTreeSet;

use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::lessons;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Raw, lines, record};
use crate::place::Place;

/// What we or others do to the folder.
#[derive(Clone, Debug)]
enum Step {
    Add,
    Pin(usize),
    Forget(usize),
    Restore(usize),
    /// Others: another frequency, a line less, a line more, a line to the archive.
    Count(usize, u32),
    Remove(usize),
    Append(Raw),
    Archive(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Add),
        (0usize..12).prop_map(Step::Pin),
        (0usize..12).prop_map(Step::Forget),
        (0usize..12).prop_map(Step::Restore),
        (0usize..12, 0u32..9).prop_map(|(at, n)| Step::Count(at, n)),
        (0usize..12).prop_map(Step::Remove),
        record().prop_map(Step::Append),
        (0usize..12).prop_map(Step::Archive),
    ]
}

/// Adds different texts.
const TEXTS: [&str; 4] = [
    "Error messages name the file and the next step",
    "Benchmarks state hardware and sample size",
    "Log lines never contain customer addresses",
    "Public functions document their panics",
];

fn is_active(lesson: &Lesson) -> bool {
    matches!(lesson.state, State::Candidate | State::Provisional | State::Stable)
}

/// A whole file of these lines.
fn joined(lines: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
        bytes.push(b'\n');
    }
    bytes
}

fn apply(place: &Place, step: &Step, n: usize) {
    let lessons = place.lessons();
    let bytes = place.bytes("lessons");
    let mut lines = lines(&bytes);
    let at = |at: usize| at % lines.len().max(1);
    let id_of = |which: usize, is_wanted: fn(&Lesson) -> bool| {
        let wanted: Vec<&Lesson> = lessons.iter().filter(|lesson| is_wanted(lesson)).collect();
        wanted.get(which % wanted.len().max(1)).map(|lesson| lesson.id.to_string())
    };
    match step {
        Step::Add => drop(place.add(&format!("{} ({n})", TEXTS[n % TEXTS.len()]))),
        Step::Pin(which) => {
            if let Some(id) = id_of(*which, |_| true) {
                let is_pinned = lessons.iter().any(|l| l.id.as_str() == id && l.is_pinned);
                place.pin(&id, !is_pinned);
            }
        }
        Step::Forget(which) => {
            if let Some(id) = id_of(*which, is_active) {
                place.forget(&id);
            }
        }
        Step::Restore(which) => {
            if let Some(id) = id_of(*which, |lesson| !is_active(lesson)) {
                place.write(|memory, call| lessons::restore(memory, call, &id));
            }
        }
        Step::Count(which, count) if !lines.is_empty() => {
            let which = at(*which);
            let Ok(mut value) = serde_json::from_slice::<Value>(lines[which]) else { return };
            value["frequency"] = json!(count);
            let line = value.to_string().into_bytes();
            lines[which] = &line;
            place.put("lessons", joined(&lines));
        }
        Step::Remove(which) if !lines.is_empty() => {
            lines.remove(at(*which));
            place.put("lessons", joined(&lines));
        }
        Step::Append(line) => {
            lines.push(line);
            place.put("lessons", joined(&lines));
        }
        Step::Archive(which) if !lines.is_empty() => {
            let line = lines.remove(at(*which)).to_vec();
            let archive = place.bytes("archive");
            let archive = [super::lines(&archive), vec![&line[..]]].concat();
            place.put("archive", joined(&archive));
            place.put("lessons", joined(&lines));
        }
        Step::Count(..) | Step::Remove(_) | Step::Archive(_) => {}
    }
}

/// The records of a file that state a lesson: description and frequency.
fn stated(place: &Place, name: &str) -> Vec<(String, Option<u64>)> {
    let bytes = place.bytes(name);
    let record = |line: &&[u8]| {
        let value = serde_json::from_slice::<Value>(line).ok()?;
        Some((value["description"].as_str()?.to_owned(), value["frequency"].as_u64()))
    };
    lines(&bytes).iter().filter_map(record).collect()
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_writer_sees_what_the_others_did(
        records in prop::collection::vec(record(), 1..6),
        steps in prop::collection::vec(step(), 1..8),
    ) {
        let lines: Vec<&[u8]> = records.iter().map(|raw| &raw[..]).collect();
        let place = Place::archeflow(joined(&lines));
        let mut known: BTreeSet<String> = BTreeSet::new();
        for (n, step) in steps.iter().enumerate() {
            let before = place.bytes("lessons");
            let n_written = place.bytes("hardwon").len();
            apply(&place, step, n);
            let lessons = place.lessons();
            let active: Vec<&Lesson> = lessons.iter().filter(|l| is_active(l)).collect();
            // As many lessons as there are records, each with the number that stands there.
            let stated = stated(&place, "lessons");
            prop_assert_eq!(
                active.len(), stated.len(),
                "{:?}\nbefore {}\nnow {}", step,
                String::from_utf8_lossy(&before), String::from_utf8_lossy(&place.bytes("lessons"))
            );
            let counts = sorted(stated.iter().filter_map(|(_, n)| n.map(|n| n.min(u32::MAX.into()))));
            let standing = sorted(active.iter().map(|lesson| u64::from(lesson.standing)));
            if counts.len() == standing.len() {
                prop_assert_eq!(counts, standing, "{:?}", step);
            }
            // What was known by our name once is known for ever, after our first write.
            if !place.bytes("hardwon").is_empty() {
                let now: BTreeSet<String> = lessons.iter().map(|l| l.id.to_string()).collect();
                prop_assert!(known.is_subset(&now), "{:?}: lost {:?}", step,
                    known.difference(&now).collect::<Vec<_>>());
                if place.bytes("hardwon").len() != n_written {
                    known = now;
                }
            }
        }
        // At the end a write of ours: all is still there.
        place.add("The very last lesson of them all");
        prop_assert!(place.lessons().iter().any(|l| l.text.as_str().starts_with("The very last")));
    }
}
