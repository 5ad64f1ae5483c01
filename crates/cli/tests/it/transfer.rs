//! `export` and `import` of our own file from outside.

use std::fs;

use crate::harness::{Memory, W};

#[test]
fn a_memory_goes_out_and_comes_back() {
    let (one, two) = (Memory::new(), Memory::new());
    one.learn_w(3);
    let printed = one.run(&["export"]).exits(0).stdout;
    let exported = one.json(&["export", "mine.jsonl"]);
    assert_eq!(exported["to"], "hardwon");
    assert_eq!(fs::read_to_string(one.work().join("mine.jsonl")).expect("it is there"), printed);
    assert!(
        printed.ends_with("}\n") && printed.contains(exported["digest"].as_str().expect("text"))
    );
    two.write("theirs.jsonl", &printed);
    let waiting = two.run(&["import", "theirs.jsonl"]).exits(0);
    let told = "1 lesson in quarantine until you approve it\n";
    assert!(waiting.stdout.contains(told), "{waiting}");
    assert!(waiting.stderr.contains("hardwon review list"), "{waiting}");
    assert!(!two.run(&["inject"]).stdout.contains(W));
    two.run(&["trust", "theirs.jsonl", "--yes"]).exits(0);
    let released = two.json(&["import", "theirs.jsonl"]);
    assert_eq!(released["released"].as_array().map(Vec::len), Some(1));
    assert!(two.run(&["inject"]).stdout.contains(W));
    assert_eq!(two.json(&["import", "theirs.jsonl"])["known"], 1);
}

#[test]
fn a_changed_file_is_refused_whole() {
    let memory = Memory::new();
    memory.learn_w(2);
    let printed = memory.run(&["export"]).exits(0).stdout;
    memory.write("bad.jsonl", printed.replace("guardian", "somebody"));
    let other = Memory::new();
    other.write("bad.jsonl", printed.replace("guardian", "somebody"));
    let ran = other.run(&["import", "bad.jsonl"]).exits(2);
    assert!(ran.stderr.contains("it was changed") && ran.stderr.contains("nothing was imported"));
    assert!(other.lessons().is_empty());
}

#[test]
fn a_file_of_yours_is_not_overwritten() {
    let memory = Memory::new();
    memory.learn_w(1);
    memory.write("notes.md", "mine");
    let ran = memory.run(&["export", "notes.md"]).exits(2);
    assert!(ran.stderr.contains("--yes"), "{ran}");
    memory.run(&["export", "notes.md", "--yes"]).exits(0);
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let memory = Memory::new();
    memory.learn_w(1);
    let newer = memory.run(&["export"]).exits(0).stdout.replace("export/1", "export/9");
    memory.write("newer.jsonl", newer);
    memory.write("empty.jsonl", "");
    let says = |args: &[&str], told: &str| {
        let ran = memory.run(args).exits(2);
        assert!(ran.stderr.contains(told), "{ran}");
        ran.stderr
    };
    says(&["import", "none.jsonl"], "no such file");
    says(&["import", "empty.jsonl"], "not an export of hardwon");
    let told = says(&["import", "newer.jsonl"], "update hardwon");
    assert!(!told.contains("make the export again"), "{told}");
    let told = says(&["export", "none/x.jsonl"], "cannot write");
    assert!(!told.contains("standard input"), "{told}");
    says(&["export", "--to", "hardwon", "."], "it is a folder");
    let help = memory.run(&["trust", "--help"]).exits(0);
    assert!(help.stdout.contains("an export"), "{help}");
}
