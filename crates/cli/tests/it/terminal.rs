//! Nothing that steers a terminal, or hides in one, leaves the program: such characters are
//! put everywhere that data can come from, and every command is looked at, in words and as
//! JSON, on both streams.

use serde_json::json;
use std::collections::BTreeSet;

use crate::docs::every_command;
use crate::harness::{Memory, Ran, W, line, on_terminal, text_of};

/// Every character that must not leave. Written down on its own, not taken from the program.
fn steers(c: char) -> bool {
    matches!(c as u32,
        0x00..=0x09 | 0x0b..=0x1f | 0x7f..=0x9f | 0xad | 0x34f | 0x61c | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff
        | 0xfff9..=0xfffb | 0xe000..=0xf8ff | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff
        | 0xf0000..=0x10ffff)
}

/// All of them but NUL and most private ones, in pieces that fit a short field, each with
/// words that let it pass as one; the last are whole sequences.
fn pieces() -> Vec<String> {
    let swept: Vec<char> = (1..0x3000)
        .chain(0xfe00..0xfe10)
        .chain([0xe000, 0xf8ff, 0xfeff])
        .chain(0xfff9..0xfffc)
        .chain(0x1d173..0x1d17b)
        .chain(0xe0000..0xe0080)
        .chain([0xe0100, 0xe0fff, 0xf0000, 0x10_ffff])
        .filter_map(char::from_u32)
        .filter(|c| steers(*c) || *c == '\n')
        .collect();
    let mut pieces: Vec<String> =
        swept.chunks(70).map(|chunk| format!("evil {} end", String::from_iter(chunk))).collect();
    pieces.push(
        "a \u{1b}[31mred\u{1b}[0m \u{1b}]8;;http://example.test\u{7}link\u{1b}]8;;\u{7}".into(),
    );
    pieces.push(
        "a \u{1b}]52;c;aGk=\u{7} \u{9b}2J \u{90}x\u{9c} \u{1b}P$q\u{1b}\\ \r\u{8}\u{8}over".into(),
    );
    pieces
}

/// Neither stream may hold one.
#[track_caller]
fn check(ran: &Ran) {
    for (stream, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let found: BTreeSet<char> = text.chars().filter(|c| steers(*c)).collect();
        let args = ran.args.escape_debug();
        assert!(found.is_empty(), "{stream} of {args} has {found:?}\n{}", text.escape_debug());
    }
}

/// A memory in which every field that takes a word has taken this one.
fn filled(evil: &str) -> (Memory, String) {
    let memory = Memory::new().with("USER", evil);
    for run in ["r1", "r2", "r3"] {
        let head = json!({
            "type": "run", "id": run, "role": evil, "agent": evil, "task": evil, "domain": evil,
            "detectors": [evil, "guardian"], "tags": [evil], "tools": [evil], "paths": [evil],
        });
        let said = |text: &str| {
            json!({
                "type": "finding", "author": evil, "severity": "bug", "category": evil,
                "rule": evil, "text": text, "path": evil, "line": 3, "fingerprint": null,
            })
        };
        let bad = json!({"type": "finding", "severity": evil, "author": evil});
        let told = format!("Escape the {evil} output of the printer module");
        let effect = json!({"type": "effect", "lesson": evil, "effect": "hurt", "because": evil});
        let lines = [head, said(W), said(&told), bad, effect].map(line).concat();
        // A name of a file has at most 255 bytes.
        let name: String = evil.replace('/', "_").chars().take(50).collect();
        let record = memory.write(&format!("{name}.jsonl"), lines);
        check(&memory.run(&["learn".into(), record.into_os_string()]));
        check(&memory.run(&["inject", "--run", run, "--role", evil, "--task", evil]));
    }
    let wish = format!("Keep the {evil} colours of the terminal");
    let flags = ["--category", "--tag", "--path", "--alias", "--domain"];
    let flags = flags.iter().flat_map(|flag| [*flag, evil]);
    let add: Vec<_> =
        ["add", &wish, "--role", "maker", "--json"].into_iter().chain(flags).collect();
    let added = memory.run(&add);
    check(&added);
    let id = text_of(&added.json()["lesson"], "id");
    check(&memory.run(&["mark", &id, "helped", "--run", "r3", "--because", evil]));
    folder(&memory, evil);
    (memory, id)
}

