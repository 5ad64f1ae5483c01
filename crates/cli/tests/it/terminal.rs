//! Nothing that steers a terminal, or hides in one, leaves the program: such characters are
//! put everywhere that data can come from, and every command is looked at, in words and as
//! JSON, on both streams.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use crate::docs::every_command;
use crate::harness::{Memory, Ran, W, line, text_of};

/// Every character that must not leave. Written down on its own, not taken from the program.
fn steers(c: char) -> bool {
    let ranges: &[(u32, u32)] = &[
        (0x00, 0x09),
        (0x0b, 0x1f),
        (0x7f, 0x9f),
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x61c, 0x61c),
        (0x180b, 0x180f),
        (0x200b, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x206f),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xfff9, 0xfffb),
        (0xe000, 0xf8ff),
        (0x1d173, 0x1d17a),
        (0xe0000, 0xe0fff),
        (0xf0000, 0x10ffff),
    ];
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&(c as u32)))
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
    let add = [
        "add",
        &wish,
        "--category",
        evil,
        "--tag",
        evil,
        "--path",
        evil,
        "--alias",
        evil,
        "--domain",
        evil,
        "--role",
        "maker",
        "--json",
    ];
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

/// Calls of every command; `E` is the word, `L` a lesson.
const CALLS: &[&str] = &[
    "list",
    "list --all",
    "list --tag E",
    "list --role E",
    "show L",
    "show E",
    "why L",
    "why E",
    "search E",
    "search terminal",
    "edit L --tag E",
    "edit E --tag x",
    "edit L --importance E",
    "pin L",
    "pin E",
    "forget E",
    "restore E",
    "restore L",
    "merge E L",
    "merge L L",
    "review",
    "review list",
    "review show L",
    "review request L --because E",
    "review keep L --because E",
    "review reject E --because E",
    "review approve L --because E --by E",
    "guard reviewed L",
    "guard reviewed E",
    "guard run-closed r3",
    "guard run-closed E",
    "history",
    "history L",
    "history E",
    "undo 9999",
    "undo E",
    "undo",
    "stats",
    "report",
    "outcome r3 success",
    "outcome E success",
    "outcome r3 E",
    "mark L helped --run E --because x",
    "mark E hurt --run r1 --because E",
    "mark L E --run r1 --because x",
    "check r3",
    "check E",
    "regressions",
    "regressions E",
    "decay",
    "inject",
    "inject --explain --role E",
    "inject --role E --domain E --task E --explain",
    "inject --style packet --task E --role E",
    "inject --style archeflow --run r9 --role E",
    "inject --style E",
    "inject --run E",
    "inject --budget E",
    "learn E",
    "learn --run E x",
    "learn --format E x",
    "add E",
    "add E --kind E",
    "add ok",
    "trust . --look",
    "trust E --look",
    "trust . --yes",
    "trust . --revoke",
    "import .",
    "import E",
    "import . --from E",
    "export out",
    "export E",
    "export out --to E",
    "archeflow list",
    "archeflow inject E E",
    "archeflow add E E",
    "archeflow add preference E",
    "archeflow extract E",
    "archeflow forget E",
    "archeflow decay",
    "archeflow audit-check E",
    "archeflow regression-check E",
    "archeflow event E E E E",
    "archeflow E",
    "archeflow --dir E list",
    "archeflow --as-shipped E",
    "config list --show-origin",
    "config get E",
    "config get policy",
    "config set E E",
    "config set policy E",
    "config set budget E",
    "config set budget_by_role.E 7",
    "config unset E",
    "config keys",
    "config path",
    "policy list",
    "policy show E",
    "policy diff E hardwon",
    "policy show hardwon",
    "replay",
    "replay --policy E",
    "simulate --seed E",
    "bench E",
    "tour E",
    "E",
    "list --E",
    "list --store E",
    "list --store sqlite:E",
    "list --store archeflow:E",
    "stats --project E",
    "list --policy E",
    "help E",
];

#[test]
fn no_command_lets_a_steering_character_out() {
    for (n, evil) in pieces().iter().enumerate() {
        let (memory, id) = filled(evil);
        for call in CALLS {
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
    let called: BTreeSet<&str> = CALLS.iter().filter_map(|call| call.split(' ').next()).collect();
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

/// What a command prints on a terminal with so many columns.
fn on_terminal(memory: &Memory, args: &[&str], columns: u16) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal can be made");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("it is ours");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).expect("a terminal has a size");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let flags = OFlags::RDWR | OFlags::NOCTTY;
    let theirs = rustix::fs::open(&name, flags, Mode::empty()).expect("it can be opened");
    let mut command = memory.command(args);
    let mut child = command.stdout(theirs).spawn().expect("the binary starts");
    // The command holds the other end as long as it is there.
    drop(command);
    let mut printed = Vec::new();
    // On Linux the end of a terminal is an error.
    let _ = File::from(ours).read_to_end(&mut printed);
    assert!(child.wait().expect("it ends").success());
    String::from_utf8(printed).expect("it is text")
}

#[test]
fn a_table_is_as_wide_as_the_terminal() {
    let memory = Memory::new();
    memory.run(&["add", &format!("{W}, and in every other one that takes words of users, {W}")]);
    let width = |columns: u16| {
        let printed = on_terminal(&memory, &["list"], columns);
        printed.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or_default()
    };
    for (columns, shown) in [(90, 90), (130, 130), (0, 100)] {
        assert_eq!(width(columns), shown, "{columns} columns");
    }
    let stated = Memory::new().with("COLUMNS", "80");
    stated.run(&["add", &format!("{W}, and in every other one that takes words of users, {W}")]);
    let printed = on_terminal(&stated, &["list"], 130);
    assert!(printed.lines().all(|line| line.trim_end().chars().count() <= 80), "{printed}");
}
