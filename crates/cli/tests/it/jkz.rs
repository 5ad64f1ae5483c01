//! `hardwon jkz`, called as jkz's scripts call it, and the versions of a lesson.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Memory, Ran, text_of};

const LIMITER: &str = "Rate limiter is created per request and never shared";
const TOKEN: &str = "Session token is logged in plain text";

/// A call of a script.
fn script(memory: &Memory, args: &[&str]) -> Ran {
    Ran::of(args, memory.script(args).output().expect("the binary starts"))
}

/// The JSON lines that a call prints.
fn lines(memory: &Memory, args: &[&str]) -> Vec<Value> {
    let ran = script(memory, &[&["jkz"], args].concat()).exits(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

fn with_versions_file() -> Memory {
    let memory = Memory::new();
    let file = memory.work().join("versions.json").display().to_string();
    memory.with("JKZ_MEMORY_VERSIONS_FILE", file)
}

/// The slice of the command line that the document shows.
#[test]
fn document_a_slice_of_the_command_line() {
    let memory = Memory::new();
    let store = |role: &str, text: &str| {
        lines(&memory, &["store-pattern", "--role", role, "--text", text, "--delib-id", "d1"])
            .remove(0)
    };
    assert_eq!(store("judge", LIMITER)["id"], 1);
    assert_eq!(store("inspector", TOKEN)["id"], 2);
    let again = ["store-pattern", "--role", "judge", "--text", LIMITER];
    assert_eq!(lines(&memory, &again)[0]["success_count"], 2);
    let listed = lines(&memory, &["query-patterns", "--role", "judge", "--limit", "10"]);
    assert_eq!(listed.len(), 1, "an inspector's work is of another sort: {listed:?}");
    assert_eq!(listed[0]["lifecycle_state"], "candidate");
    let state = ["query-patterns", "--role", "inspector", "--lifecycle-state", "observed"];
    assert_eq!(lines(&memory, &state)[0]["text"], TOKEN);
    let ruled = lines(&memory, &["increment-ignore", "--role", "inspector", "--text", TOKEN]);
    assert_eq!(ruled[0]["ignore_count"], 1);
    let ran = "```\n$ cargo test\ntest result: ok. 3 passed; 0 failed\n```";
    let reinforce = ["reinforce-patterns", "--role", "judge", "--ids", "1,34"];
    assert_eq!(lines(&memory, &reinforce)[0]["changed"], false, "there was no PASS");
    let reinforce = [&reinforce[..], &["--evidence", ran]].concat();
    assert_eq!(lines(&memory, &reinforce)[0]["changed"], true);
    let block = script(&memory, &["jkz", "format-patterns", "--role", "judge", "--budget", "400"]);
    assert_eq!(
        block.exits(0).stdout,
        format!(
            "=== HISTORICAL PATTERNS (judge) ===\n- {LIMITER} [1x validated]\n\
             === END HISTORICAL PATTERNS ===\n"
        )
    );
    let inject = ["inject", "--policy", "jkz", "--style", "jkz", "--role", "judge"];
    assert!(script(&memory, &inject).exits(0).stdout.contains("[1x validated]"));
    let scored = lines(&memory, &["outcome-score", "--run", "r9", "--result", "fail"]);
    assert_eq!(scored[0]["outcome"], "failed");
    assert_eq!(memory.json(&["list", "--policy", "jkz"])["lessons"][0]["jkz_state"], "candidate");
}

#[test]
fn part_6_trouble_with_the_store_is_no_answer_and_exit_0() {
    let memory = Memory::new();
    memory.write_home("memory.db", "this is no database, and far too short for one");
    for call in [
        "query-patterns --role judge",
        "store-pattern --role judge --text Retry_every_payment_call_once",
        "increment-ignore --role judge --text Retry_every_payment_call_once",
        "reinforce-patterns --role judge --ids 1",
        "format-patterns --role judge",
        "outcome-score --run r1 --result pass",
    ] {
        let args: Vec<&str> = ["jkz"].into_iter().chain(call.split(' ')).collect();
        let ran = script(&memory, &args).exits(0);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("problem: store"), "{ran}");
    }
}

#[test]
fn bad_input_a_role_is_a_name() {
    let memory = Memory::new();
    let calls: [&[&str]; 6] = [
        &["add", "Errors name the next step", "--role", "../x"],
        &["inject", "--role", "../x"],
        &["list", "--role", "a b"],
        &["jkz", "query-patterns", "--role", "../x"],
        &["jkz", "store-pattern", "--role", "", "--text", LIMITER],
        &["jkz", "format-patterns", "--role", "judge\n==="],
    ];
    for args in calls {
        let ran = memory.run(args).exits(2);
        assert!(ran.stderr.contains("letters, digits, - and _"), "{ran}");
    }
    memory.run(&["add", "Errors name the next step", "--role", "code-reviewer_2"]).exits(0);
}

/// seed-facts 4.5: the last 10, restore appends; the document: `--action history`, `restore`.
#[test]
fn facts_4_5_versions_on_jkzs_own_file() {
    let memory = with_versions_file();
    let versions = |args: &[&str]| lines(&memory, &[&["versions", "--action"], args].concat());
    for value in ["short", "long"] {
        versions(&["set", "--key", "tone", "--value", value]);
    }
    let restored = versions(&["restore", "--key", "tone", "--version", "1"]);
    assert_eq!((&restored[0]["version"], &restored[0]["restored_from"]), (&3.into(), &1.into()));
    let history = versions(&["history", "--key", "tone"]);
    let values: Vec<&str> = history.iter().filter_map(|line| line["value"].as_str()).collect();
    assert_eq!(values, ["short", "long", "short"]);
    assert_eq!(versions(&["list"])[0]["key"], "tone");
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let set = versions(&["set", "--key", "token", "--value", &format!("Use {secret}\nhere")]);
    let value = set[0]["value"].as_str().unwrap_or_default();
    assert!(!value.contains(&secret) && value.ends_with("\nhere"), "{value}");
    let diff = versions(&["diff", "--key", "tone"]);
    assert!(diff[0]["diff"].as_str().is_some_and(|diff| diff.contains("-long")), "{diff:?}");
    let unknown = ["jkz", "versions", "--action", "restore", "--key", "tone", "--version", "9"];
    assert!(script(&memory, &unknown).exits(2).stderr.contains("no version 9 of tone"));
    let lacking = script(&memory, &["jkz", "versions", "--action", "set", "--key", "tone"]);
    assert!(lacking.exits(2).stderr.contains("--value TEXT"));
}

#[test]
fn bad_input_half_a_versions_file_is_told_and_left_alone() {
    let memory = with_versions_file();
    let half = "{\"tone\":[{\"version\":1,\"val";
    let path = memory.write("versions.json", half);
    let set = ["jkz", "versions", "--action", "set", "--key", "tone", "--value", "new"];
    let ran = script(&memory, &set).exits(2);
    assert!(ran.stderr.contains("not a whole file of versions"), "{ran}");
    assert_eq!(fs::read_to_string(path).expect("it is there"), half);
}

#[test]
fn bad_input_two_writers_at_once_lose_nothing() {
    let memory = with_versions_file();
    let calls: Vec<Command> = (0..8)
        .map(|n| {
            let value = format!("value {n}");
            memory.script(&["jkz", "versions", "--action", "set", "--key", "k", "--value", &value])
        })
        .collect();
    let started = calls.into_iter().map(|mut call| call.spawn().expect("the binary starts"));
    let started: Vec<_> = started.collect();
    for mut child in started {
        assert!(child.wait().expect("it ends").success());
    }
    let history = lines(&memory, &["versions", "--action", "history", "--key", "k"]);
    assert_eq!(history.len(), 8);
}

#[test]
fn part_6_a_lesson_goes_back_to_an_earlier_version() {
    let memory = Memory::new();
    memory.run(&["add", "Errors name the next step to take"]).exits(0);
    let id = text_of(&memory.only_lesson(), "id");
    memory.run(&["edit", &id, "--text", "Errors name their cause"]).exits(0);
    memory.run(&["pin", &id]).exits(0);
    let listed = memory.run(&["history", &id, "--versions"]).exits(0).stdout;
    assert!(listed.starts_with("version 2, 2026-04-03, edited by"), "{listed}");
    memory.run(&["restore", &id, "--version", "1"]).exits(0);
    assert_eq!(text_of(&memory.only_lesson(), "text"), "Errors name the next step to take");
    memory.run(&["restore", &id, "--version", "7"]).exits(2);
}
