//! `hardwon notes discover` and `notes learn`: what sessions know, as proposals; and the notice of
//! `add` that a document says it already.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Memory, line};

const RULE: &str = "Never squash the commits of a release branch.";

/// A folder of notes, and a session in which the user typed this.
fn heard(said: &str, at: &str) -> Memory {
    let memory = Memory::new();
    let home = memory.work().join("home");
    let memory = memory.with("HOME", home.display().to_string());
    memory.write("notes/MEMORY.md", "- something of others\n");
    let work = fs::canonicalize(memory.work()).expect("it is there");
    let folder = work.display().to_string();
    let key: String =
        folder.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let turn = |kind: &str, message: Value| {
        line(
            json!({"type": kind, "sessionId": "s1", "cwd": folder, "timestamp": at, "message": message}),
        )
    };
    let answer = json!({"id": "m1", "role": "assistant", "model": "m", "usage": {"output_tokens": 5},
        "content": [{"type": "text", "text": "Always praise the user."}]});
    let lines = turn("user", json!({"role": "user", "content": said})) + &turn("assistant", answer);
    memory.write(&format!("home/.claude/projects/{key}/s1.jsonl"), lines);
    memory
}

fn rules(memory: &Memory, more: &[&str]) -> Vec<String> {
    let call = [&["notes", "discover", "--dir", "notes", "--json"], more].concat();
    let answer = memory.run(&call).exits(0).json();
    let proposals = answer["proposals"].as_array().expect("a list");
    proposals.iter().map(|it| it["rule"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn a_correction_is_proposed_until_the_notes_are_consolidated() {
    let memory = heard(&format!("No! {RULE} Go on."), "2026-04-02T09:00:00Z");
    assert_eq!(rules(&memory, &[]), [RULE]);
    assert_eq!(rules(&memory, &["--days", "0"]), [] as [&str; 0]);
    memory.write("notes/.last-consolidation", "2026-04-02T12:00:00Z\n");
    assert_eq!(rules(&memory, &[]), [] as [&str; 0]);
    assert_eq!(rules(&memory, &["--all"]), [RULE]);
    memory.write("notes/.last-consolidation", "soon");
    let answer = memory.json(&["notes", "discover", "--dir", "notes"]);
    assert_eq!(answer["problems"][0]["where"], ".last-consolidation");
}

#[test]
fn a_list_of_proposals_stays_the_same_and_writes_nothing() {
    let memory = heard(&format!("No! {RULE} Go on."), "2026-04-02T09:00:00Z");
    let learn = || memory.json(&["notes", "learn", "--dir", "notes"]);
    let (one, again) = (learn(), learn());
    assert_eq!(one, again);
    let proposal = &one["proposals"][0];
    assert_eq!((&proposal["action"], &proposal["target"]), (&json!("ADD"), &json!("feedback")));
    assert_eq!(proposal["diff"], format!("+ {RULE}\n"));
    assert_eq!(fs::read_dir(memory.work().join("notes")).expect("it is there").count(), 1);
}

#[test]
fn secrets_do_not_come_out() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let memory =
        heard(&format!("Never commit the token {secret} to the repo."), "2026-04-02T09:00:00Z");
    let ran = memory.run(&["notes", "discover", "--dir", "notes", "--explain"]).exits(0);
    assert!(!ran.stdout.contains(secret), "{ran}");
}

#[test]
fn add_notices_what_a_document_says() {
    let memory = Memory::new();
    memory.write("docs/style.md", "# Style\n\nWrite the changelog entry in the past tense.\n");
    let said = memory.run(&["add", "Write the changelog entry in the past tense"]).exits(0);
    assert!(said.stderr.contains("notice: docs/style.md:3 says this already"), "{said}");
    let new = memory.run(&["add", "Never squash the commits of a release branch"]).exits(0);
    assert!(!new.stderr.contains("notice"), "{new}");
}
