//! Sessions of other agents, as their programs write them; and what of damaged
//! and hostile ones.

use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::lesson::Origin;
use hardwon_core::run::Outcome;
use hardwon_readers::{Format, ReadError, read};

use crate::episodes::{check_damaged, told};
use crate::{problems, record, runs};

fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sessions"));
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().unwrap() != "expected");
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn fixture(name: &str) -> String {
    let found = fixtures().into_iter().find(|(path, _)| path.ends_with(name));
    String::from_utf8(found.unwrap_or_else(|| panic!("{name}")).1).unwrap()
}

/// The failed steps of an input, as `action`.
fn failed(text: &str) -> Vec<String> {
    let told = told(&record(text));
    let failed = told.iter().filter(|line| line.contains("] failed"));
    let action = |line: &String| {
        line.split_once('[').unwrap().1.split("] failed").next().unwrap().to_owned()
    };
    failed.map(action).collect()
}

#[test]
fn every_host_tells_the_mistake() {
    let hosts = [
        ("stream.jsonl", "claude"),
        ("gemini.jsonl", "gemini"),
        ("qwen.jsonl", "qwen"),
        ("opencode.json", "opencode"),
        ("codex-exec.jsonl", "codex"),
    ];
    for (name, host) in hosts {
        let text = fixture(name);
        assert_eq!(failed(&text), ["npm tset", "npm test"], "{name}");
        let record = record(&text);
        let run = runs(&record)[0];
        assert!(run.id.as_deref().unwrap().starts_with(&format!("{host}-")), "{name}");
        assert_eq!((record.channel, problems(&record).len()), (Some(Origin::Agent), 0), "{name}");
        assert_eq!(told(&record).len(), 5, "{name}: a run and four steps");
        assert!(told(&record)[4].contains("&& npm test] ok"), "{name}");
    }
}

/// What was not permitted never ran.
#[test]
fn a_call_that_was_not_permitted_is_no_failure_of_the_command() {
    let text = fixture("stream-denied.jsonl");
    assert_eq!(failed(&text), [] as [&str; 0]);
    let record = record(&text);
    let run = runs(&record)[0];
    assert_eq!(run.outcome, Some(Outcome::Failed));
    assert_eq!(run.episode.summary.as_deref(), Some("Reached maximum number of turns (3)"));
    let content = runs(&crate::record(fixture("stream.jsonl")))[0].outcome;
    assert_eq!(content, None, "that the agent is content is no outcome");
}

#[test]
fn logs_of_one_session_are_one_run() {
    let lines = fixture("autopilot.jsonl");
    let document = fixture("autopilot.json").replace("be8b05ba", "6c50a8dc");
    let log = fixture("session.rlog").replace("19509551-2818-4bd1-8a57-92622a0caaa5", "6c50a8dc");
    for text in [lines, document, log] {
        let record = record(text);
        assert_eq!(runs(&record)[0].id.as_deref(), Some("claude-6c50a8dc"));
    }
}

/// A summary for people leaves out half of what was done: nothing is made up of the rest.
#[test]
fn what_a_log_cut_is_not_what_was_done() {
    let record = record(fixture("session.rlog"));
    let told = told(&record).join("\n");
    assert!(!told.contains("yeste"), "{told}");
    assert!(told.contains("[cargo test -p login -- --format \"pretty\"] failed"), "{told}");
    assert_eq!(problems(&record), ["x: 1 call is cut short in this log and was left out"]);
    let ambiguous = "command bash [cargo build] ?";
    assert!(told.contains(ambiguous), "two calls have one name: {told}");
    let quiet = "---\nformat: rlog/1\nid: s1\nrepo_sha: abc\n---\n";
    assert_eq!(crate::told_runs(quiet), ["openagents-s1"], "a log is that of a run");
}

#[test]
fn older_rollouts_say_what_newer_ones_do() {
    assert_eq!(failed(&fixture("rollout-2025-05.jsonl")), ["npm tset"]);
    assert_eq!(failed(&fixture("rollout-2025-04.json")), ["make chekc"]);
    let bare = fixture("rollout-2025-05.jsonl").replace(",\"instructions\":\"Be brief.\"", "");
    assert_eq!(failed(&bare), ["npm tset"], "instructions may be left out");
    let long = fixture("rollout-2025-05.jsonl").replace("Be brief.", &"x ".repeat(20_000));
    assert_eq!(failed(&long), ["npm tset"], "or be long");
    let other = "{\"id\":\"a\",\"timestamp\":\"2025-05-08T10:00:00Z\",\"level\":\"info\"}\n{}\n";
    assert!(matches!(read("x", other.as_bytes(), None), Err(ReadError::Unknown { .. })));
}

#[test]
fn damaged_sessions_do_no_harm() {
    for (path, bytes) in fixtures() {
        let name = path.display();
        for at in (0..bytes.len()).step_by(29) {
            check_damaged(&bytes[..at], None, &format!("{name} cut at {at}"));
            check_damaged(&bytes[..at], Some(Format::Transcript), &format!("{name} cut at {at}"));
        }
        for at in (0..bytes.len()).step_by(41) {
            let without = [&bytes[..at], &bytes[at + 1..]].concat();
            check_damaged(&without, None, &format!("{name} without byte {at}"));
            let other = [&bytes[..at], b"\xff", &bytes[at + 1..]].concat();
            check_damaged(&other, None, &format!("{name} with another byte {at}"));
        }
    }
}

/// Every value may be of any type: nothing of it is a reason to panic.
#[test]
fn values_of_the_wrong_type_do_no_harm() {
    let odd = ["null", "7", "-1e300", "\"x\"", "[]", "{}", "[[{}]]", "true"];
    for (path, bytes) in fixtures() {
        let text = String::from_utf8(bytes).unwrap();
        let starts: Vec<usize> = text.match_indices("\":").map(|(at, _)| at + 2).collect();
        for (n, at) in starts.iter().enumerate() {
            let rest = &text[*at..];
            let end = rest.find([',', '}', '\n']).unwrap_or(rest.len());
            let changed = format!("{}{}{}", &text[..*at], odd[n % odd.len()], &rest[end..]);
            check_damaged(changed.as_bytes(), None, &format!("{} at {at}", path.display()));
        }
    }
}
