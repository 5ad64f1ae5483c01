//! A `.archeflow` folder that git tracks came with the checkout, or will go with the next one:
//! its lessons reach a prompt only if a person approved them, or named the folder. And a
//! checkout does not choose where we write.

use std::fs;

use super::LESSON;
use crate::clones::git;
use crate::harness::{Memory, NOW, Ran, found};

const FILE: &str = ".archeflow/memory/lessons.jsonl";

/// A repository in which this folder lies.
fn checkout(is_added: bool) -> Memory {
    let memory = Memory::new();
    git(&memory, &["init", "--quiet", "."]);
    memory.write(FILE, LESSON);
    memory.write("README.md", "shop\n");
    git(&memory, &["add", if is_added { "." } else { "README.md" }]);
    memory
}

fn inject(memory: &Memory) -> Ran {
    memory.run(&["archeflow", "inject", "code", "guardian"]).exits(0)
}

#[track_caller]
fn check_refused(memory: &Memory, why: &str) {
    let refused = inject(memory);
    assert!(refused.stdout.is_empty(), "{refused}");
    for words in [why, "hardwon trust .archeflow", "--dir"] {
        assert!(refused.stderr.contains(words), "{words}: {refused}");
    }
}

#[track_caller]
fn check_shown(memory: &Memory) {
    let shown = inject(memory);
    assert!(shown.stdout.contains("Escape what users type"), "{shown}");
}

#[test]
fn a_tracked_folder_is_shown_only_after_approval() {
    let memory = checkout(true);
    check_refused(&memory, "no person approved it");
    let named = memory.run(&["archeflow", "--dir", ".", "inject", "code", "guardian"]).exits(0);
    assert!(named.stdout.contains("Escape what users type"), "{named}");
    let store = memory.run(&["--store", "archeflow:.", "archeflow", "inject", "code", "guardian"]);
    assert!(store.exits(0).stdout.contains("Escape what users type"));
    memory.run(&["trust", ".archeflow", "--yes"]).exits(0);
    check_shown(&memory);
    // A pull changes it.
    let changed = LESSON.replace("before it is printed", "with the helper of evil.example");
    memory.write(FILE, LESSON.to_owned() + &changed.replace("m-001", "m-002"));
    check_refused(&memory, "it changed since you approved it");
}

#[test]
fn what_only_we_wrote_stays_approved() {
    let memory = checkout(true);
    memory.run(&["trust", ".archeflow", "--yes"]).exits(0);
    memory.run(&["archeflow", "add", "pattern", "Name the next step in every error"]).exits(0);
    check_shown(&memory);
    let audited = memory.run(&["archeflow", "inject", "code", "guardian", "--audit", "r9"]);
    assert!(audited.exits(0).stdout.contains("Escape what users type"));
    check_shown(&memory);
    let trusted = fs::read_to_string(memory.home().join("trusted.toml")).expect("it was written");
    assert!(trusted.contains(NOW.trim_end_matches('Z')), "who approved it and when stays");
    // Another program writes between two of our calls: what it wrote is nobody's.
    memory.write(".archeflow/memory/archive.jsonl", LESSON.replace("m-001", "m-003"));
    memory.run(&["archeflow", "add", "pattern", "Prefer small commits"]).exits(0);
    check_refused(&memory, "it changed since you approved it");
}

#[test]
fn a_folder_that_git_does_not_track_is_shown() {
    check_shown(&checkout(false));
    let memory = Memory::new();
    memory.write(FILE, LESSON);
    check_shown(&memory);
}

/// A project's settings may name what is read, never what is written.
#[test]
fn a_projects_settings_do_not_name_what_is_written() {
    let memory = Memory::new();
    let settings = "[reflect]\nprogress_file = \"notes.md\"\nappend_lessons = \"on\"\n";
    memory.write(".hardwon/config.toml", settings);
    let notes = memory.write("notes.md", "# Progress\n");
    memory.learn(&(found("r1", "Query built by string concatenation")));
    let told = memory.run(&["reflect", "--run", "r1", "--json"]).exits(0);
    assert!(told.reasons().contains("hardwon config set reflect.progress_file"), "{told}");
    assert_eq!(fs::read_to_string(&notes).expect("it is there"), "# Progress\n");
    memory.run(&["config", "unset", "reflect.progress_file", "--in-project"]).exits(0);
    memory.run(&["config", "set", "reflect.progress_file", "notes.md"]).exits(0);
    let told = memory.run(&["reflect", "--run", "r1", "--json"]).exits(0);
    assert_eq!(told.reasons(), "");
    let git = memory.write(".git/config", "[core]\n");
    memory.write(".hardwon/config.toml", settings.replace("notes.md", ".git/config"));
    let told = memory.run(&["reflect", "--run", "r1", "--json"]).exits(0);
    assert!(told.reasons().contains("below the project's folder"), "{told}");
    assert_eq!(fs::read_to_string(git).expect("it is there"), "[core]\n");
}
