//! Several processes at once on one folder: every call is one record.

use std::collections::BTreeSet;

use super::{AUDIT, Flow, LESSONS, OTHER, W, finding, lesson};
use crate::harness::{Ran, start_piped};

/// Runs all calls at once; every one must exit with 0.
#[track_caller]
fn at_once(flow: &Flow, calls: &[Vec<String>]) -> Vec<Ran> {
    let start = |args: &Vec<String>| start_piped(flow.memory.command(args));
    let children: Vec<_> = calls.iter().map(start).collect();
    let end = |(child, args): (std::process::Child, &Vec<String>)| {
        Ran::of(args, child.wait_with_output().expect("it ends")).exits(0)
    };
    children.into_iter().zip(calls).map(end).collect()
}

fn call(args: &[&str]) -> Vec<String> {
    [&["archeflow"], args].concat().into_iter().map(str::to_owned).collect()
}

#[test]
fn ten_adds_make_ten_records_and_ten_ids() {
    for _ in 0..4 {
        let flow = Flow::new();
        let text = |n: usize| format!("Wish number {n} of ten");
        let calls: Vec<Vec<String>> =
            (0..10).map(|n| call(&["add", "preference", &text(n)])).collect();
        at_once(&flow, &calls);
        let records = flow.records(LESSONS);
        let by = |field: &str| -> BTreeSet<String> {
            records.iter().map(|r| r[field].as_str().expect("text").to_owned()).collect()
        };
        let ids: BTreeSet<String> = (1..=10).map(|n| format!("m-{n:03}")).collect();
        assert_eq!((records.len(), by("id")), (10, ids));
        assert_eq!(by("description"), (0..10).map(text).collect());
        flow.has_no_litter();
        let listed = flow.json(&["list", "--all"]);
        assert_eq!(crate::harness::list_of(&listed, "lessons").len(), 10);
    }
}

/// Who adds, forgets, extracts and injects at once gets in nobody's way.
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
        let texts: BTreeSet<String> = flow
            .records(LESSONS)
            .iter()
            .map(|record| record["description"].as_str().expect("text").to_owned())
            .collect();
        let wanted = [
            W,
            OTHER,
            "Tabs, not spaces",
            "Short lines",
            "Bundle related changes into one pull request",
        ];
        assert_eq!(texts, BTreeSet::from(wanted.map(str::to_owned)), "round {round}");
        assert_eq!(flow.records(LESSONS).len(), 5, "round {round}");
        let archived: BTreeSet<String> = flow
            .records(super::ARCHIVE)
            .iter()
            .map(|record| record["id"].as_str().expect("text").to_owned())
            .collect();
        assert_eq!(archived, BTreeSet::from(["m-001", "m-002", "m-003"].map(str::to_owned)));
        flow.has_no_litter();
    }
}

/// An injection waits for nobody for long: its record may be lost in a crowd, its block
/// is not, and no record stands twice.
#[test]
fn ten_audited_injections_all_get_their_block() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    let inject = |n: usize| call(&["inject", "code", "guardian", "--audit", &format!("r{n}")]);
    let calls: Vec<Vec<String>> = (0..10).map(inject).collect();
    for ran in at_once(&flow, &calls) {
        assert!(ran.stdout.contains(W), "{ran}");
    }
    let records = flow.records(AUDIT);
    let runs: BTreeSet<String> =
        records.iter().map(|record| record["run_id"].as_str().expect("text").to_owned()).collect();
    assert_eq!(runs.len(), records.len(), "{records:#?}");
    assert!(!runs.is_empty());
}
