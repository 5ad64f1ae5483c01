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
    assert!(waiting.stdout.contains("1 lesson in quarantine"), "{waiting}");
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
