//! Lessons that a person adds and forgets.

use serde_json::{Value, json};

use super::{ARCHIVE, FIELDS, Flow, LESSONS, OTHER, W, lesson, lines, prints, reports, with};
use crate::harness::{NOW, each};

#[test]
fn add_takes_the_four_types() {
    let types = ["pattern", "preference", "archetype_hint", "anti_pattern"];
    each(&types, |kind| {
        let flow = Flow::new();
        let ran = flow.call(&["add", kind, "Bundle all related changes here"]).exits(0);
        reports(&ran, &[&format!("Added lesson m-001 ({kind}): Bundle all related changes here")]);
        let line = format!(
            "{{\"id\":\"m-001\",\"ts\":\"{NOW}\",\"run_id\":\"manual\",\"type\":\"{kind}\",\
             \"source\":\"user_feedback\",\"description\":\"Bundle all related changes here\",\
             \"frequency\":1,\"severity\":\"info\",\"domain\":\"general\",\
             \"tags\":[\"bundle\",\"related\",\"changes\",\"here\"],\"archetype\":null,\
             \"last_seen_run\":\"\",\"runs_since_last_seen\":0}}\n"
        );
        assert_eq!(flow.text(LESSONS), line);
        let ran = flow.call(&["inject", "code", "guardian"]).exits(0);
        assert_eq!(ran.stdout.is_empty(), *kind != "preference", "{ran}");
    });
}

#[test]
fn an_unknown_type_is_refused_and_one_that_is_there_is_kept() {
    let flow = Flow::new();
    let ran = flow.call(&["add", "whim", "Tabs, not spaces"]).exits(1);
    assert_eq!(ran.stdout, "", "{ran}");
    let types = "Types: pattern, preference, archetype_hint, anti_pattern";
    assert!(ran.stderr.contains("whim") && ran.stderr.contains(types), "{ran}");
    assert!(!flow.path(LESSONS).exists());
    let whim = with(lesson("m-001", "Tabs, not spaces"), json!({"type": "whim"}));
    flow.put(LESSONS, lines(&[whim]));
    // What is there under another type is kept as it is.
    let before = flow.text(LESSONS);
    flow.call(&["add", "pattern", OTHER]).exits(0);
    assert!(flow.text(LESSONS).starts_with(&before));
}

/// Whoever calls: the record is one that ArcheFlow's own script counts with.
#[test]
fn what_an_agent_adds_is_a_whole_record() {
    let flow = Flow { memory: crate::harness::Memory::new().with("HARDWON_AGENT", "claude") };
    flow.call(&["add", "pattern", "Bundle related changes"]).exits(0);
    let record = flow.record("m-001");
    let found = (&record["run_id"], &record["frequency"]);
    assert_eq!(found, (&json!("manual"), &json!(1)), "{record}");
}

/// There is no check for duplicates, and no rule about what is worth saying.
#[test]
fn every_call_of_add_is_a_lesson() {
    let flow = Flow::new();
    ["Tabs", "Tabs", "Tabs, not spaces", "Tabs"].iter().for_each(|text| flow.add(text));
    assert_eq!(flow.all("id"), ["m-001", "m-002", "m-003", "m-004"]);
}

#[test]
fn numbers_go_on_from_the_highest() {
    // Ids that are there, the next one.
    let cases: &[(&[&str], &str)] = &[
        (&["m-001"], "m-002"),
        (&["m-008"], "m-009"),
        (&["m-009"], "m-010"),
        (&["m-010"], "m-011"),
        (&["m-099"], "m-100"),
        (&["m-999"], "m-1000"),
        (&["m-1000"], "m-1001"),
        (&["m-7"], "m-008"),
        (&["m-007", "m-003"], "m-008"),
        (&["m-0000012"], "m-013"),
        (&["m-999999999"], "m-1000000000"),
        (&["m-9999999999", "m-004"], "m-005"),
        (&["x-050", "m-5x", "m-", "M-060", "m--9", "m-002"], "m-003"),
        (&["x-050"], "m-001"),
    ];
    each(cases, |(known, next)| {
        let text = |n: usize| format!("Known lesson number {n}");
        let known: Vec<Value> = known.iter().zip(1..).map(|(id, n)| lesson(id, &text(n))).collect();
        let flow = Flow::of(&known);
        flow.add("Tabs, not spaces");
        let records = flow.records(LESSONS);
        assert_eq!(records[..known.len()], known);
        assert_eq!(records[known.len()]["id"], *next);
    });
}

