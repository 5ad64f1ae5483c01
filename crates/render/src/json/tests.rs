//! What JSON says beyond what its types say, and the published schemas.

use std::fs;
use std::path::Path;

use hardwon_core::event::Problem;
use serde_json::{Value, json};

use super::*;
use crate::answer::History;
use crate::samples::story;

fn ok<T>(body: T) -> Answer<T> {
    Answer::of(body, Vec::new())
}

#[test]
fn problems_are_named_and_harmless() {
    let problems = vec![Problem::new("bad\u{1b}[2J.jsonl:3", "not valid JSON")];
    let value = answer(&Answer::of(Nothing {}, problems.clone()));
    let expected = json!([{"where": "bad [2J.jsonl:3", "reason": "not valid JSON"}]);
    assert_eq!(value["status"], "degraded");
    assert_eq!(value["problems"], expected);
    assert_eq!(failed(&problems), json!({"status": "failed", "problems": expected}));
}

#[test]
fn history_has_fields_before_and_after() {
    let value = answer(&ok(History { entries: story().page.history }));
    assert_eq!(
        value["entries"][3],
        json!({
            "sequence": 20, "operation": 2, "elsewhere": false, "command": "learn", "actor": "ada",
            "at": "2026-04-02T14:10:00Z", "undoes": null, "change": "edit_lesson",
            "lesson": "l-sql0001", "because": "seen in 2 root runs",
            "fields": [
                {"name": "state", "from": "candidate", "to": "provisional"},
                {"name": "sightings", "from": 1, "to": 2},
                {"name": "standing", "from": 1, "to": 2},
            ],
        })
    );
}

/// The schemas in `docs/schemas` are those of the code. `HARDWON_BLESS=1` writes them.
#[test]
fn published_schemas_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    let is_blessed = std::env::var_os("HARDWON_BLESS").is_some_and(|value| value == "1");
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let file = folder.join(&name);
        if is_blessed {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &text).unwrap();
        }
        // Compared as values: the order of keys is not ours to promise.
        let published = fs::read_to_string(&file).unwrap_or_default();
        let published: Value = serde_json::from_str(&published).unwrap_or_default();
        assert_eq!(published, schema, "{name}: set HARDWON_BLESS=1 to write it");
    }
}
