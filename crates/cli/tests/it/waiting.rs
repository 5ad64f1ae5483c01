//! What a busy store could not take, and what readers could not learn: it waits, is told, and is
//! never deleted unread.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::harness::{Memory, REVIEW, W, event, found, json_files, text_of};

/// Holds the turn to write, as a writer does.
fn hold(memory: &Memory) -> fs::File {
    let lock = fs::File::create(memory.home().join("memory.db-lock")).expect("it can be made");
    lock.lock().expect("it can be locked");
    lock
}

fn injections(memory: &Memory) -> Vec<PathBuf> {
    json_files(&memory.home().join("memory.db-queue"))
}

/// Issue 14, 10: an injection into a busy store is there when its run is learned.
#[test]
fn an_injection_into_a_busy_store_is_credited_when_its_run_is_learned() {
    let memory = Memory::new();
    memory.learn_w(2);
    memory.json(&["inject", "--run", "r0"]);
    let held = hold(&memory);
    let injected = memory.run(&["inject", "--run", "r9", "--json"]).exits(0);
    let answer = injected.json();
    assert!(text_of(&answer, "block").contains(W), "{injected}");
    assert_eq!((&answer["status"], &answer["queued"]), (&json!("ok"), &json!(true)));
    assert_eq!((injected.stderr.as_str(), injections(&memory).len()), ("", 1));
    let again = memory.json(&["inject", "--run", "r9"]);
    assert_eq!((&again["repeated"], &again["block"]), (&json!(true), &answer["block"]));
    assert_eq!(injections(&memory).len(), 1, "the same need is one injection");
    let waiting = memory.run(&["doctor", "--json"]).check("queue");
    assert!(text_of(&waiting, "detail").starts_with("1 wait"), "{waiting:#}");
    drop(held);
    memory.learn(&found("r9", W));
    assert!(injections(&memory).is_empty(), "the writer took it in");
    let effects = memory.json(&["check", "r9"])["effects"].clone();
    assert_eq!(effects.as_array().map(Vec::len), Some(1), "credit saw it: {effects:#}");
}

/// Issue 14, 11: what a busy store does not take is not lost. That no reader's end costs a message
/// is tested in the library.
#[test]
fn a_message_that_a_busy_store_does_not_take_waits() {
    let memory = Memory::new().with("HARDWON_DEADLINE_MS", "400");
    memory.learn_w(1);
    let held = hold(&memory);
    let more = json!({"agent_id": "a1", "agent_type": "code-reviewer",
        "last_assistant_message": REVIEW});
    memory.hook("claude", &event("s1", "SubagentStop", more));
    assert_eq!(memory.waiting().len(), 1);
    let noted = memory.problems();
    assert!(noted.contains("not done within 400 ms; the message waits"), "{noted}");
    drop(held);
    let learned = memory.json(&["learn", "--pending"]);
    assert_eq!(learned["runs"][0]["run"], "claude-s1/a1", "{learned:#}");
    assert!(memory.waiting().is_empty());
}
