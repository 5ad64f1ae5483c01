//! Reports of tools through the program: two reports are one run, what recurs becomes a
//! lesson, and the recipe for pipelines does what it says.

use std::process::Command;

use serde_json::Value;

use crate::harness::Memory;

const JUNIT: &str = "<testsuites name=\"nextest-run\"><testsuite name=\"shop\">\
    <testcase name=\"cart::rounds\" classname=\"shop\"><failure message=\"left 10, right 11\"/>\
    </testcase><testcase name=\"cart::adds\" classname=\"shop\"/></testsuite></testsuites>";

/// A report of one result, at a place below this folder.
fn sarif(folder: &str, more: &str) -> String {
    format!(
        "{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"lintfox\"}}}},\
         \"results\":[{{\"ruleId\":\"SQL001\",\"level\":\"error\",\
         \"message\":{{\"text\":\"Query is put together from user input\"}},\
         \"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\
         \"uri\":\"file://{folder}/src/search.py\"}},\"region\":{{\"startLine\":41}}}}}}]{more}}}]}}]}}"
    )
}

fn with_reports() -> Memory {
    let memory = Memory::new();
    memory.write("junit.xml", JUNIT);
    let folder = memory.work().display().to_string();
    memory.write("report.sarif", sarif(&folder, ""));
    memory.write("gone.sarif", sarif(&folder, ",\"baselineState\":\"absent\""));
    memory
}

fn learn(memory: &Memory, run: &str) -> Value {
    memory.json(&["learn", "junit.xml", "report.sarif", "--run", run])
}

#[test]
fn two_reports_are_one_run() {
    let memory = with_reports();
    let answer = learn(&memory, "ci-1");
    let runs = answer["runs"].as_array().expect("a list");
    assert_eq!((runs.len(), &runs[0]["run"]), (1, &Value::from("ci-1")), "{answer}");
    assert_eq!(runs[0]["findings"]["used"], 2, "findings of both: {answer}");
    assert_eq!(learn(&memory, "ci-1")["runs"][0]["already_known"], true);
}

#[test]
fn what_recurs_in_two_runs_becomes_a_lesson() {
    let memory = with_reports();
    learn(&memory, "ci-1");
    learn(&memory, "ci-2");
    let lessons = memory.json(&["list"]).to_string();
    assert!(lessons.contains("Query is put together from user input"), "{lessons}");
    assert!(lessons.contains("cart::rounds"), "{lessons}");
    assert!(!lessons.contains(&memory.work().display().to_string()), "a machine's path: {lessons}");
    let block = memory.run(&["inject", "--task", "search query from user input"]).exits(0);
    assert!(block.stdout.contains("Query is put together"), "{}", block.stdout);
}

/// Runs the recipe; its exit status.
fn recipe(memory: &Memory, args: &[&str], fails: &str) -> Option<i32> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/ci/ci.sh");
    let mut command = Command::new("sh");
    command.arg(script).args(args);
    memory.prepare(&mut command);
    command.env("HARDWON", env!("CARGO_BIN_EXE_hardwon"));
    command.env("HARDWON_FAIL_ON_REGRESSIONS", fails);
    command.output().expect("a shell starts").status.code()
}

#[test]
fn the_recipe_learns_and_fails_on_regressions_if_asked() {
    let memory = with_reports();
    assert_eq!(recipe(&memory, &["ci-1"], "1"), Some(2));
    assert_eq!(recipe(&memory, &["ci-1", "nothing.xml"], "1"), Some(0));
    assert_eq!(
        recipe(&memory, &["ci-1", "missing.xml", "report.sarif", "junit.xml"], "1"),
        Some(0)
    );
    assert_eq!(recipe(&memory, &["ci-2", "gone.sarif"], "1"), Some(0));
    assert_eq!(recipe(&memory, &["ci-3", "report.sarif"], "0"), Some(0));
    assert_eq!(recipe(&memory, &["ci-4", "report.sarif"], "1"), Some(1), "it had been fixed");
}
