//! Every call of `decay` is one run that went by.

use serde_json::{Value, json};

use super::{ARCHIVE, Flow, LESSONS, OTHER, W, finding, lesson, with};
use crate::harness::NOW;

fn counts(flow: &Flow, id: &str) -> (u64, u64) {
    let record = flow.record(id);
    let number = |field: &str| record[field].as_u64().expect("a count");
    (number("frequency"), number("runs_since_last_seen"))
}

#[test]
fn what_the_newest_run_saw_is_spared() {
    let flow = Flow::of(&[lesson("m-001", OTHER), lesson("m-002", W)]);
    for n in 1..=3 {
        flow.extract(&format!("r{n}"), &[finding("warning", W)]);
        let ran = flow.call(&["decay"]).exits(0);
        let said = "[archeflow-memory] Decay complete: 0 decayed, 0 archived\n";
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", said), "{ran}");
        assert_eq!(counts(&flow, "m-001"), (2, n), "run {n}");
        assert_eq!(counts(&flow, "m-002"), (2 + n, 0), "run {n}");
    }
    // One more call without a new run: nothing was seen in it.
    flow.call(&["decay"]).exits(0);
    assert_eq!((counts(&flow, "m-001"), counts(&flow, "m-002")), ((2, 4), (5, 1)));
}

/// The documents add one a call, however many runs were extracted before it.
#[test]
fn a_call_adds_one() {
    let flow = Flow::of(&[lesson("m-001", OTHER), lesson("m-002", W)]);
    for run in ["r1", "r2"] {
        flow.extract(run, &[finding("warning", W)]);
    }
    flow.call(&["decay"]).exits(0);
    assert_eq!((counts(&flow, "m-001"), counts(&flow, "m-002")), ((2, 1), (4, 0)));
}

#[test]
fn every_call_without_a_run_counts_for_all() {
    let flow = Flow::of(&[lesson("m-001", OTHER), lesson("m-002", W)]);
    for n in 1..=9 {
        flow.call(&["decay"]).exits(0);
        assert_eq!(counts(&flow, "m-001"), (2, n));
        assert_eq!(counts(&flow, "m-002"), (2, n));
    }
    let ran = flow.call(&["decay"]).exits(0);
    let said = "[archeflow-memory] Decay complete: 2 decayed, 0 archived\n";
    assert_eq!(ran.stderr, said, "{ran}");
    assert_eq!(counts(&flow, "m-001"), (1, 0));
    assert_eq!(counts(&flow, "m-002"), (1, 0));
    flow.has_no_litter();
}

#[test]
fn what_lost_its_last_is_archived_as_the_script_does() {
    let worn = with(
        lesson("m-002", W),
        json!({"frequency": 1, "runs_since_last_seen": 9, "mood": "calm"}),
    );
    let kept = lesson("m-001", OTHER);
    let flow = Flow::of(&[kept.clone(), worn.clone()]);
    let ran = flow.call(&["decay"]).exits(0);
    let said = "[archeflow-memory] Archived lesson m-002 (frequency reached 0)\n\
                [archeflow-memory] Decay complete: 1 decayed, 1 archived\n";
    assert_eq!(ran.stderr, said, "{ran}");
    let archived = with(worn.clone(), json!({"frequency": 0, "ts": NOW}));
    assert_eq!(flow.records(ARCHIVE), [archived]);
    let kept = with(kept.clone(), json!({"runs_since_last_seen": 1}));
    assert_eq!(flow.records(LESSONS), [kept]);
}

/// Seen five times means fifty runs without a sighting.
#[test]
fn fifty_runs_wear_out_what_was_seen_five_times() {
    let flow = Flow::of(&[with(lesson("m-001", W), json!({"frequency": 5}))]);
    for n in 1..=49 {
        flow.call(&["decay"]).exits(0);
        assert_eq!(counts(&flow, "m-001"), (5 - n / 10, n % 10), "call {n}");
    }
    flow.call(&["decay"]).exits(0);
    assert_eq!(flow.records(LESSONS), [] as [Value; 0]);
    let archived = flow.records(ARCHIVE);
    assert_eq!((&archived[0]["frequency"], archived.len()), (&json!(0), 1));
    assert_eq!(archived[0]["runs_since_last_seen"], 9);
}

#[test]
fn preferences_never_decay() {
    let wish = with(lesson("m-001", W), json!({"type": "preference", "frequency": 1}));
    let flow = Flow::of(std::slice::from_ref(&wish));
    flow.call(&["add", "preference", "Tabs, not spaces"]).exits(0);
    let before = flow.text(LESSONS);
    for _ in 0..11 {
        flow.call(&["decay"]).exits(0);
    }
    assert_eq!(flow.text(LESSONS), before);
    assert!(flow.records(ARCHIVE).is_empty());
}

#[test]
fn what_wore_out_can_come_back() {
    let worn = with(lesson("m-001", W), json!({"frequency": 1, "runs_since_last_seen": 9}));
    let flow = Flow::of(&[worn, lesson("m-002", OTHER)]);
    flow.call(&["decay"]).exits(0);
    assert_eq!(flow.records(LESSONS).len(), 1);
    flow.ours(&["restore", "m-001"]).exits(0);
    assert_eq!(flow.record("m-001")["description"], W);
}
