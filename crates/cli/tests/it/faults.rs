//! Bad input and broken stores, from outside: always a clear message with place and next
//! step, the documented exit status, nothing lost and nothing twice. More of it is in
//! `tests/sessions/records.md`.

use std::fs;
use std::io::Write;
use std::process::Child;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::harness::{
    Memory, Ran, W, each, found, line, list_of, set_mode, start_piped, text_of, warning,
};

#[test]
fn an_input_of_no_use_exits_2_and_writes_nothing() {
    let noise: Vec<u8> =
        (0..20_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let document = "{\n  \"runs\": [\n    {\"id\": \"r1\"}\n  ]\n}\n";
    // Name, content, part of the message.
    let cases: &[(&str, &[u8], &str)] = &[
        ("missing.jsonl", b"", "No such file"),
        ("blank.jsonl", b"\n \r\n\n", "is empty"),
        ("noise.jsonl", &noise, "is not text"),
        ("document.json", document.as_bytes(), "none of the formats"),
        ("numbers.jsonl", b"1\n2\n3\n", "none of the formats"),
        ("folder", b"nothing", "the folder holds no .jsonl"),
    ];
    each(cases, |(name, content, message)| {
        let memory = Memory::new();
        match *name {
            "missing.jsonl" => {}
            "folder" => drop(memory.write("folder/notes.txt", content)),
            name => drop(memory.write(name, content)),
        }
        check_of_no_use(&memory, name, message);
    });
}

fn check_of_no_use(memory: &Memory, input: &str, message: &str) {
    let ran = memory.run(&["learn", input]).exits(2);
    assert_eq!(ran.stdout, "", "{ran}");
    assert!(ran.stderr.contains(input), "no place\n{ran}");
    assert!(ran.stderr.contains(message), "expected {message:?}\n{ran}");
    assert!(ran.stderr.contains("hint: "), "no next step\n{ran}");
    let ran = memory.run(&["learn", input, "--json"]).exits(2);
    assert_eq!(ran.json()["status"], "failed", "{ran}");
    assert!(ran.reasons().contains(input) && ran.reasons().contains(message), "{ran}");
    assert!(!memory.database().exists(), "{input}: nothing was learned, yet a store was made");
}

/// A line that begins before and ends behind the limit of an input, and one that is
/// merely far too long, both with good lines around.
#[test]
fn a_huge_line_by_pipe_is_read_in_bounded_memory() {
    // Name, megabytes, whether the good line behind it is reached.
    for (name, n_megabytes, is_reached) in [("300 MB", 300, false), ("100 MB", 100, true)] {
        let memory = Memory::new();
        let behind = "Retry loop without a limit in the upload client";
        let child = start_piped(memory.command(&["learn", "-", "--json"]));
        let before = found("r1", W);
        let after = format!("\n{}", warning(behind));
        let (ran, peak) = pour(child, before, n_megabytes, after);
        let ran = ran.exits(0);
        assert_eq!(ran.json()["status"], "degraded", "{name}\n{ran}");
        let limit = if is_reached { "longer than 1 MiB" } else { "larger than 256 MiB" };
        assert!(ran.reasons().contains(limit), "{name}\n{ran}");
        let texts: Vec<Value> = memory.lessons().iter().map(|l| l["text"].clone()).collect();
        assert!(texts.contains(&json!(W)), "{name}: {texts:?}");
        assert_eq!(texts.contains(&json!(behind)), is_reached, "{name}: {texts:?}");
        if cfg!(target_os = "linux") {
            let peak = peak.expect("/proc tells the peak");
            assert!(peak < 64 << 10, "{name}: {peak} KiB at the peak");
        }
    }
}

/// Writes a text, that many megabytes of one line, and a text again, while the child
/// reads. How it ended, and its peak memory in KiB as far as it could be seen.
fn pour(mut child: Child, before: String, n_megabytes: usize, after: String) -> (Ran, Option<u64>) {
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let writer = std::thread::spawn(move || {
        let megabyte = vec![b'x'; 1_000_000];
        // The child stops at its limit and closes the pipe: that ends the writing.
        let parts = std::iter::repeat_n(megabyte.as_slice(), n_megabytes);
        let mut parts = std::iter::once(before.as_bytes()).chain(parts).chain([after.as_bytes()]);
        let _ = parts.try_for_each(|part| stdin.write_all(part));
    });
    let mut peak = None;
    while child.try_wait().expect("the child can be waited for").is_none() {
        peak = peak_of(child.id()).or(peak);
        std::thread::yield_now();
    }
    writer.join().expect("the writer ends with the child");
    (Ran::ended(&["learn", "-", "--json"], child), peak)
}

fn peak_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let memory = Memory::new();
    memory.learn_w(1);
    let status = memory.command(&["list"]).stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(3));
}

