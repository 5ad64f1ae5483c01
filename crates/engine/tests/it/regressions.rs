//! Findings that had been fixed and are back, against all earlier runs.

use serde_json::{Value, json};

use crate::harness::{Pipeline, line, run, warning_with};

const COOKIE: &str = "Session cookie is set without the Secure flag";

/// Guardian reports the cookie in a run, with these fields.
fn cookie(id: &str, more: Value) -> String {
    let place = json!({"severity": "bug", "path": "src/session.rs", "line": 31});
    let mut fields = place.as_object().unwrap().clone();
    fields.extend(more.as_object().unwrap().clone());
    run(id, &["guardian"]) + &warning_with(COOKIE, fields.into())
}

/// A line of ArcheFlow's event log.
fn event(run: &str, kind: &str, data: Value) -> String {
    let at = format!("2026-04-0{}T10:00:00Z", &run[1..]);
    line(json!({"ts": at, "run_id": run, "seq": 1}), json!({"type": kind, "data": data}))
}

#[test]
fn archeflow_fixes_count_even_without_their_finding() {
    let mut p = Pipeline::on_memory();
    let start = |run: &str| event(run, "run.start", json!({"task": "t"}));
    let fix = json!({"source": "guardian", "file": "src/api.rs", "line": 4,
        "finding": "Missing null check in the response handler"});
    p.learn_run(&(start("a1") + &event("a1", "fix.applied", fix)));
    let finding = json!({"severity": "bug", "category": "correctness",
        "description": "Null check is missing in the response handler"});
    let verdict = json!({"archetype": "guardian", "verdict": "REJECTED", "findings": [finding]});
    let learned = p.learn_run(&(start("a2") + &event("a2", "review.verdict", verdict)));
    assert_eq!(learned.regressions.len(), 1, "{learned:?}");
    assert_eq!(learned.regressions[0].fixed_in.as_ref().unwrap().as_str(), "a1");
}

#[test]
fn moving_code_keeps_a_finding_the_same() {
    let mut p = Pipeline::on_memory();
    p.learn_run(&cookie("r1", json!({})));
    p.learn_run(&cookie("r2", json!({"line": 41})));
    assert_eq!(p.only_lesson().n_sightings, 2);
}

#[test]
fn a_finding_that_is_fixed_later_in_the_run_can_regress() {
    let mut p = Pipeline::on_sqlite();
    p.learn_run(&cookie("r1", json!({})));
    // The same finding again, now fixed; in a record of its own.
    let fixed = cookie("r1", json!({"state": "fixed"}));
    assert!(!p.learn_run(&fixed).is_known);
    assert!(p.learn_run(&fixed).is_known);
    assert_eq!(p.learn_run(&cookie("r2", json!({}))).regressions.len(), 1);
    // In one record the last word counts.
    let mut p = Pipeline::on_memory();
    p.learn_run(&(cookie("r1", json!({})) + &fixed));
    assert_eq!(p.learn_run(&cookie("r2", json!({}))).regressions.len(), 1);
    p.assert_sound();
}

#[test]
fn a_record_that_says_regressed_is_believed() {
    let mut p = Pipeline::on_memory();
    let learned = p.learn_run(&cookie("r1", json!({"state": "regressed"})));
    assert_eq!((learned.regressions.len(), learned.regressions[0].fixed_in.clone()), (1, None));
}