/// As documented ids only go up.
#[test]
fn an_id_is_never_given_twice() {
    let flow = Flow::of(&[lesson("m-001", W), lesson("m-002", OTHER)]);
    flow.forget("m-002");
    flow.add("Tabs, not spaces");
    assert_eq!(flow.record("m-003")["description"], "Tabs, not spaces");
    // Nor is one that stands in an archive written by others.
    let flow = Flow::of(&[lesson("m-001", W)]);
    flow.put(ARCHIVE, lines(&[lesson("m-041", OTHER)]));
    flow.add("Tabs, not spaces");
    assert_eq!(flow.record("m-042")["description"], "Tabs, not spaces");
}

#[test]
fn forget_moves_the_line_as_it_is() {
    let odd = "{\"mood\":\"calm\",\"description\":\"Retries need a limit\",\"id\":\"m-002\",\
               \"frequency\":3.0,\"tags\":[\"\\u0061\"],\"extra\":{\"a\":[1,{}]}}";
    let (first, last) = (lesson("m-001", W).to_string(), lesson("m-003", OTHER).to_string());
    let flow = Flow::of_bytes(format!("{first}\n{odd}\n{last}\n"));
    flow.put(ARCHIVE, "{\"id\":\"m-000\",\"description\":\"Long gone by now\"}\n");
    reports(&flow.forget("m-002"), &["Forgot lesson m-002 (moved to archive)"]);
    assert_eq!(flow.text(LESSONS), format!("{first}\n{last}\n"));
    let archive = format!("{{\"id\":\"m-000\",\"description\":\"Long gone by now\"}}\n{odd}\n");
    assert_eq!(flow.text(ARCHIVE), archive);
    flow.has_no_litter();
}

fn not_found(id: &str) -> String {
    format!("Error: lesson {id} not found.\n")
}

#[test]
fn forgetting_what_is_not_there_changes_nothing() {
    let cases = ["m-002", "m-1", "m-0001", "M-001", "l-000000", "", "m-001 ", "*"];
    each(&cases, |id| {
        let flow = Flow::of(&[lesson("m-001", W)]);
        let ran = flow.call(&["forget", id]).exits(1);
        assert_eq!(ran.stdout, "", "{ran}");
        assert!(id.is_empty() || ran.stderr == not_found(id), "{ran}");
        assert_eq!(flow.records(LESSONS), [lesson("m-001", W)]);
        assert!(!flow.path(ARCHIVE).exists());
    });
}

#[test]
fn every_line_with_the_id_is_moved() {
    let twin = with(lesson("m-001", "Sessions expire while the form is open"), json!({"n": 2}));
    let flow = Flow::of(&[lesson("m-001", W), lesson("m-002", OTHER), twin.clone()]);
    flow.forget("m-001");
    assert_eq!(flow.records(LESSONS), [lesson("m-002", OTHER)]);
    let archived = flow.records(ARCHIVE);
    assert_eq!(archived.len(), 2);
    assert!(archived.contains(&lesson("m-001", W)) && archived.contains(&twin));
    let ran = flow.call(&["forget", "m-001"]).exits(1);
    prints(&ran, "", &not_found("m-001"));
    assert_eq!(flow.records(ARCHIVE).len(), 2);
    let ran = flow.inject();
    assert!(ran.stdout.contains(OTHER) && !ran.stdout.contains(W), "{ran}");
}

/// Even if they are the same to the last byte: nothing leaves one file without getting
/// into the other. The last lesson may go too; the file stays.
#[test]
fn lines_that_are_equal_are_moved_one_by_one() {
    let flow = Flow::of(&[lesson("m-001", W), lesson("m-001", W)]);
    flow.forget("m-001");
    assert_eq!(flow.text(LESSONS), "");
    assert_eq!(flow.records(ARCHIVE), [lesson("m-001", W), lesson("m-001", W)]);
    let ran = flow.call(&["list"]).exits(0);
    assert!(ran.stdout.starts_with("ID ") && !ran.stdout.contains("m-001"), "{ran}");
}

/// A record that cannot be used still has its id.
#[test]
fn an_id_of_a_useless_record_is_not_given_again() {
    let flow = Flow::of(&[lesson("m-001", W), json!({"id": "m-007", "frequency": 1})]);
    flow.add("Tabs, not spaces");
    assert_eq!(flow.records(LESSONS)[2]["id"], "m-008");
}

/// What is appended has every field, and all of it is shown.
#[test]
fn six_in_turn_have_every_field() {
    let flow = Flow::new();
    for n in 1..=6 {
        flow.add(&format!("Wish number {n}"));
    }
    for record in flow.records(LESSONS) {
        let keys: Vec<&String> = record.as_object().expect("a record").keys().collect();
        assert_eq!(keys.len(), FIELDS.len(), "{record}");
    }
    let ran = flow.call(&["inject", "", ""]).exits(0);
    assert_eq!(ran.stdout.lines().count(), 7, "{ran}");
}