/// Breaks a store that knows the lesson `W`.
type Break = fn(&Memory);

const BROKEN_STORES: &[(&str, Break)] = &[
    ("garbage", |memory| drop(memory.write_home("memory.db", "no database at all"))),
    ("much garbage", |memory| drop(memory.write_home("memory.db", "garbage".repeat(10_000)))),
    ("cut in the middle", |memory| {
        drop(memory.write_home("memory.db", &SETTLED[..SETTLED.len() / 2]));
    }),
    ("a folder", |memory| {
        fs::remove_file(memory.database()).expect("the file can be removed");
        fs::create_dir(memory.database()).expect("a folder can be made");
    }),
    ("a home that is a file", |memory| {
        fs::remove_dir_all(memory.home()).expect("the home can be removed");
        fs::write(memory.home(), "").expect("a file can be made");
    }),
];

fn with_broken_stores(check: impl Fn(&str, &Memory)) {
    each(BROKEN_STORES, |(name, break_it)| {
        let memory = settled();
        break_it(&memory);
        check(name, &memory);
    });
}

#[test]
fn a_broken_store_exits_3() {
    let commands: &[&[&str]] = &[
        &["learn", "-"],
        &["add", "Prefer small commits with a reason each"],
        &["list"],
        &["report"],
        &["search", "query"],
        &["decay"],
        &["undo"],
    ];
    with_broken_stores(|name, memory| {
        each(commands, |command| {
            let input = found("r3", W);
            let ran = memory.run_with(&[command, &["--json"][..]].concat(), &input);
            let reasons = ran.reasons();
            assert_eq!(ran.status, Some(3), "{name}\n{ran}");
            assert_eq!(ran.json()["status"], "failed", "{name}\n{ran}");
            assert!(reasons.contains("memory.db"), "{name}: no place\n{ran}");
            assert!(ran.stderr.contains("hint: "), "{name}: no next step\n{ran}");
        });
    });
}

#[test]
fn inject_on_a_broken_store_is_an_empty_block() {
    with_broken_stores(|name, memory| {
        for args in [&["inject"][..], &["inject", "--run", "r3", "--explain"]] {
            let ran = memory.run(args).exits(0);
            assert_eq!(ran.stdout, "", "{name}\n{ran}");
            assert!(ran.stderr.contains("memory.db"), "{name}: the trouble is not told\n{ran}");
            let answer = memory.json(args);
            assert_eq!(answer["status"], "failed", "{name}: {answer:#}");
            assert_eq!((&answer["block"], &answer["lessons"]), (&json!(""), &json!([])), "{name}");
        }
    });
}

/// A database that knows `W`, written so much that no log was left beside it: all it
/// knows is in the file itself.
static SETTLED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let memory = Memory::new();
    memory.learn(&many_runs());
    let log = fs::metadata(memory.home().join("memory.db-wal"));
    assert!(log.is_err(), "the log was not emptied: {log:?}");
    fs::read(memory.database()).expect("there is a store")
});

/// A memory with that database.
fn settled() -> Memory {
    let memory = Memory::new();
    memory.write_home("memory.db", &*SETTLED);
    memory
}