/// A checkout's own files, and a folder of another system.
fn folder(memory: &Memory, evil: &str) {
    let settings = format!(
        "{}\npolicy = {}\n[budget_by_role]\n{} = 5\n",
        "nonsense = 1",
        toml_text(evil),
        toml_text(evil)
    );
    memory.write(".hardwon/config.toml", settings);
    let record = json!({
        "id": "m-001", "ts": "2026-04-01T00:00:00Z", "run_id": evil, "type": "pattern",
        "source": evil, "description": format!("Escape {evil} before printing it"),
        "frequency": 3, "severity": "bug", "domain": evil, "tags": [evil], "archetype": evil,
        "last_seen_run": evil, "runs_since_last_seen": 0, "mood": evil, evil: evil,
    });
    memory.write(".archeflow/memory/lessons.jsonl", line(record) + "{broken\n");
}

/// A basic string of TOML.
fn toml_text(text: &str) -> String {
    let escaped = |c: char| match c.is_ascii_alphanumeric() || c == ' ' {
        true => c.to_string(),
        false => format!("\\U{:08X}", c as u32),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Calls of every command, one per line; `E` is the word, `L` a lesson.
const CALLS: &str = include_str!("../fixtures/calls.txt");

#[test]
fn no_command_lets_a_steering_character_out() {
    for (n, evil) in pieces().iter().enumerate() {
        let (memory, id) = filled(evil);
        for call in CALLS.lines() {
            let arg = |word: &str| match word {
                "L" => id.clone(),
                word => word.replace('E', evil),
            };
            let args: Vec<String> = call.split(' ').map(arg).collect();
            // Each piece is looked at in words or as JSON, turn by turn.
            let is_json = (n + call.len()) % 2 == 0;
            let args: Vec<String> =
                if is_json { [vec!["--json".to_owned()], args].concat() } else { args };
            check(&memory.run(&args));
        }
        check(&memory.run_with(&["review"], &format!("{evil}\nq\n")));
    }
}

#[test]
fn every_command_there_is_was_called() {
    let every = every_command();
    let names = every.iter().map(String::as_str);
    let called: BTreeSet<&str> = CALLS.lines().filter_map(|call| call.split(' ').next()).collect();
    let elsewhere = ["tour", "help"];
    for name in names.filter(|name| !called.contains(name) && !elsewhere.contains(name)) {
        // One that is new here: at least its errors and its answer to nothing.
        let evil = pieces().concat().replace('\n', "");
        let memory = Memory::new();
        for args in [vec![name], vec![name, &evil], vec![name, "--json"], vec![name, "--evil"]] {
            check(&memory.run(&args));
        }
    }
}

#[test]
fn json_keeps_what_it_escapes() {
    let memory = Memory::new();
    // A private character survives only where nothing cleans it: in a message's place.
    let missing = memory.run(&["learn", "no\u{e000}such\u{202e}file", "--json"]);
    check(&missing);
    assert!(missing.json()["problems"][0]["reason"].is_string());
}

#[test]
fn a_table_is_as_wide_as_the_terminal() {
    let memory = Memory::new();
    memory.run(&["add", &format!("{W}, and in every other one that takes words of users, {W}")]);
    let width = |memory: &Memory, columns: u16| {
        let printed = on_terminal(memory.command(&["list"]), columns, None);
        printed.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or_default()
    };
    for (columns, shown) in [(90, 90), (130, 130), (0, 100)] {
        assert_eq!(width(&memory, columns), shown, "{columns} columns");
    }
    assert!(width(&memory.with("COLUMNS", "80"), 130) <= 80, "what is stated counts");
}
