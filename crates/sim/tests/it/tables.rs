//! Every measurement answers with a table, and wrong calls are told.

use serde_json::json;

use crate::harness::Place;

/// A call, and figures that each row of its table has.
const CALLS: &[(&str, &[&str])] = &[
    ("simulate --quick --runs 4", &["memory", "repeat_rate"]),
    ("speed --lessons 20 --starts 1", &["what", "median_ms"]),
    ("matching labelled.jsonl", &[]),
    ("retrieval", &["set", "method", "recall_10"]),
    ("poison --sequences 1 --rounds 1 --every 60", &[]),
    ("redaction --n 2", &["family", "recall_percent"]),
    ("durability --kills 8", &["kills", "lost", "doubled"]),
    ("rescue --lessons 10 --every 60", &[]),
    ("backtest history.jsonl", &["history", "hardwon"]),
];

#[test]
fn every_measurement_prints_a_table() {
    let place = Place::new();
    std::fs::write(place.work().join("labelled.jsonl"), labelled()).unwrap();
    std::fs::write(place.work().join("history.jsonl"), history()).unwrap();
    for (call, keys) in CALLS {
        let args: Vec<&str> = call.split(' ').chain(["--json"]).collect();
        let ran = place.run(&args).exits(0);
        for row in ran.rows() {
            let missing: Vec<_> = keys.iter().filter(|key| row.get(key).is_none()).collect();
            assert!(missing.is_empty(), "{missing:?}\n{ran}");
        }
    }
}

/// Twenty runs, every other one with the same finding.
fn history() -> String {
    let found = json!([{"rule": "E501", "path": "src/a.py", "text": "Line too long"}]);
    let line = |n: usize| {
        let findings = if n.is_multiple_of(2) { found.clone() } else { json!([]) };
        let time = format!("2025-01-{:02}T10:00:00Z", n + 1);
        let run = json!({"id": format!("r{n}"), "time": time, "text": "Tidy up",
            "paths": ["src/a.py"], "findings": findings});
        format!("{run}\n")
    };
    (0..20).map(line).collect()
}

#[test]
fn no_measurement_is_without_a_call() {
    let help = Place::new().run(&["--help"]).exits(0).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() >= CALLS.len(), "the list of commands was not understood: {names:?}");
    let is_called =
        |name: &&str| CALLS.iter().any(|(call, _)| call.split(' ').next() == Some(name));
    assert!(names.iter().all(is_called), "{names:?}");
}

#[test]
fn wrong_calls_are_reported() {
    let place = Place::new();
    for (call, message) in [
        ("", "Usage"),
        ("fly", "fly"),
        ("simulate --runs 0", "0"),
        ("matching none.jsonl", "none.jsonl"),
        ("speed --program none", "none is not a program"),
    ] {
        let ran = place.run(&call.split_whitespace().collect::<Vec<_>>()).exits(2);
        assert!(ran.stderr.contains(message) && ran.stdout.is_empty(), "{ran}");
    }
}

/// What is typed may hold anything; a terminal must not be steered by it.
#[test]
fn no_steering_character_gets_out() {
    let place = Place::new();
    let evil = "\u{1b}[31m\u{202e}x\u{7}";
    for args in [&[evil][..], &["matching", evil], &["simulate", "--seed", evil]] {
        let ran = place.run(args).exits(2);
        let is_steering = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!ran.stderr.chars().any(is_steering), "{:?}", ran.stderr);
    }
}

/// A few labelled findings: two of each sort, by two authors.
fn labelled() -> String {
    let texts = [
        "Query built by string concatenation in the user search",
        "Deadlock between scheduler locks",
        "Password is written to the log",
    ];
    let entry = |author: &str, n: usize, text: &str| {
        let finding = json!({"set": "A", "pr": "p", "author": author, "text": text, "same_as": n.to_string()});
        format!("{finding}\n")
    };
    let both = |(n, text): (usize, &&str)| entry("first", n, text) + &entry("second", n, text);
    texts.iter().enumerate().map(both).collect()
}
