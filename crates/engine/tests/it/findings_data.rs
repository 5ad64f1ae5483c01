//! Real findings pass the gate and come back in the third run's block. Runs on findings
//! of our own writing, and on the shared labelled findings where they are present.

use std::path::Path;

use crate::harness::{Pipeline, role, run, warning};

fn texts(path: &Path) -> Vec<String> {
    let file = std::fs::read_to_string(path).unwrap();
    let text = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["text"].as_str().unwrap().to_owned()
    };
    file.lines().filter(|line| !line.is_empty()).map(text).collect()
}

/// Share of the texts that pass the gate; each that passes is learned in two runs of
/// its own and must be in the third run's block.
fn check(texts: &[String]) {
    let mut n_passed = 0;
    for text in texts {
        let mut p = Pipeline::on_memory();
        let first = p.learn(&(run("r1", &["guardian"]) + &warning(text)));
        if first.body.runs[0].findings.n_rejected > 0 {
            continue;
        }
        n_passed += 1;
        p.learn(&(run("r2", &["guardian"]) + &warning(text)));
        let injected = p.inject_for(Some("r3"), role("maker"));
        assert_eq!(injected.lessons.len(), 1, "not in the block: {text}");
    }
    let share = f64::from(n_passed) / texts.len() as f64;
    println!("{n_passed} of {} findings passed the gate", texts.len());
    assert!(share >= 0.95, "only {share} passed");
}

#[test]
fn findings_come_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    check(&texts(&root.join("tests/fixtures/findings.jsonl")));
    // A user's clone has no shared folder.
    let shared = root.join("../../../shared/data/review-findings.jsonl");
    if shared.exists() {
        check(&texts(&shared));
    }
}
