//! ArcheFlow's own files, from outside, as far as `tests/golden` does not show it: several
//! writers, hostile folders, what moves between memories, and what our rules add. A folder of its
//! own for each test, with records of the shapes that the documents show.

mod again;
mod at_once;
mod locks;
mod payloads;
mod places;
mod preset;
mod transfer;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::{Memory, Ran, files_below};

const LESSONS: &str = "memory/lessons.jsonl";
const ARCHIVE: &str = "memory/archive.jsonl";
const AUDIT: &str = "memory/audit.jsonl";
const JOURNAL: &str = "memory/hardwon.jsonl";

/// The fields of a new record, in order.
#[rustfmt::skip]
const FIELDS: [&str; 13] = [
    "id", "ts", "run_id", "type", "source", "description", "frequency", "severity", "domain",
    "tags", "archetype", "last_seen_run", "runs_since_last_seen",
];

/// A finding that can become a lesson, and another one.
const W: &str = "Search query is glued together from strings";
const OTHER: &str = "Upload handler forgets the size limit";

/// One `.archeflow` folder.
struct Flow {
    memory: Memory,
}

impl Flow {
    /// Nothing there yet.
    fn new() -> Self {
        Flow { memory: Memory::new() }
    }

    /// With these lines in `lessons.jsonl`.
    fn of(lessons: &[Value]) -> Self {
        let flow = Flow::new();
        flow.put(LESSONS, lines(lessons));
        flow
    }

    /// Where a file below `.archeflow` is.
    fn path(&self, name: &str) -> PathBuf {
        self.memory.work().join(".archeflow").join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        self.memory.write(&format!(".archeflow/{name}"), content);
    }

    #[track_caller]
    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("the file is text")
    }

    /// The records of a file; none if it is not there.
    #[track_caller]
    fn records(&self, name: &str) -> Vec<Value> {
        if !self.path(name).exists() {
            return Vec::new();
        }
        let text = self.text(name);
        let full = text.lines().filter(|line| !line.trim().is_empty());
        full.map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// The record of `lessons.jsonl` with this id.
    #[track_caller]
    fn record(&self, id: &str) -> Value {
        let records = self.records(LESSONS);
        let found = records.iter().find(|record| record["id"] == id);
        found.unwrap_or_else(|| panic!("no {id} in {records:#?}")).clone()
    }

    /// Calls one of ArcheFlow's commands.
    #[track_caller]
    fn call(&self, args: &[&str]) -> Ran {
        self.memory.run(&[&["archeflow"], args].concat())
    }

    /// Calls one of our commands on the folder.
    #[track_caller]
    fn ours(&self, args: &[&str]) -> Ran {
        self.memory.run(&[&["--store", "archeflow:."], args].concat())
    }

    /// Adds a preference.
    #[track_caller]
    fn add(&self, text: &str) {
        self.call(&["add", "preference", text]).exits(0);
    }

    #[track_caller]
    fn decay(&self) -> Ran {
        self.call(&["decay"]).exits(0)
    }

    /// The block for the domain `code`.
    #[track_caller]
    fn inject(&self) -> Ran {
        self.call(&["inject", "code", ""]).exits(0)
    }

    /// A field of every record of `lessons.jsonl`.
    #[track_caller]
    fn all(&self, field: &str) -> Vec<Value> {
        self.records(LESSONS).iter().map(|record| record[field].clone()).collect()
    }

    /// The answer to a command on our own store.
    #[track_caller]
    fn own(&self, args: &[&str]) -> Value {
        self.memory.json(args)
    }

    /// Trusts the folder as it is and imports it into our own store.
    #[track_caller]
    fn import(&self) -> Value {
        self.own(&["trust", "."]);
        self.own(&["import", "."])
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        self.ours(&[args, &["--json"]].concat()).exits(0).json()
    }

    /// Puts a log of a run that guardian looked at.
    fn log(&self, run: &str, findings: &[Value]) -> String {
        let name = format!("events/{run}.jsonl");
        self.put(&name, log(run, findings));
        format!(".archeflow/{name}")
    }

    /// Everything below the working folder, with its content.
    fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files_below(&self.memory.work())
    }

    /// No command leaves any but the known files.
    #[track_caller]
    fn has_no_litter(&self) {
        let known = [LESSONS, ARCHIVE, AUDIT, JOURNAL, "memory/lessons.jsonl.lock"];
        let known: Vec<PathBuf> = known.iter().map(|name| self.path(name)).collect();
        let found = files_below(&self.path("memory"));
        assert!(found.keys().all(|path| known.contains(path)), "{:#?}", found.keys());
    }
}

/// A record of `lessons.jsonl`: a confirmed pattern of the domain `code`.
fn lesson(id: &str, text: &str) -> Value {
    json!({
        "id": id, "ts": "2026-03-01T09:00:00Z", "run_id": "run-a", "type": "pattern",
        "source": "guardian", "description": text, "frequency": 2, "severity": "warning",
        "domain": "code", "tags": [], "archetype": null, "last_seen_run": "run-a",
        "runs_since_last_seen": 0,
    })
}

/// A record with some fields set.
fn with(mut record: Value, fields: Value) -> Value {
    for (key, value) in fields.as_object().expect("fields are an object") {
        record[key] = value.clone();
    }
    record
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn finding(severity: &str, text: &str) -> Value {
    json!({"severity": severity, "description": text, "category": "security"})
}

/// One event of a log.
fn event(run: &str, seq: usize, event_type: &str, data: Value) -> Value {
    json!({
        "ts": "2026-04-01T10:00:00Z", "run_id": run, "seq": seq, "parent": [],
        "type": event_type, "phase": "check", "agent": null, "data": data,
    })
}

/// A log that does not say what domain its run is of.
fn bare_log(run: &str, archetype: &str, findings: &[Value]) -> String {
    let verdict = json!({"archetype": archetype, "verdict": "needs_changes", "findings": findings});
    lines(&[
        event(run, 1, "run.start", json!({"task": "search page"})),
        event(run, 2, "review.verdict", verdict),
        event(run, 3, "run.complete", json!({"status": "completed"})),
    ])
}

/// A run of the domain `code` that guardian looked at.
fn log(run: &str, findings: &[Value]) -> String {
    let log = bare_log(run, "guardian", findings);
    log.replace("\"task\":\"search page\"", "\"task\":\"search page\",\"domain\":\"code\"")
}
