//! geas's memory skill by command, on a tree of its own.

use std::fs;
use std::process::Command;

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

#[test]
fn what_two_tasks_want_rises_at_once_or_waits_for_the_batch() {
    let memory = tree();
    memory.run(&["geas", "extract"]).exits(0);
    assert_eq!(memory.document("entries/mem-task-001-1.json")["state"], "provisional");
    assert_eq!(memory.document("candidates/mem-task-001-2.json")["state"], "candidate");
    let again = memory.run(&["geas", "extract"]).exits(0);
    assert!(again.stdout.contains("nothing new"), "{again}");

    let memory = tree();
    memory.run(&["geas", "extract", "--batch"]).exits(0);
    assert_eq!(memory.document("candidates/mem-task-001-1.json")["state"], "candidate");
    let evolved = memory.run(&["geas", "evolve", "--json"]).exits(0).json();
    assert_eq!(evolved["promoted"], json!(["mem-task-001-1 provisional"]), "{evolved:#}");
    let events: Vec<Value> = memory.ledger().iter().map(|it| it["event"].clone()).collect();
    let expected = ["memory_extraction", "memory_promoted", "memory_promotion_batch"];
    assert_eq!(events, expected);
    memory.run(&["geas", "validate"]).exits(0);
}

#[test]
fn one_task_or_one_mission_is_extracted_alone() {
    let memory = tree();
    retrospective(&memory, "m2", "task-001", &["Name the owner of every queue in the runbook"]);
    memory.run(&["geas", "extract", "--task", "task-002"]).exits(0);
    let listed = memory.run(&["geas", "validate", "--json"]).json();
    assert_eq!(listed["files"], 2, "one candidate and the index: {listed:#}");
    memory.run(&["geas", "extract", "--mission", "m2"]).exits(0);
    assert_eq!(memory.document("candidates/mem-task-001-1.json")["scope"], "project");
    for odd in ["nope", "../m1", ""] {
        let refused = memory.run(&["geas", "extract", "--task", odd]).exits(2);
        assert!(refused.stderr.contains(".geas/missions"), "{refused}");
    }
    memory.run(&["geas", "extract", "--mission", "m9"]).exits(2);
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

#[test]
fn the_index_and_the_schemas_are_checked() {
    let memory = tree();
    memory.run(&["geas", "extract"]).exits(0);
    let index = memory.work().join(".geas/state/memory-index.json");
    let before = fs::read(&index).expect("an index");
    fs::remove_file(&index).expect("it is ours");
    memory.run(&["geas", "index", "--check"]).exits(1);
    assert!(!index.exists(), "only compared");
    memory.run(&["geas", "index"]).exits(0);
    assert_eq!(fs::read(&index).expect("an index"), before);
    memory.run(&["geas", "index", "--check"]).exits(0);
    let place = memory.work().join(".geas/memory/candidates/mem-task-001-2.json");
    let text = fs::read_to_string(&place).expect("a candidate");
    fs::write(&place, text.replace("\"candidate\"", "\"dreaming\"")).expect("it is ours");
    let faulty = memory.run(&["geas", "validate"]).exits(1);
    assert!(faulty.stdout.contains("mem-task-001-2.json .state: it is not"), "{faulty}");
    memory.run(&["geas", "validate", "nowhere.json"]).exits(2);
}

/// What came with a checkout changes nothing by itself.
#[test]
fn a_tracked_tree_is_inert_until_a_person_approves_it() {
    let memory = tree();
    memory.run(&["geas", "extract"]).exits(0);
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        let done = git.current_dir(memory.work()).args(words).output().expect("git is there");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    for words in [&["geas", "evolve"][..], &["geas", "review", "--collect"]] {
        let refused = memory.run(words).exits(2);
        assert!(refused.stderr.contains("hardwon review trust"), "{refused}");
    }
    for words in [&["geas", "extract"][..], &["geas", "review", "list"], &["geas", "validate"]] {
        memory.run(words).exits(0);
    }
    memory.run(&["trust", ".geas", "--as-user"]).exits(0);
    memory.run(&["geas", "evolve"]).exits(0);
    memory.run(&["geas", "evolve"]).exits(0);
}

/// The schemas know agents, the document's table slots: the profile says who fills them.
#[test]
fn reviewers_are_written_as_the_profile_fills_them() {
    for (profile, expected) in
        [("software", "security_engineer"), ("research", "research_integrity_reviewer")]
    {
        let memory = tree();
        memory.run(&["config", "set", "geas.profile", profile]).exits(0);
        memory.run(&["geas", "extract"]).exits(0);
        let words = ["geas", "review", "mem-task-001-2", "--decision", "promote_provisional"];
        let reason = ["--rationale", "It cost us two nights.", "--by", "risk_specialist"];
        memory.run(&[&words[..], &reason].concat()).exits(0);
        let review = memory.document("entries/mem-task-001-2-review.json");
        assert_eq!(review["reviewer_type"], expected, "{review:#}");
        memory.run(&["geas", "validate"]).exits(0);
    }
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
