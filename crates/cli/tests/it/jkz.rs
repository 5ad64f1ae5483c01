//! `hardwon jkz` as far as `tests/golden/jkz.golden` does not show it, and the versions of a lesson.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Memory, Ran};

const LIMITER: &str = "Rate limiter is created per request and never shared";

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
