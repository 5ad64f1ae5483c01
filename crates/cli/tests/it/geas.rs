//! geas's memory skill by command, on a tree of its own.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Memory;

fn retrospective(memory: &Memory, mission: &str, task: &str, wanted: &[&str]) {
    let document = json!({ "task_id": task, "memory_candidates": wanted });
    let place = format!(".geas/missions/{mission}/tasks/{task}/retrospective.json");
    memory.write(&place, document.to_string());
}

/// The state of an entry.
fn state(memory: &Memory, id: &str) -> Value {
    let path = memory.work().join(format!(".geas/memory/entries/{id}.json"));
    let text = fs::read_to_string(path).expect(id);
    serde_json::from_str::<Value>(&text).expect("JSON")["state"].clone()
}

const IMPORTER: &str = "Run the importer on the largest sample before handing over";
const TOKEN: &str = "Check the auth token expiry before retrying a request";

/// Two tasks that want the same, and one thing that only one of them wants.
fn tree() -> Memory {
    let memory = Memory::new();
    retrospective(&memory, "m1", "task-001", &[IMPORTER, TOKEN]);
    let again = "Before handing over, run the importer on the largest sample once";
    retrospective(&memory, "m1", "task-002", &[again]);
    memory
}

/// A reviewer's file counts when a person has it applied, once.
#[test]
fn reviews_that_agents_wrote_are_applied_by_a_person() {
    let memory = tree();
    memory.run(&["geas", "extract"]).exits(0);
    let prompt = memory.run(&["geas", "review", "list", "--prompt"]).exits(0).stdout;
    assert!(prompt.contains(".geas/memory/candidates/mem-task-001-2-review.json"), "{prompt}");
    let review = json!({
        "meta": {
            "version": "1.0", "artifact_type": "memory_review",
            "artifact_id": "mem-task-001-2-review", "producer_type": "security_engineer",
            "created_at": "2026-04-03T14:00:00Z"
        },
        "memory_id": "mem-task-001-2", "reviewer_type": "security_engineer",
        "decision": "promote_provisional", "rationale": "It cost us two nights.",
        "required_followup": [], "supersedes": []
    });
    let place = ".geas/memory/candidates/mem-task-001-2-review.json";
    memory.write(place, review.to_string());
    let words = ["geas", "review", "--collect", "--json"];
    let script = memory.run_as_script(&words).exits(0);
    assert_eq!(script.json()["applied"], json!([]), "{script}");
    assert_eq!(script.json()["problems"].as_array().map(Vec::len), Some(1), "{script}");
    let person = memory.run(&words).exits(0).json();
    assert_eq!(person["applied"], json!(["mem-task-001-2 promote_provisional"]), "{person:#}");
    assert_eq!(state(&memory, "mem-task-001-2"), "provisional");
    let again = memory.run(&words).exits(0).json();
    assert_eq!(again["applied"], json!([]), "{again:#}");
}

/// The document's sweep "at session start": a worker does it, once a day.
#[test]
fn what_went_unused_fades_when_sessions_start() {
    let memory = tree().with("HARDWON_STORE", "geas:.");
    memory.run(&["geas", "extract"]).exits(0);
    memory.run(&["worker"]).exits(0);
    assert_eq!(state(&memory, "mem-task-001-1"), "provisional");
    let memory = memory.with("HARDWON_NOW", "2026-12-01T10:00:00Z");
    memory.run(&["worker"]).exits(0);
    assert_eq!(state(&memory, "mem-task-001-1"), "decayed");
    let ledger = fs::read_to_string(memory.work().join(".geas/ledger/events.jsonl"));
    assert_eq!(ledger.expect("a ledger").matches("\"memory_decayed\"").count(), 1);
    let mark = fs::read_dir(memory.home().join("sweeps")).expect("a mark").count();
    assert_eq!(mark, 1);
}
