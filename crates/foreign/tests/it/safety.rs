//! The user's own redaction rules, and their approval of a folder, hold in other systems'
//! folders as well.

use std::fs;
use std::path::Path;

use hardwon_engine::answer::{HealthCheck, HealthStatus};
use hardwon_engine::lessons;
use hardwon_engine::{
    Access, AddRequest, DoctorRequest, Environment, ListRequest, OpenMemory, Options, doctor,
};
use hardwon_foreign::{LAYOUTS, trust};

use crate::place::environment;

const TEXT: &str = "Never print corp_a1b2c3d4 or password=hunter2 in the logs";
const HIDDEN: &str = "Never print [redacted:corp-id] or password=hunter2 in the logs";

const USER: &str =
    "[redact]\nallow = \"hunter2\"\n[redact.rules]\ncorp_id = \"corp_[a-z0-9]{8,}\"\n";

fn open(folder: &Path, store: &str) -> OpenMemory {
    fs::create_dir_all(folder.join("home")).unwrap();
    fs::write(folder.join("home/config.toml"), USER).unwrap();
    let store = Some(store.to_owned());
    let options = Options { store, foreign: LAYOUTS, ..Options::default() };
    OpenMemory::open(&environment(folder), &options, Access::Write).unwrap()
}

fn texts(engine: &OpenMemory) -> Vec<String> {
    let all = ListRequest { is_all: true, ..ListRequest::default() };
    let lessons = lessons::list(&engine.memory, &engine.call, &all).unwrap().body.lessons;
    lessons.iter().map(|lesson| lesson.text.as_str().to_owned()).collect()
}

fn trust_check(environment: &Environment) -> HealthCheck {
    let options = Options { foreign: LAYOUTS, ..Options::default() };
    let health = doctor(environment, &options, DoctorRequest::default(), &mut |_| {}).body;
    health.checks.into_iter().find(|check| check.name == "trust").unwrap()
}

#[test]
fn redaction_rules_hold_in_every_store() {
    for store in ["archeflow:flow", "openagents:agents"] {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = open(folder.path(), store);
        let request = AddRequest { text: TEXT.into(), ..AddRequest::default() };
        lessons::add(&mut engine.memory, &engine.call, &request).unwrap();
        assert_eq!(texts(&engine), [HIDDEN], "{store}");
        assert_eq!(engine.memory.settings.problems, [], "{store}");
    }
}

#[test]
fn what_others_wrote_passes_the_users_rules_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("flow/.archeflow/memory");
    fs::create_dir_all(&memory).unwrap();
    let record = serde_json::json!({
        "id": "m-001", "ts": "2026-04-03T14:00:00Z", "type": "pattern", "source": "run",
        "description": TEXT, "severity": "warning", "frequency": 2, "domain": "code",
    });
    fs::write(memory.join("lessons.jsonl"), format!("{record}\n")).unwrap();
    let engine = open(folder.path(), "archeflow:flow");
    assert_eq!(texts(&engine), [HIDDEN]);
}

#[test]
fn a_trusted_folder_that_changed_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path());
    let memory = folder.path().join(".archeflow/memory");
    fs::create_dir_all(&memory).unwrap();
    fs::write(memory.join("lessons.jsonl"), "").unwrap();
    trust::pin(&environment, ".").unwrap();
    assert_eq!(trust_check(&environment).status, HealthStatus::Ok);
    fs::write(memory.join("lessons.jsonl"), "{}\n").unwrap();
    let check = trust_check(&environment);
    assert_eq!(check.status, HealthStatus::Warning);
    assert!(check.fix.unwrap().starts_with("hardwon review trust "));
}
