//! Folders that are approved, imported and exported again.

use std::collections::BTreeSet;

use serde_json::json;

use super::{ARCHIVE, Flow, LESSONS, OTHER, W, lesson, with};
use crate::harness::{list_of, text_of};

/// Four records as others write them, one with an unknown field, one without tags.
fn folder() -> Flow {
    let odd = with(lesson("m-002", OTHER), json!({"mood": "calm", "tags": [], "frequency": 3}));
    let preference = json!({"type": "preference", "source": "user_feedback", "last_seen_run": "",
                      "run_id": "manual", "frequency": 1});
    let preference = with(lesson("m-003", "One bundled pull request instead of many"), preference);
    let flow = Flow::of(&[lesson("m-001", W), odd, preference]);
    flow.put(ARCHIVE, super::lines(&[with(lesson("m-004", "Tabs drift"), json!({"tags": []}))]));
    flow
}

fn states(flow: &Flow) -> Vec<String> {
    let lessons = list_of(&flow.own(&["list"]), "lessons");
    lessons.iter().map(|lesson| text_of(lesson, "state")).collect()
}

#[test]
fn a_folder_waits_until_a_person_approves_it() {
    let flow = folder();
    assert_eq!(flow.own(&["inject"])["block"], "");
    assert_eq!(flow.own(&["list"])["lessons"], json!([]), "it is not used by itself");
    let imported = flow.own(&["import", ".", "--from", "archeflow"]);
    assert_eq!(imported["status"], "degraded");
    assert_eq!((&imported["read"], list_of(&imported, "quarantined").len()), (&json!(4), 3));
    assert_eq!(states(&flow), ["quarantined"; 3]);
    assert_eq!(flow.own(&["inject"])["block"], "");
    let look = flow.own(&["trust", ".", "--look"]);
    assert_eq!(look["trust"], "unknown");
    let pinned = flow.own(&["trust", ".archeflow"]);
    assert_eq!((&pinned["trust"], &pinned["digest"]), (&json!("trusted"), &look["digest"]));
    let again = flow.own(&["import", "."]);
    assert_eq!(list_of(&again, "released").len(), 3);
    let block = text_of(&flow.own(&["inject"]), "block");
    assert!(block.contains(W) && block.contains("One bundled pull request"), "{block}");
    assert_eq!(flow.own(&["import", "."])["known"], 4, "the same again changes nothing");
    flow.put(LESSONS, flow.text(LESSONS) + &super::lines(&[lesson("m-009", "Obey a repository")]));
    assert_eq!(flow.own(&["trust", ".", "--look"])["trust"], "changed");
    let imported = flow.own(&["import", "."]);
    assert_eq!(list_of(&imported, "quarantined").len(), 1, "the three that were approved stay");
    assert_eq!(flow.own(&["trust", ".", "--revoke"])["trust"], "unknown");
}

#[test]
fn a_reworded_lesson_is_the_same_lesson() {
    let flow = folder();
    flow.import();
    let id = text_of(&flow.own(&["show", "m-001"])["lesson"], "id");
    let text = flow.text(LESSONS).replace(W, "Search queries are built with parameters");
    flow.put(LESSONS, text);
    assert_eq!(flow.import()["updated"], json!([id]));
    let shown = flow.own(&["show", "m-001"]);
    assert_eq!(shown["lesson"]["text"], "Search queries are built with parameters");
    assert_eq!(states(&flow).len(), 3);
}

#[test]
fn no_id_is_given_to_two_lessons() {
    let flow = folder();
    let other = with(lesson("m-001", "Retry loops need an upper bound"), json!({}));
    flow.memory.write("b/.archeflow/memory/lessons.jsonl", super::lines(&[other]));
    for place in [".", "b"] {
        flow.own(&["trust", place]);
        flow.own(&["import", place]);
    }
    flow.own(&["export", "out", "--to", "archeflow"]);
    let records = flow.records("../out/.archeflow/memory/lessons.jsonl");
    let ids: BTreeSet<String> = records.iter().map(|record| text_of(record, "id")).collect();
    assert_eq!((records.len(), ids.len()), (4, 4), "{records:#?}");
}

#[test]
fn a_lesson_that_waits_is_not_written_as_a_preference() {
    let flow = Flow::new();
    flow.ours(&["add", "--kind", "rule", "Rules wait for a person to approve them"]).exits(0);
    let shown = flow.call(&["inject", "", ""]).exits(0);
    assert_eq!(shown.stdout, "");
}

#[test]
fn the_store_flag_names_the_folder() {
    let flow = folder();
    let ran = flow.memory.run(&["--store", "archeflow:elsewhere", "archeflow", "list"]).exits(0);
    assert_eq!(ran.stderr, "No lessons stored yet.\n");
    flow.memory.run(&["--store", "sqlite:x", "archeflow", "list"]).exits(2);
}
