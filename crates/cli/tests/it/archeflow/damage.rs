//! Records that cannot be used: one of them never hides another, and stays in the file.

use serde_json::{Value, json};

use super::{ARCHIVE, AUDIT, Flow, LESSONS, OTHER, W, W_AGAIN, finding, lesson, lines, with};
use crate::harness::{each, list_of};

/// Lines that state no lesson, or hardly one.
fn bad_lines() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("torn", b"{\"id\":\"m-002\",\"description\":\"To".to_vec()),
        ("not UTF-8", b"{\"id\":\"m-002\",\"description\":\"\xff\xfe\"}".to_vec()),
        ("NUL bytes", b"\0\0\0\0".to_vec()),
        ("no object", b"[\"m-002\"]".to_vec()),
        ("a number", b"7".to_vec()),
        ("nothing in it", b"{}".to_vec()),
        ("no description", b"{\"id\":\"m-002\",\"frequency\":9}".to_vec()),
        ("empty description", b"{\"id\":\"m-002\",\"description\":\"\"}".to_vec()),
        ("a description of nothing", b"{\"id\":\"m-002\",\"description\":\"\\u0007 \"}".to_vec()),
        ("description is a list", b"{\"id\":\"m-002\",\"description\":[\"x\"]}".to_vec()),
        ("prose", b"remember the milk".to_vec()),
        ("a merge mark", b"<<<<<<< HEAD".to_vec()),
        ("too deep", [&b"{\"a\":"[..], &b"[".repeat(5000)[..]].concat()),
        ("too long", format!("{{\"x\":\"{}\"}}", "y".repeat(2 << 20)).into_bytes()),
    ]
}

/// Good, bad, good.
fn around(bad: &[u8]) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let first = lines(&[lesson("m-001", W)]).into_bytes();
    let last = lines(&[lesson("m-003", OTHER)]).into_bytes();
    (first, [bad, b"\n"].concat(), last)
}

#[test]
fn a_bad_line_hides_no_good_one_and_stays() {
    each(&bad_lines(), |(name, bad)| {
        let (first, middle, last) = around(bad);
        let all = [&first[..], &middle, &last].concat();
        let flow = Flow::of_bytes(&all);
        let ran = flow.inject();
        assert!(ran.stdout.contains(W) && ran.stdout.contains(OTHER), "{name}\n{ran}");
        let ran = flow.call(&["list"]).exits(0);
        assert!(ran.stdout.contains("m-001") && ran.stdout.contains("m-003"), "{name}\n{ran}");
        flow.add("Tabs, not spaces");
        assert!(flow.bytes(LESSONS).starts_with(&all), "{name}: an add touched it");
        flow.extract("r1", &[finding("bug", W_AGAIN)]);
        flow.decay();
        flow.forget("m-003");
        let now = flow.bytes(LESSONS);
        let found = now.windows(middle.len()).filter(|part| *part == middle).count();
        assert_eq!(found, 1, "{name}: the line is not there any more");
        assert_eq!(flow.records(ARCHIVE).len(), 1, "{name}");
        flow.has_no_litter();
    });
}

/// Where it is and what is wrong with it is reported once, before and after a write.
#[test]
fn a_bad_line_is_reported_by_its_place() {
    let (first, middle, last) = around(b"{\"id\":\"m-002\",\"Zanzibar");
    let flow = Flow::of_bytes([first, middle, last].concat());
    let add = ["add", "preference", "Tabs"];
    for args in [&["list"][..], &["inject", "code", ""], &add, &["inject", "code", ""]] {
        let ran = flow.ours(&["list", "--json"]).exits(0);
        assert_eq!(ran.json()["status"], "degraded", "{ran}");
        assert_eq!(list_of(&ran.json(), "problems").len(), 1, "{ran}");
        let ran = flow.call(args).exits(0);
        assert_eq!(ran.stderr.matches("lessons.jsonl:2: ").count(), 1, "{ran}");
        assert!(!ran.stderr.contains("Zanzibar"), "a message repeats the input\n{ran}");
    }
}

/// A field with a value that makes no sense, and whether the lesson is still shown.
#[test]
fn a_bad_field_spoils_neither_its_lesson_nor_others() {
    let cases: &[(Value, bool)] = &[
        (json!({"frequency": "3"}), true),
        (json!({"frequency": "many"}), false),
        (json!({"frequency": null}), false),
        (json!({"frequency": -4}), false),
        (json!({"frequency": 2.9}), true),
        (json!({"frequency": 1e300}), true),
        (json!({"frequency": [3]}), false),
        (json!({"runs_since_last_seen": "soon"}), true),
        (json!({"runs_since_last_seen": -1}), true),
        (json!({"ts": "yesterday"}), true),
        (json!({"ts": 17}), true),
        (json!({"ts": null}), true),
        (json!({"tags": "sql"}), true),
        (json!({"tags": [1, null, {"a": 2}]}), true),
        (json!({"type": 3}), true),
        (json!({"type": null}), true),
        (json!({"source": {"a": 1}}), true),
        (json!({"severity": "purple"}), true),
        (json!({"domain": null}), true),
        (json!({"archetype": 5}), true),
        (json!({"last_seen_run": "../../etc"}), true),
        (json!({"run_id": ["x"]}), true),
        (json!({"id": 12}), true),
        (json!({"id": null}), true),
        (json!({"id": ""}), true),
    ];
    each(cases, |(fields, is_shown)| {
        let bad = with(lesson("m-002", W), fields.clone());
        let flow = Flow::of(&[lesson("m-001", "Cookies carry a flag"), bad.clone()]);
        let ran = flow.inject();
        assert!(ran.stdout.contains("Cookies carry a flag"), "{fields}\n{ran}");
        assert_eq!(ran.stdout.contains(W), *is_shown, "{fields}\n{ran}");
        flow.add("Tabs, not spaces");
        assert_eq!(flow.records(LESSONS)[1], bad, "{fields}: touched");
        flow.ours(&["pin", "m-001"]).exits(0);
        assert_eq!(flow.records(LESSONS)[1], bad, "{fields}: touched");
        // It works like any other from here on.
        flow.extract("r1", &[finding("bug", W)]);
        flow.decay();
        let texts = flow.all("description");
        assert_eq!(texts, ["Cookies carry a flag", W, "Tabs, not spaces"], "{fields}");
    });
}

