//! geas's memory skill by command, on a tree of its own.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Memory, Ran};

fn retrospective(memory: &Memory, mission: &str, task: &str, wanted: &[&str]) {
    let document = json!({ "task_id": task, "memory_candidates": wanted });
    let place = format!(".geas/missions/{mission}/tasks/{task}/retrospective.json");
    memory.write_below(&place, &document.to_string());
}

trait Below {
    fn write_below(&self, place: &str, text: &str);
    fn document(&self, place: &str) -> Value;
    fn ledger(&self) -> Vec<Value>;
}

impl Below for Memory {
    fn write_below(&self, place: &str, text: &str) {
        let path = self.work().join(place);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is ours");
        fs::write(path, text).expect("it is ours");
    }

    fn document(&self, place: &str) -> Value {
        let text = fs::read_to_string(self.work().join(".geas/memory").join(place));
        serde_json::from_str(&text.expect(place)).expect("JSON")
    }

    fn ledger(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.work().join(".geas/ledger/events.jsonl"));
        let text = text.expect("a ledger");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
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
    memory.write_below(place, &review.to_string());
    let words = ["geas", "review", "--collect", "--json"];
    let script = Ran::of(&words, memory.script(&words).output().expect("it starts")).exits(0);
    assert_eq!(script.json()["applied"], json!([]), "{script}");
    assert_eq!(script.json()["problems"].as_array().map(Vec::len), Some(1), "{script}");
    let person = memory.run(&words).exits(0).json();
    assert_eq!(person["applied"], json!(["mem-task-001-2 promote_provisional"]), "{person:#}");
    assert_eq!(memory.document("entries/mem-task-001-2.json")["state"], "provisional");
    let again = memory.run(&words).exits(0).json();
    assert_eq!(again["applied"], json!([]), "{again:#}");
}

/// The document's sweep "at session start": a worker does it, once a day.
#[test]
fn what_went_unused_fades_when_sessions_start() {
    let memory = tree().with("HARDWON_STORE", "geas:.");
    memory.run(&["geas", "extract"]).exits(0);
    let state = |memory: &Memory| memory.document("entries/mem-task-001-1.json")["state"].clone();
    memory.run(&["worker"]).exits(0);
    assert_eq!(state(&memory), "provisional");
    let memory = memory.with("HARDWON_NOW", "2026-12-01T10:00:00Z");
    memory.run(&["worker"]).exits(0);
    assert_eq!(state(&memory), "decayed");
    let decayed = memory.ledger().into_iter().filter(|it| it["event"] == "memory_decayed");
    assert_eq!(decayed.count(), 1);
    let mark = fs::read_dir(memory.home().join("sweeps")).expect("a mark").count();
    assert_eq!(mark, 1);
}
