//! What had been fixed and is back.

use serde_json::{Value, json};

use super::{Flow, NOW, OTHER, W, W_AGAIN, event, finding, lines};
use crate::harness::{Ran, each};

/// Puts the log of a run that fixed these.
fn put_fixes(flow: &Flow, run: &str, fixed: &[&str]) {
    flow.put(&format!("events/{run}.jsonl"), fixing(run, fixed));
}

fn fixing(run: &str, fixed: &[&str]) -> String {
    let fix = |(seq, text): (usize, &&str)| {
        let data = json!({"source": "guardian", "finding": text, "file": "src/a.rs", "line": 3});
        event(run, seq, "fix.applied", data)
    };
    lines(&(2..).zip(fixed).map(fix).collect::<Vec<Value>>())
}

/// An index of finished runs.
fn index(runs: &[&str]) -> String {
    let entry = |run: &&str| json!({"run_id": run, "status": "completed", "task": "x", "ts": NOW});
    lines(&runs.iter().map(entry).collect::<Vec<Value>>())
}

/// A folder where `r1` fixed this, the index names these, and `r9` found that.
fn fixed_in_r1(fixed: &[&str], runs: &[&str], found: &[Value]) -> Flow {
    let flow = Flow::new();
    put_fixes(&flow, "r1", fixed);
    flow.put("events/index.jsonl", index(runs));
    flow.log("r9", found);
    flow
}

#[track_caller]
fn check(flow: &Flow, status: i32) -> Ran {
    flow.call(&["regression-check", ".archeflow/events/r9.jsonl"]).exits(status)
}

fn regression(fixed: &str, run: &str, now: &str) -> String {
    format!("REGRESSION: \"{fixed}\" (fixed in {run}) reappeared as \"{now}\"\n")
}

#[test]
fn what_came_back_is_printed_and_exits_1() {
    let found = [finding("warning", OTHER), finding("info", W_AGAIN)];
    let flow = fixed_in_r1(&[W, "Sessions never expire"], &["r1"], &found);
    let before = flow.everything();
    let ran = check(&flow, 1);
    assert_eq!(ran.stdout, regression(W, "r1", W_AGAIN), "{ran}");
    assert!(ran.stderr.starts_with("[archeflow-memory] 1 regression(s) detected"), "{ran}");
    assert_eq!(flow.everything(), before, "a check wrote");
    // Each of two has its line.
    let found = [finding("warning", OTHER), finding("warning", W)];
    let ran = check(&fixed_in_r1(&[W, OTHER], &["r1"], &found), 1);
    assert_eq!(ran.stdout, regression(W, "r1", W) + &regression(OTHER, "r1", OTHER), "{ran}");
}

/// Of a fix in several runs the newest is named, once.
#[test]
fn all_earlier_runs_are_compared() {
    for (fixed_in_r2, named) in [("Sessions never expire", "r1"), (W, "r2")] {
        let flow = fixed_in_r1(&[W], &["r1", "r2", "r9"], &[finding("warning", W)]);
        put_fixes(&flow, "r2", &[fixed_in_r2]);
        let ran = check(&flow, 1);
        assert_eq!(ran.stdout, regression(W, named, W), "{ran}");
    }
}

#[test]
fn nothing_to_compare_exits_0_with_nothing_on_stdout() {
    // Runs of the index, what r1 fixed, what r9 found, part of the message.
    type Case<'a> = (Option<&'a [&'a str]>, &'a [&'a str], &'a [&'a str], &'a str);
    let cases: &[Case<'_>] = &[
        (None, &[W], &[W], "No index.jsonl found"),
        (Some(&[]), &[W], &[W], "No previous run found"),
        (Some(&["r9", "r9"]), &[W], &[W], "No previous run found"),
        (Some(&["r1", "r9"]), &[], &[W], "No resolved findings in previous run"),
        (Some(&["r1"]), &[W], &[], "No findings in current run"),
        (Some(&["r1"]), &[W], &[OTHER], "No regressions detected."),
    ];
    each(cases, |(runs, fixed, found, message)| {
        let found: Vec<Value> = found.iter().map(|text| finding("bug", text)).collect();
        let flow = fixed_in_r1(fixed, runs.unwrap_or_default(), &found);
        if runs.is_none() {
            std::fs::remove_file(flow.path("events/index.jsonl")).expect("it is there");
        }
        if fixed.is_empty() {
            flow.log("r1", &[finding("bug", W)]);
        }
        let ran = check(&flow, 0);
        let message = format!("[archeflow-memory] {message}");
        assert!(ran.stdout.is_empty() && ran.stderr.starts_with(&message), "{ran}");
    });
}

#[test]
fn an_invalid_run_in_the_index_is_ignored() {
    let ids = ["../r0", "-x", "a..b", "a/b", "$(touch x)", "a b"];
    each(&ids, |id| {
        let found = [finding("bug", W)];
        let flow = fixed_in_r1(&[W], &[id], &found);
        flow.memory.write("r0.jsonl", fixing("r0", &[W]));
        flow.put("r0.jsonl", fixing("r0", &[W]));
        let ran = check(&flow, 0);
        assert_eq!(ran.stdout, "", "{ran}");
        // Beside a good one it does no harm.
        let ran = check(&fixed_in_r1(&[W], &["r1", id], &found), 1);
        assert!(ran.stdout.starts_with("REGRESSION: "), "{ran}");
    });
}

/// A bad line in the index or in a log hides no good one.
#[test]
fn bad_lines_hide_no_regression() {
    let flow = Flow::new();
    flow.put("events/r1.jsonl", format!("{{\"torn\n{}", fixing("r1", &[W])));
    flow.put("events/index.jsonl", format!("oops\n{}\u{0}\n", index(&["r1"])));
    let log = super::log("r9", &[finding("bug", W)]);
    flow.put("events/r9.jsonl", format!("{{\"ts\":\n{log}"));
    let ran = check(&flow, 1);
    assert!(ran.stdout.starts_with("REGRESSION: "), "{ran}");
    assert!(ran.stderr.contains(":1: "), "the bad line is not reported\n{ran}");
}
