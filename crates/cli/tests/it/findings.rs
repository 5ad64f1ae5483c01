//! Reports of tools through the program, and the workflow that hands them in. Most of it is
//! in `tests/sessions/reports.md`.

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
