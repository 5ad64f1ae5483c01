//! Reports of tools through the program, and the workflow that hands them in. Most of it is
//! in `tests/sessions/reports.md`.

use crate::harness::Memory;

#[test]
fn the_workflow_keeps_memory_after_a_failure() {
    let workflow = include_str!("../../../../contrib/ci/github-actions.yml");
    let (test, learn) = workflow.split_once("\n  learn:\n").expect("a job that learns");
    assert!(!test.contains("concurrency"), "a job that tests waits for no other branch");
    assert!(learn.contains("group: hardwon-memory-${{ github.ref }}"));
    let save = learn.find("actions/cache/save@").expect("memory is saved");
    let step = &learn[learn[..save].rfind("- name").expect("a step")..save];
    assert!(step.contains("if: always()"), "{step}");
    assert!(learn.contains("actions/cache/restore@"));
    let whole = learn
        .split("actions/cache@")
        .skip(1)
        .any(|step| step.lines().take(4).any(|line| line.contains("hardwon-memory")));
    assert!(!whole, "actions/cache saves only after success");
    for needed in ["cargo-nextest", "install --locked --path crates/cli", "contrib/ci/ci.sh"] {
        assert!(workflow.contains(needed), "{needed}");
    }
}

#[test]
fn a_junit_file_cut_anywhere_gives_what_was_whole() {
    let case = |n: usize| {
        format!("<testcase name=\"t{n}\"><failure message=\"left &amp; {n} differ\"/></testcase>\n")
    };
    let all: String = (0..8).map(case).collect();
    let head = "<testsuite name=\"nextest\">\n";
    let whole = format!("{head}{all}</testsuite>");
    for end in (0..whole.len()).step_by(97) {
        let memory = Memory::new();
        memory.write("cut.xml", &whole.as_bytes()[..end]);
        let ran = memory.run(&["learn", "cut.xml", "--run", "r1"]);
        let n_whole = whole[..end].matches("</testcase>").count();
        let expected = if n_whole == 0 { 2 } else { 0 };
        let ran = ran.exits(expected);
        let is_told = ran.stdout.contains(&format!("{n_whole} used"))
            && ran.stderr.contains("ends too early");
        assert!(n_whole == 0 || is_told, "cut at {end}\n{ran}");
    }
}
