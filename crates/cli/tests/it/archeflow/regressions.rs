//! What had been fixed and is back.

use serde_json::{Value, json};

use super::{Flow, OTHER, W, W_AGAIN, event, finding, lines};
use crate::harness::each;

/// A log of a run that fixed these.
fn fixing(run: &str, fixed: &[&str]) -> String {
    let fix = |(seq, text): (usize, &&str)| {
        let data = json!({"source": "guardian", "finding": text, "file": "src/a.rs", "line": 3});
        event(run, seq, "fix.applied", data)
    };
    lines(&(2..).zip(fixed).map(fix).collect::<Vec<Value>>())
}

/// An index of finished runs.
fn index(runs: &[&str]) -> String {
    let entry =
        |run: &&str| json!({"run_id": run, "status": "completed", "task": "x", "ts": super::NOW});
    lines(&runs.iter().map(entry).collect::<Vec<Value>>())
}

/// A folder where `r1` fixed this, and the index names these.
fn fixed_in_r1(fixed: &[&str], runs: &[&str]) -> Flow {
    let flow = Flow::new();
    flow.put("events/r1.jsonl", fixing("r1", fixed));
    flow.put("events/index.jsonl", index(runs));
    flow
}

const CHECK: &[&str] = &["regression-check", ".archeflow/events/r9.jsonl"];

#[test]
fn what_came_back_is_printed_and_exits_1() {
    let flow = fixed_in_r1(&[W, "Sessions never expire"], &["r1"]);
    flow.log("r9", &[finding("warning", OTHER), finding("info", W_AGAIN)]);
    let before = flow.everything();
    let ran = flow.call(CHECK).exits(1);
    let line = format!("REGRESSION: \"{W}\" (fixed in r1) reappeared as \"{W_AGAIN}\"\n");
    assert_eq!(ran.stdout, line, "{ran}");
    assert!(ran.stderr.starts_with("[archeflow-memory] 1 regression(s) detected"), "{ran}");
    assert_eq!(flow.everything(), before, "a check wrote");
}

#[test]
fn every_one_that_came_back_has_its_line() {
    let flow = fixed_in_r1(&[W, OTHER], &["r1"]);
    flow.log("r9", &[finding("warning", OTHER), finding("warning", W)]);
    let ran = flow.call(CHECK).exits(1);
    let lines = format!(
        "REGRESSION: \"{W}\" (fixed in r1) reappeared as \"{W}\"\n\
         REGRESSION: \"{OTHER}\" (fixed in r1) reappeared as \"{OTHER}\"\n"
    );
    assert_eq!(ran.stdout, lines, "{ran}");
}

#[test]
fn all_earlier_runs_are_looked_at() {
    let flow = fixed_in_r1(&[W], &["r1", "r2", "r9"]);
    flow.put("events/r2.jsonl", fixing("r2", &["Sessions never expire"]));
    flow.log("r9", &[finding("warning", W)]);
    let ran = flow.call(CHECK).exits(1);
    let line = format!("REGRESSION: \"{W}\" (fixed in r1) reappeared as \"{W}\"\n");
    assert_eq!(ran.stdout, line, "{ran}");
}

/// Of a fix in several runs the newest is named, once.
#[test]
fn a_fix_in_two_runs_is_one_line() {
    let flow = fixed_in_r1(&[W], &["r1", "r2"]);
    flow.put("events/r2.jsonl", fixing("r2", &[W]));
    flow.log("r9", &[finding("warning", W)]);
    let ran = flow.call(CHECK).exits(1);
    let line = format!("REGRESSION: \"{W}\" (fixed in r2) reappeared as \"{W}\"\n");
    assert_eq!(ran.stdout, line, "{ran}");
}

/// What is there, part of what is said.
type Case<'a> = (&'a str, &'a dyn Fn(&Flow), &'a str);

#[test]
fn nothing_to_compare_exits_0_with_nothing_on_stdout() {
    let log = |flow: &Flow, text: &str| drop(flow.log("r9", &[finding("bug", text)]));
    let no_index = |flow: &Flow| log(flow, W);
    let empty_index = |flow: &Flow| {
        log(flow, W);
        flow.put("events/index.jsonl", "");
    };
    let only_itself = |flow: &Flow| {
        log(flow, W);
        flow.put("events/index.jsonl", index(&["r9", "r9"]));
    };
    let nothing_fixed = |flow: &Flow| {
        log(flow, W);
        flow.log("r1", &[finding("bug", W)]);
        flow.put("events/index.jsonl", index(&["r1", "r9"]));
    };
    let no_findings = |flow: &Flow| {
        flow.log("r9", &[]);
        flow.put("events/r1.jsonl", fixing("r1", &[W]));
        flow.put("events/index.jsonl", index(&["r1"]));
    };
    let another = |flow: &Flow| {
        log(flow, OTHER);
        flow.put("events/r1.jsonl", fixing("r1", &[W]));
        flow.put("events/index.jsonl", index(&["r1"]));
    };
    let cases: &[Case<'_>] = &[
        ("no index", &no_index, "No index.jsonl found"),
        ("empty index", &empty_index, "No previous run found"),
        ("only itself", &only_itself, "No previous run found"),
        ("nothing fixed", &nothing_fixed, "No resolved findings in previous run"),
        ("no findings", &no_findings, "No findings in current run"),
        ("another finding", &another, "No regressions detected."),
    ];
    for (name, prepare, said) in cases {
        let flow = Flow::new();
        prepare(&flow);
        let ran = flow.call(CHECK).exits(0);
        assert_eq!(ran.stdout, "", "{name} {ran}");
        let said = format!("[archeflow-memory] {said}");
        assert!(ran.stderr.starts_with(&said), "{name} {ran}");
    }
}

#[test]
fn an_invalid_run_in_the_index_is_ignored() {
    let ids = ["../r0", "-x", "a..b", "a/b", "$(touch x)", "a b"];
    each(&ids, |id| {
        let flow = fixed_in_r1(&[W], &[id]);
        flow.memory.write("r0.jsonl", fixing("r0", &[W]));
        flow.put("r0.jsonl", fixing("r0", &[W]));
        flow.log("r9", &[finding("bug", W)]);
        let ran = flow.call(CHECK).exits(0);
        assert_eq!(ran.stdout, "", "{ran}");
        // Beside a good one it does no harm.
        let flow = fixed_in_r1(&[W], &["r1", id]);
        flow.log("r9", &[finding("bug", W)]);
        let ran = flow.call(CHECK).exits(1);
        assert!(ran.stdout.starts_with("REGRESSION: "), "{ran}");
    });
}

/// A bad line in the index or in an earlier log hides no good one.
#[test]
fn bad_lines_hide_no_regression() {
    let flow = Flow::new();
    let torn = format!("{{\"torn\n{}", fixing("r1", &[W]));
    flow.put("events/r1.jsonl", torn);
    flow.put("events/index.jsonl", format!("oops\n{}\u{0}\n", index(&["r1"])));
    let bad = format!("{{\"ts\":\n{}", super::log("r9", &[finding("bug", W)]));
    flow.put("events/r9.jsonl", bad);
    let ran = flow.call(CHECK).exits(1);
    assert!(ran.stdout.starts_with("REGRESSION: "), "{ran}");
    assert!(ran.stderr.contains(":1: "), "the bad line is not told\n{ran}");
}
