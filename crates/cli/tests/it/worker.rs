//! The process that hooks start: what it learns, when it is started, and that nothing of it is
//! left. These tests wait for it by looking again and again; only one that hangs ends the wait.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::harness::{Memory, REVIEW, Ran, event, feed, line, list_of, start_piped, text_of};

/// Hooks may start a worker, which makes no copy of what is looked at here.
fn memory() -> Memory {
    let memory = Memory::new().with("HARDWON_WORKER", "on").with("HARDWON_BACKUP", "off");
    memory.with("HARDWON_DEADLINE_MS", "60000")
}

/// A session in which a command failed and another one worked, and this much more was done.
fn conversation(session: &str, n_more: usize) -> String {
    let said = |kind: &str, content: Value| {
        line(json!({"type": kind, "sessionId": session, "message": {"content": [content]}}))
    };
    let step = |n: usize, command: &str, error: Option<&str>| {
        let (id, input) = (format!("t{n}"), json!({"command": command}));
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
        let (is_error, content) = (error.is_some(), error.unwrap_or("3 passed"));
        let result = json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": content});
        said("assistant", call) + &said("user", result)
    };
    let missing = "Exit code 1\nnpm error Missing script: \"test\"";
    let first = step(0, "npm test", Some(missing)) + &step(1, "pnpm test", None);
    first + &(0..n_more).map(|n| step(2 + n, "git status", None)).collect::<String>()
}

/// Lets five minutes pass for the notes of sessions that go on.
fn pass_time(memory: &Memory) {
    for path in memory.waiting() {
        let file = fs::File::options().write(true).open(path).expect("it is ours");
        let before = SystemTime::now() - Duration::from_secs(301);
        file.set_modified(before).expect("it is ours");
    }
}

/// Until it is so. The limit is not a promise about speed: a worker that hangs would be waited for
/// without end.
#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let give_up_at = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < give_up_at, "{what}: it did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Until nothing waits any more and whoever worked is gone.
#[track_caller]
fn wait_for_worker(memory: &Memory) {
    wait_until("nothing waits", || memory.waiting().is_empty());
    let lock = memory.home().join("queue/.worker");
    wait_until("it ends", || {
        let is_free = |file: fs::File| file.try_lock().is_ok();
        fs::File::open(&lock).is_ok_and(is_free) && workers(memory).is_empty()
    });
}

/// The processes that work on this memory, by what the system tells of them.
fn workers(memory: &Memory) -> Vec<PathBuf> {
    let home = format!("HARDWON_HOME={}", memory.home().display());
    let is_of_it = |process: &PathBuf| {
        let read = |name: &str| fs::read(process.join(name)).unwrap_or_default();
        let has = |name, text: &str| read(name).split(|b| *b == 0).any(|w| w == text.as_bytes());
        has("environ", &home) && has("cmdline", "worker")
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_of_it).collect()
}

fn stop(session: &str, more: Value) -> Value {
    let mut stop = event(session, "Stop", json!({"last_assistant_message": "Done."}));
    stop.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    stop
}

/// Issue 15, 1: two sessions end, nobody types anything, and the third is told.
#[test]
fn what_two_sessions_taught_is_known_to_the_third() {
    let memory = memory();
    for session in ["s1", "s2"] {
        let path = memory.write(&format!("{session}.jsonl"), conversation(session, 0));
        memory.hook("claude", &stop(session, json!({"transcript_path": path})));
        assert_eq!(memory.waiting().len(), 1, "the session goes on");
        memory.hook("claude", &event(session, "SessionEnd", json!({"transcript_path": path})));
        wait_for_worker(&memory);
    }
    let start = event("s3", "SessionStart", json!({"source": "startup"}));
    let said = memory.hook("claude", &start);
    assert!(said.stdout.contains("pnpm test"), "{said}\n{}", memory.problems());
    assert_eq!(memory.problems(), "");
}

#[test]
fn a_review_is_left_to_the_worker() {
    let memory = memory();
    let more =
        json!({"agent_id": "a1", "agent_type": "code-reviewer", "last_assistant_message": REVIEW});
    memory.hook("claude", &event("s1", "SubagentStop", more));
    wait_for_worker(&memory);
    assert_eq!(memory.only_lesson()["sightings"], 1);
    assert_eq!(memory.problems(), "");
}