/// Another user's store that may be read, also with a log beside it: what an injection leaves.
#[test]
fn a_store_that_cannot_be_written_is_read() {
    for has_log in [false, true] {
        let (memory, _) = Memory::taught();
        if has_log {
            memory.json(&["inject", "--run", "r3"]);
            assert!(memory.home().join("memory.db-wal").exists(), "an injection leaves its log");
        }
        memory.close_home(0o555);
        let listed = memory.run_restricted(&["list", "--json"], "").exits(0);
        assert_eq!(listed.json()["lessons"][0]["text"], W, "{listed}");
        let injected = memory.run_restricted(&["inject", "--run", "r4", "--json"], "").exits(0);
        assert!(text_of(&injected.json(), "block").contains(W), "{injected}");
        assert_eq!(injected.json()["status"], "degraded", "not recorded\n{injected}");
        for args in [&["add", "Prefer small commits", "--json"][..], &["forget", "l-", "--json"]] {
            let refused = memory.run_restricted(args, "").exits(3);
            assert!(refused.reasons().contains("memory.db"), "{refused}");
            assert!(refused.stderr.contains("hint: "), "no next step\n{refused}");
        }
        memory.open_home();
    }
}

#[test]
fn a_folder_that_cannot_be_entered_is_not_taken_for_an_empty_one() {
    let (memory, _) = Memory::taught();
    memory.close_home(0o000);
    let listed = memory.run_restricted(&["list", "--json"], "");
    let injected = memory.run_restricted(&["inject", "--json"], "").exits(0);
    memory.open_home();
    assert_eq!(injected.json()["status"], "failed", "{injected}");
    assert!(listed.exits(3).reasons().contains("memory.db"));
}

#[test]
fn a_record_that_cannot_be_read_exits_2() {
    let memory = Memory::new();
    set_mode(&memory.write("record.jsonl", found("r1", W)), 0o000);
    let ran = memory.run_restricted(&["learn", "record.jsonl", "--json"], "").exits(2);
    assert!(ran.reasons().contains("record.jsonl: Permission denied"), "{ran}");
}

/// Runs of the record that is learned while the program is being killed.
const N_RUNS: u64 = 150;

/// Kills are spread over the whole of the work by waiting for more and more writes.
const N_KILLS: u32 = 10;

#[test]
fn killed_in_the_middle_of_learn_and_learned_again_is_as_if_never_killed() {
    let record = many_runs();
    let undisturbed = prepared(&record);
    undisturbed.run(&["learn", "record.jsonl"]).exits(0);

    let killed = prepared(&record);
    let mut n_in_the_middle = 0;
    for n in 0..N_KILLS {
        kill_after_writes(&killed, 1 + 2 * n);
        let n_learned = known_runs(&killed);
        n_in_the_middle += u32::from((1..N_RUNS).contains(&n_learned));
    }
    assert!(n_in_the_middle > 0, "no kill met the program at work");

    let finished = killed.run(&["learn", "record.jsonl", "--json"]).exits(0);
    assert_eq!(list_of(&finished.json(), "runs").len() as u64, N_RUNS, "{finished}");
    for command in [&["list", "--all"][..], &["report"], &["stats"], &["regressions"]] {
        let args = [command, &["--json"][..]].concat();
        let (left, right) = (killed.run(&args), undisturbed.run(&args));
        assert_eq!((left.json(), left.status), (right.json(), right.status), "{args:?}");
    }
    let is_w = |lesson: &&Value| lesson["text"] == W;
    let seen = killed.lessons().iter().find(is_w).map(|lesson| lesson["sightings"].clone());
    assert_eq!(seen, Some(json!(N_RUNS)), "each run counts once");
    let again = killed.json(&["learn", "record.jsonl"]);
    assert!(list_of(&again, "runs").iter().all(|run| run["already_known"] == true));
}