#[test]
fn missing_fields_do_no_harm() {
    for field in super::FIELDS.iter().filter(|field| **field != "description") {
        let mut bare = lesson("m-002", W);
        bare.as_object_mut().expect("an object").remove(*field);
        let flow = Flow::of(&[bare.clone(), lesson("m-003", OTHER)]);
        flow.add("Tabs, not spaces");
        assert_eq!(flow.records(LESSONS)[0], bare, "without {field}: touched");
        flow.extract("r1", &[finding("bug", W)]);
        let frequency = if *field == "frequency" { 2 } else { 3 };
        assert_eq!(flow.records(LESSONS)[0]["frequency"], frequency, "without {field}");
        flow.decay();
        assert_eq!(flow.records(LESSONS).len(), 3, "without {field}");
    }
}

#[test]
fn ids_that_stand_twice_are_two_lessons() {
    let all = [lesson("m-001", W), lesson("m-001", OTHER), lesson("m-001", W)];
    let flow = Flow::of(&all);
    assert_eq!(list_of(&flow.json(&["list"]), "lessons").len(), 3);
    flow.add("Tabs, not spaces");
    assert_eq!(flow.records(LESSONS)[..3], all);
    assert_eq!(flow.record("m-002")["description"], "Tabs, not spaces");
    flow.extract("r1", &[finding("bug", OTHER)]);
    let records = flow.records(LESSONS);
    assert_eq!((&records[0], &records[2]), (&all[0], &all[2]), "the wrong twin was raised");
    assert_eq!(records[1]["frequency"], 3);
}

#[test]
fn a_bad_line_in_a_log_hides_no_good_one() {
    let bad: &[&[u8]] = &[b"{\"ts\":\"2026", b"\xff\xfe", b"7", b"\0\0", b"oops", b"{}"];
    each(bad, |bad| {
        let good = super::log("r1", &[finding("bug", W)]);
        let good: Vec<&str> = good.split_inclusive('\n').collect();
        // What begins with NUL bytes is taken for no text at all.
        let first = usize::from(bad.starts_with(b"\0"));
        for at in first..=good.len() {
            let flow = Flow::new();
            let (before, after) = good.split_at(at);
            let log = [before.concat().as_bytes(), bad, b"\n", after.concat().as_bytes()].concat();
            flow.put("events/r1.jsonl", &log);
            flow.call(&["extract", ".archeflow/events/r1.jsonl"]).exits(0);
            assert_eq!(flow.record("m-001")["description"], W, "at {at}");
            assert_eq!(flow.bytes("events/r1.jsonl"), log, "a log is not ours to change");
        }
    });
}

#[test]
fn a_bad_line_in_the_archive_or_audit_hides_no_good_one() {
    each(&bad_lines(), |(name, bad)| {
        let flow = Flow::of(&[lesson("m-001", W)]);
        let archive = [bad.as_slice(), b"\n", lines(&[lesson("m-007", OTHER)]).as_bytes()].concat();
        let injected = json!({
            "ts": super::NOW, "run_id": "r1", "domain": "", "archetype": "",
            "lessons_injected": ["m-001"], "lesson_count": 1,
        });
        let audit = [bad.as_slice(), b"\n", lines(&[injected]).as_bytes()].concat();
        flow.put(ARCHIVE, &archive);
        flow.put(AUDIT, &audit);
        flow.log("r1", &[]);
        let ran = flow.call(&["audit-check", "r1"]).exits(0);
        assert!(ran.stderr.contains("Lesson m-001 (helpful)"), "{name}\n{ran}");
        flow.add("Tabs, not spaces");
        assert_eq!(flow.record("m-008")["description"], "Tabs, not spaces", "{name}");
        flow.forget("m-001");
        assert!(flow.bytes(ARCHIVE).starts_with(&archive), "{name}");
        assert!(flow.bytes(AUDIT).starts_with(&audit), "{name}");
        flow.ours(&["restore", "m-007"]).exits(0);
        assert_eq!(flow.record("m-007")["description"], OTHER, "{name}");
    });
}
