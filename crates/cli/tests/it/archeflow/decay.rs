//! Every call of `decay` is one run that went by.

use serde_json::{Value, json};

use super::{ARCHIVE, Flow, LESSONS, OTHER, W, finding, lesson, reports, with};
use crate::harness::NOW;

fn counts(flow: &Flow, id: &str) -> (u64, u64) {
    let record = flow.record(id);
    let number = |field: &str| record[field].as_u64().expect("a count");
    (number("frequency"), number("runs_since_last_seen"))
}

fn two() -> Flow {
    Flow::of(&[lesson("m-001", OTHER), lesson("m-002", W)])
}

#[test]
fn what_the_newest_run_saw_is_spared() {
    let flow = two();
    for n in 1..=3 {
        flow.extract(&format!("r{n}"), &[finding("warning", W)]);
        reports(&flow.decay(), &["Decay complete: 0 decayed, 0 archived"]);
        assert_eq!(counts(&flow, "m-001"), (2, n), "run {n}");
        assert_eq!(counts(&flow, "m-002"), (2 + n, 0), "run {n}");
    }
    // One more call without a new run: nothing was seen in it.
    flow.decay();
    assert_eq!((counts(&flow, "m-001"), counts(&flow, "m-002")), ((2, 4), (5, 1)));
}

/// The documents add one a call, however many runs were extracted before it.
#[test]
fn a_call_adds_one() {
    let flow = two();
    for run in ["r1", "r2"] {
        flow.extract(run, &[finding("warning", W)]);
    }
    flow.decay();
    assert_eq!((counts(&flow, "m-001"), counts(&flow, "m-002")), ((2, 1), (4, 0)));
}

#[test]
fn every_call_without_a_run_counts_for_all() {
    let flow = two();
    for n in 1..=9 {
        flow.decay();
        assert_eq!((counts(&flow, "m-001"), counts(&flow, "m-002")), ((2, n), (2, n)));
    }
    reports(&flow.decay(), &["Decay complete: 2 decayed, 0 archived"]);
    assert_eq!((counts(&flow, "m-001"), counts(&flow, "m-002")), ((1, 0), (1, 0)));
    flow.has_no_litter();
}

#[test]
fn what_lost_its_last_is_archived_as_the_script_does_and_can_come_back() {
    let fields = json!({"frequency": 1, "runs_since_last_seen": 9, "mood": "calm"});
    let worn = with(lesson("m-002", W), fields);
    let flow = Flow::of(&[lesson("m-001", OTHER), worn.clone()]);
    let archived = "Archived lesson m-002 (frequency reached 0)";
    reports(&flow.decay(), &[archived, "Decay complete: 1 decayed, 1 archived"]);
    assert_eq!(flow.records(ARCHIVE), [with(worn, json!({"frequency": 0, "ts": NOW}))]);
    let kept = with(lesson("m-001", OTHER), json!({"runs_since_last_seen": 1}));
    assert_eq!(flow.records(LESSONS), [kept]);
    flow.ours(&["restore", "m-002"]).exits(0);
    assert_eq!(flow.record("m-002")["description"], W);
}

/// Seen five times means fifty runs without a sighting.
#[test]
fn fifty_runs_wear_out_what_was_seen_five_times() {
    let flow = Flow::of(&[with(lesson("m-001", W), json!({"frequency": 5}))]);
    for n in 1..=49 {
        flow.decay();
        assert_eq!(counts(&flow, "m-001"), (5 - n / 10, n % 10), "call {n}");
    }
    flow.decay();
    assert_eq!(flow.records(LESSONS), [] as [Value; 0]);
    let archived = flow.records(ARCHIVE);
    assert_eq!((&archived[0]["frequency"], archived.len()), (&json!(0), 1));
    assert_eq!(archived[0]["runs_since_last_seen"], 9);
}

#[test]
fn preferences_never_decay() {
    let preference = json!({"type": "preference", "frequency": 1});
    let flow = Flow::of(&[with(lesson("m-001", W), preference)]);
    flow.add("Tabs, not spaces");
    let before = flow.text(LESSONS);
    (0..11).for_each(|_| drop(flow.decay()));
    assert_eq!(flow.text(LESSONS), before);
    assert!(flow.records(ARCHIVE).is_empty());
}