/// The first writes of all make the file, its log and its tables.
#[test]
fn killed_while_the_store_is_being_made_and_learned_again_is_as_if_never_killed() {
    let record = found("r1", W) + &found("r2", W);
    let undisturbed = Memory::new();
    undisturbed.learn(&record);
    for n_writes in 1..=8 {
        let memory = Memory::new();
        memory.write("record.jsonl", &record);
        kill_after_writes(&memory, n_writes);
        memory.run(&["learn", "record.jsonl"]).exits(0);
        let report = |memory: &Memory| memory.json(&["report"]);
        assert_eq!(memory.lessons(), undisturbed.lessons(), "killed after {n_writes} writes");
        assert_eq!(report(&memory), report(&undisturbed), "killed after {n_writes} writes");
    }
}

/// `W` in every run; another finding only in the first, which fades; and one that is
/// fixed and comes back.
fn many_runs() -> String {
    let mut record = String::new();
    for n in 0..N_RUNS {
        let finished = format!("2026-03-{:02}T{:02}:{:02}:00Z", 1 + n / 1440, n / 60 % 24, n % 60);
        record += &line(json!({
            "type": "run", "id": format!("run-{n}"), "detectors": ["guardian"],
            "started": finished, "finished": finished,
        }));
        record += &warning(W);
        let leak = warning("Temporary files stay behind after a failed import");
        match n {
            0 => record += &warning("Deadlock between scheduler locks during shutdown"),
            40 => record += &leak.replace("\"severity\"", "\"state\":\"fixed\",\"severity\""),
            80 | 149 => record += &leak,
            _ => {}
        }
    }
    record
}

/// A memory with the record beside it, in which two runs are learned and lessons were
/// shown to some of the runs to come.
fn prepared(record: &str) -> Memory {
    let memory = Memory::new();
    memory.write("record.jsonl", record);
    // The first run has two findings, the second one.
    let lines: Vec<&str> = record.lines().take(5).collect();
    memory.learn(&(lines.join("\n") + "\n"));
    for run in ["run-2", "run-60", "run-149"] {
        let injected = memory.json(&["inject", "--run", run]);
        assert!(text_of(&injected, "block").contains(W), "{injected:#}");
    }
    memory
}

/// Learns, and kills the program after its files have changed so many times.
fn kill_after_writes(memory: &Memory, n_writes: u32) {
    let files = || {
        let file = |name: &str| fs::metadata(memory.home().join(name)).ok();
        ["memory.db", "memory.db-wal"].map(|name| file(name).map(|f| (f.len(), f.modified().ok())))
    };
    let mut seen = files();
    let mut child = start_piped(memory.command(&["learn", "record.jsonl"]));
    let mut n_seen = 0;
    while n_seen < n_writes && child.try_wait().expect("a child can be asked").is_none() {
        let now = files();
        n_seen += u32::from(now != seen);
        seen = now;
        std::thread::yield_now();
    }
    child.kill().expect("a child can be killed, or has ended");
    child.wait().expect("a killed child ends");
}

fn known_runs(memory: &Memory) -> u64 {
    memory.json(&["stats"])["counts"]["runs"].as_u64().expect("runs are counted")
}

/// A limit of nothing is over before any store has answered: the answer is empty, says so,
/// and comes as one JSON object all the same.
#[test]
fn who_waits_for_inject_does_not_wait_longer_than_the_limit() {
    let memory = Memory::new();
    memory.learn_w(2);
    memory.run(&["config", "set", "deadline_ms", "0"]).exits(0);
    let mut n_late = 0;
    for n in 0..20 {
        let ran = memory.run(&["inject", "--run", &format!("late-{n}"), "--json"]).exits(0);
        let answer = ran.json();
        if answer.to_string().contains("did not answer within 0 ms") {
            n_late += 1;
            let is_told = matches!(text_of(&answer, "status").as_str(), "failed" | "degraded");
            assert!(is_told, "{answer:#}");
        }
    }
    assert!(n_late > 0, "nobody kept the time");
    let doctor = memory.run(&["doctor", "--json"]).json();
    assert!(doctor.to_string().contains("did not answer within 0 ms"), "{doctor:#}");
}
