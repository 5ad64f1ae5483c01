//! `forget --hard` from outside: asked for twice, proved, told, and never half done.

use crate::harness::{Memory, W, list_of, text_of};

#[test]
fn it_is_confirmed_proved_and_told() {
    let memory = Memory::new();
    memory.learn_w(2);
    let id = text_of(&memory.only_lesson(), "id");
    let asked = memory.run(&["forget", &id, "--hard"]).exits(2);
    assert!(asked.stderr.contains("--yes"), "{asked}");
    assert_eq!(memory.lessons().len(), 1);
    let answer = memory.json(&["forget", &id, "--hard", "--yes"]);
    assert_eq!(answer["lesson"]["text"], "[erased]");
    assert_eq!(answer["erased"]["residues"], serde_json::json!([]));
    assert_eq!(answer["erased"]["not_proved"], serde_json::json!([]));
    assert!(answer["erased"]["files_scanned"].as_u64() >= Some(1));
    assert!(memory.lessons().is_empty());
    let why = memory.run(&["why", &id]).exits(2);
    assert!(why.stderr.contains("was forgotten for good on 2026-04-03"), "{why}");
    let history = memory.run(&["history", &id]).exits(0);
    assert!(history.stdout.contains("text erased") && !history.stdout.contains(W), "{history}");
    let undone = memory.run(&["undo"]).exits(2);
    assert!(undone.stderr.contains("gone"), "{undone}");
    let entries = list_of(&memory.json(&["history"]), "entries");
    assert!(!format!("{entries:?}").contains(W));
}

#[test]
fn what_is_left_ends_with_one() {
    let memory = Memory::new();
    memory.learn_w(2);
    let id = text_of(&memory.only_lesson(), "id");
    memory.run(&["export", "mine.jsonl"]).exits(0);
    let ran = memory.run(&["forget", &id, "--hard", "--yes"]).exits(1);
    assert!(ran.stdout.contains("export with the text") && ran.stdout.contains("rm '"), "{ran}");
    assert!(!ran.stdout.contains(W), "{ran}");
    assert!(ran.stderr.contains(&format!("`hardwon forget {id} --hard`")), "{ran}");
    let again = memory.run(&["forget", &id, "--hard"]).exits(1);
    assert!(again.stdout.contains("export with the text"), "{again}");
    std::fs::remove_file(memory.work().join("mine.jsonl")).expect("it was there");
    let again = memory.run(&["forget", &id, "--hard"]).exits(0);
    assert!(again.stdout.contains("written anew") && !again.stdout.contains("proved"), "{again}");
    assert_eq!(memory.json(&["forget", &id, "--hard"])["erased"]["is_again"], true);
}

#[test]
fn yes_says_nothing_about_putting_away() {
    let memory = Memory::new();
    memory.learn_w(2);
    let id = text_of(&memory.only_lesson(), "id");
    memory.run(&["forget", &id, "--yes"]).exits(0);
    memory.run(&["restore", &id]).exits(0);
}

#[test]
fn another_systems_folder_is_refused() {
    let memory = Memory::new();
    let store = ["--store", "archeflow:flow"];
    memory.run(&[&["add", W][..], &store].concat()).exits(0);
    let ran = memory.run(&[&["forget", "l-", "--hard", "--yes"][..], &store].concat()).exits(2);
    assert!(ran.stderr.contains("another system's files"), "{ran}");
}