/// Neither a prompt nor a failed tool nor `inject`: an agent waits for those. A start does, after
/// its answer.
#[test]
fn a_worker_is_started_only_when_an_agent_starts_or_is_done() {
    let memory = memory();
    let path = memory.write("s1.jsonl", conversation("s1", 0));
    for turn in 1..4 {
        memory.hook("claude", &stop("s1", json!({"transcript_path": path, "turn": turn})));
    }
    assert_eq!((memory.waiting().len(), workers(&memory)), (1, Vec::new()), "it goes on");
    pass_time(&memory);
    memory.hook(
        "claude",
        &event("s2", "UserPromptSubmit", json!({"prompt": "Test it", "prompt_id": "p"})),
    );
    memory.hook(
        "claude",
        &event("s2", "PostToolUseFailure", json!({"tool_use_id": "t", "error": "no"})),
    );
    memory.run(&["inject"]).exits(0);
    assert_eq!((memory.waiting().len(), workers(&memory)), (1, Vec::new()), "an agent waits");
    memory.hook("claude", &event("s2", "SessionStart", json!({"source": "startup"})));
    wait_for_worker(&memory);
    assert_eq!(list_of(&memory.json(&["runs"]), "runs").len(), 1);
}

#[test]
fn a_project_cannot_switch_it_off() {
    let memory = memory();
    memory.write(".hardwon/config.toml", "worker = \"off\"\n");
    let path = memory.write("s1.jsonl", conversation("s1", 0));
    let mut end = event("s1", "SessionEnd", json!({"transcript_path": path}));
    end["cwd"] = memory.work().display().to_string().into();
    memory.hook("claude", &end);
    wait_for_worker(&memory);
    let memory = memory.with("HARDWON_WORKER", "");
    memory.write_home("config.toml", "worker = \"off\"\n");
    memory.hook("claude", &end);
    assert_eq!((memory.waiting().len(), workers(&memory)), (1, Vec::new()));
    let check = memory.run(&["doctor", "--agents", "--json"]).check("sessions");
    assert!(text_of(&check, "detail").contains("nobody does it"), "{check:#}");
}

/// The program was replaced or removed while it ran: nothing is lost, and `doctor` tells.
#[cfg(target_os = "linux")]
#[test]
fn where_none_can_be_started_the_note_stays() {
    let memory = memory();
    let path = memory.write("s1.jsonl", conversation("s1", 0));
    let program = memory.work().join("hardwon");
    fs::copy(env!("CARGO_BIN_EXE_hardwon"), &program).expect("it can be copied");
    let mut command = std::process::Command::new(&program);
    command.args(["hook", "claude"]);
    memory.prepare(&mut command);
    let mut child = start_piped(command);
    // It has begun when its own name can be read.
    let began = Path::new("/proc").join(child.id().to_string()).join("exe");
    wait_until("it began", || fs::read_link(&began).is_ok_and(|exe| exe == program));
    fs::remove_file(&program).expect("it is ours");
    feed(&mut child, &event("s1", "SessionEnd", json!({"transcript_path": path})).to_string());
    Ran::ended(&["hook"], child).exits(0);
    assert_eq!(memory.waiting().len(), 1);
    assert!(memory.problems().contains("no worker could be started"), "{}", memory.problems());
    let doctor = memory.run(&["doctor", "--agents"]);
    assert!(doctor.stdout.contains("no worker could be started"), "{doctor}");
}

/// It does not end with its host, does not write to the host's streams and comes last.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_belongs_to_nobody_and_there_is_one() {
    let memory = memory();
    memory.learn_w(1);
    let held = fs::File::create(memory.home().join("memory.db-lock")).expect("it can be made");
    held.lock().expect("it can be locked");
    for session in ["s1", "s2", "s3"] {
        let path = memory.write(&format!("{session}.jsonl"), conversation(session, 0));
        memory.hook("claude", &event(session, "SessionEnd", json!({"transcript_path": path})));
        wait_until("one works", || {
            let lock = fs::File::open(memory.home().join("queue/.worker"));
            lock.is_ok_and(|file| file.try_lock().is_err()) && workers(&memory).len() == 1
        });
    }
    let worker = workers(&memory).remove(0);
    let stat = fs::read_to_string(worker.join("stat")).expect("it is there");
    // After the name: state, parent, group, session; the priority is the sixteenth.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let id = worker.file_name().expect("a number").to_string_lossy();
    assert_eq!((fields[2], fields[3], fields[16]), (&*id, &*id, "19"), "{stat}");
    for stream in 0..3 {
        let leads_to = fs::read_link(worker.join(format!("fd/{stream}"))).expect("it is open");
        assert_eq!(leads_to, Path::new("/dev/null"));
    }
    drop(held);
    wait_for_worker(&memory);
    assert_eq!(list_of(&memory.json(&["runs"]), "runs").len(), 4, "{}", memory.problems());
}
