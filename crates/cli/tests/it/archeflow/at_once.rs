//! Several processes at once on one folder: every call is one record.

use std::collections::BTreeSet;

use super::{ARCHIVE, AUDIT, Flow, LESSONS, OTHER, W, finding, lesson};
use crate::harness::{Ran, list_of, text_of};

/// Runs all calls at once; every one must exit with 0.
#[track_caller]
fn at_once(flow: &Flow, calls: &[Vec<String>]) -> Vec<Ran> {
    let calls: Vec<_> = calls.iter().map(|args| (args.as_slice(), "")).collect();
    flow.memory.run_at_once(&calls).into_iter().map(|ran| ran.exits(0)).collect()
}

fn call(args: &[&str]) -> Vec<String> {
    [&["archeflow"], args].concat().into_iter().map(str::to_owned).collect()
}

/// A field of each record of a file.
fn fields(flow: &Flow, name: &str, field: &str) -> BTreeSet<String> {
    flow.records(name).iter().map(|record| text_of(record, field)).collect()
}

#[test]
fn ten_adds_make_ten_records_and_ten_ids() {
    for _ in 0..4 {
        let flow = Flow::new();
        let text = |n: usize| format!("Wish number {n} of ten");
        let calls: Vec<_> = (0..10).map(|n| call(&["add", "preference", &text(n)])).collect();
        at_once(&flow, &calls);
        assert_eq!(flow.records(LESSONS).len(), 10);
        assert_eq!(fields(&flow, LESSONS, "id"), (1..=10).map(|n| format!("m-{n:03}")).collect());
        assert_eq!(fields(&flow, LESSONS, "description"), (0..10).map(text).collect());
        flow.has_no_litter();
        let listed = flow.json(&["list", "--all"]);
        assert_eq!(list_of(&listed, "lessons").len(), 10);
    }
}

/// Commands that add, forget, extract and inject at once do not disturb each other.
#[test]
fn different_commands_at_once_lose_nothing() {
    for round in 0..4 {
        let doomed: Vec<_> =
            (1..=3).map(|n| lesson(&format!("m-00{n}"), &format!("Doomed lesson {n}"))).collect();
        let flow = Flow::of(&doomed);
        let first = flow.log("r1", &[finding("warning", W)]);
        let second = flow.log("r2", &[finding("warning", OTHER)]);
        let ours = |args: &[&str]| -> Vec<String> {
            [&["--store", "archeflow:."], args].concat().into_iter().map(str::to_owned).collect()
        };
        at_once(
            &flow,
            &[
                call(&["forget", "m-001"]),
                call(&["extract", &first]),
                call(&["forget", "m-002"]),
                call(&["extract", &second]),
                call(&["add", "preference", "Tabs, not spaces"]),
                call(&["add", "preference", "Short lines"]),
                ours(&["add", "Bundle related changes into one pull request"]),
                ours(&["forget", "m-003"]),
                ours(&["inject", "--run", "r7"]),
                call(&["list"]),
            ],
        );
        let bundle = "Bundle related changes into one pull request";
        let wanted = [W, OTHER, "Tabs, not spaces", "Short lines", bundle].map(str::to_owned);
        let texts = fields(&flow, LESSONS, "description");
        assert_eq!(texts, BTreeSet::from(wanted), "round {round}");
        assert_eq!(flow.records(LESSONS).len(), 5, "round {round}");
        let archived = ["m-001", "m-002", "m-003"].map(str::to_owned);
        assert_eq!(fields(&flow, ARCHIVE, "id"), BTreeSet::from(archived));
        flow.has_no_litter();
    }
}

/// An injection does not wait long: its record may be lost in a crowd, its block
/// is not, and no record stands twice.
#[test]
fn ten_audited_injections_all_get_their_block() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    let inject = |n: usize| call(&["inject", "code", "guardian", "--audit", &format!("r{n}")]);
    let calls: Vec<Vec<String>> = (0..10).map(inject).collect();
    for ran in at_once(&flow, &calls) {
        assert!(ran.stdout.contains(W), "{ran}");
    }
    let (records, runs) = (flow.records(AUDIT), fields(&flow, AUDIT, "run_id"));
    assert_eq!(runs.len(), records.len(), "{records:#?}");
    assert!(!runs.is_empty());
}

#[test]
fn twenty_at_once_are_numbered_without_gaps() {
    let flow = Flow::new();
    let event = |n: usize| {
        call(&["event", "r1", "agent.complete", "do", "maker", &format!("{{\"n\":{n}}}")])
    };
    at_once(&flow, &(0..20).map(event).collect::<Vec<_>>());
    let log = flow.records("events/r1.jsonl");
    let numbers: Vec<u64> = log.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<u64>>());
    let mut seen: Vec<u64> = log.iter().filter_map(|event| event["data"]["n"].as_u64()).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..20).collect::<Vec<u64>>(), "an event was lost");
}
