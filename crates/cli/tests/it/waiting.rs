//! What a busy store could not take, and what readers could not learn: it waits, is told, and is
//! never deleted unread.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::harness::{Memory, REVIEW, W, event, feed, found, json_files, start_piped, text_of};

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

fn review(memory: &Memory, agent: &str) {
    let more = json!({"agent_id": agent, "agent_type": "code-reviewer"});
    let mut stop = event("s1", "SubagentStop", more);
    stop["last_assistant_message"] = REVIEW.into();
    memory.hook("claude", &stop);
}

/// Issue 14, 11: three readers that ended while the store was busy deleted the message.
#[test]
fn three_readers_killed_while_the_store_is_busy_delete_no_message() {
    let memory = Memory::new().with("HARDWON_DEADLINE_MS", "400");
    memory.learn_w(1);
    let held = hold(&memory);
    review(&memory, "a1");
    let queue = memory.home().join("queue");
    let said = json_files(&queue);
    assert_eq!(said.len(), 1);
    let noted = memory.problems();
    assert!(noted.contains("not done within 400 ms; the message waits"), "{noted}");
    let before = fs::read(&said[0]).expect("it can be read");
    for _ in 0..4 {
        let mut reader = loop {
            touch_long_ago(&said[0]);
            let mut reader = start_piped(memory.command(&["learn", "--pending"]));
            feed(&mut reader, "");
            if has_read(&said[0], &mut reader) {
                break reader;
            }
        };
        reader.kill().expect("it waits for the store");
        reader.wait().expect("it is gone");
    }
    assert_eq!(fs::read(&said[0]).expect("it is kept"), before, "a reader left a mark");
    drop(held);
    let learned = memory.json(&["learn", "--pending"]);
    assert_eq!(learned["runs"][0]["run"], "claude-s1/a1", "{learned:#}");
    assert!(json_files(&queue).is_empty());
}

fn touch_long_ago(path: &Path) {
    let file = fs::File::options().append(true).open(path).expect("it is there");
    file.set_modified(SystemTime::UNIX_EPOCH).expect("it is ours");
}

/// Waits until a reader has the file and has read it: its mark was written, and taken back. Then
/// it waits for the store. False if it is gone: looking takes the lock for a moment, and who finds
/// it taken leaves the file to others.
fn has_read(path: &Path, reader: &mut Child) -> bool {
    let is_taken = || {
        let file = fs::File::open(path).expect("it is there");
        matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
    };
    let is_untouched = || {
        let about = fs::metadata(path).expect("it is there");
        about.modified().expect("it has a time") == SystemTime::UNIX_EPOCH
    };
    let is_begun = || fs::read_to_string(path).expect("it can be read").ends_with("begun\n");
    while !is_taken() || is_untouched() || is_begun() {
        if reader.try_wait().expect("it was started").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

#[test]
fn what_was_put_aside_is_told_tried_again_and_discarded_by_hand() {
    let memory = Memory::new();
    memory.learn_w(1);
    memory.write_home("queue/000-odd.json", "{\"host\":");
    let answer = memory.json(&["learn", "--pending"]);
    assert!(text_of(&answer["problems"][0], "reason").ends_with("put aside"), "{answer:#}");
    let aside = memory.home().join("queue/aside");
    assert_eq!(json_files(&aside).len(), 1);
    let check = memory.run(&["doctor", "--json"]).check("queue");
    let detail = text_of(&check, "detail");
    assert!(detail.contains(&format!("tail {}/*", aside.display())), "{check:#}");
    assert_eq!(check["fix"], "hardwon learn --pending --retry", "{check:#}");
    // It fails again, and is kept again.
    let answer = memory.json(&["learn", "--pending", "--retry"]);
    assert_eq!(answer["problems"].as_array().map(Vec::len), Some(1), "{answer:#}");
    assert_eq!(json_files(&aside).len(), 1);
    fs::remove_dir_all(&aside).expect("as doctor says");
    assert_eq!(memory.run(&["doctor", "--json"]).check("queue")["status"], "ok");
    memory.run(&["learn", "--retry"]).exits(2);
}
