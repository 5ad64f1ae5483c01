//! The stream of messages, from outside: who follows it misses nothing, who writes it
//! keeps no words in it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Memory, NOW, W, list_of, run_line, text_of, warning};

/// After this long something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// Somebody who follows the stream.
struct Follower {
    child: Child,
    lines: Receiver<Value>,
}

impl Follower {
    fn start(memory: &Memory, flags: &[&str]) -> Follower {
        let args = [&["events", "--follow", "--since", "2026-01-01T00:00:00Z"], flags].concat();
        let mut child = memory.command(&args).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let stdout: ChildStdout = child.stdout.take().unwrap();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = serde_json::from_str(&line.unwrap()).unwrap();
                // Who has heard enough closes the pipe.
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Follower { child, lines }
    }

    #[track_caller]
    fn next(&self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a message comes")
    }

    #[track_caller]
    fn ended(&mut self) -> ExitStatus {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("it goes on although nobody listens");
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn events(memory: &Memory, flags: &[&str]) -> Vec<Value> {
    let args = [&["events"], flags].concat();
    let stdout = memory.run(&args).exits(0).stdout;
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn types(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| text_of(event, "type")).collect()
}

#[test]
fn what_learning_does_is_told_without_words_and_read_with_them() {
    let memory = Memory::new();
    let nothing = memory.run(&["events"]).exits(0);
    assert_eq!((nothing.stdout.as_str(), nothing.stderr.contains("no events yet")), ("", true));
    assert!(!memory.home().exists(), "looking made something");
    memory.learn_w(2);
    let told = events(&memory, &[]);
    let lesson = text_of(&memory.only_lesson(), "id");
    assert_eq!(
        told,
        [
            json!({"type": "lessons_added", "ts": NOW, "project": "demo", "count": 1,
                "scenario": "session_complete", "lessons": [{"id": lesson, "summary": W}]}),
            json!({"type": "promoted", "ts": NOW, "project": "demo", "lesson": lesson,
                "summary": W, "from": "candidate", "to": "provisional"}),
        ]
    );
    let answer = memory.json(&["events"]);
    assert_eq!((list_of(&answer, "events"), &answer["status"]), (told, &json!("ok")));
    let kept = fs::read_to_string(memory.home().join("events.jsonl")).unwrap();
    assert!(kept.contains(&lesson) && !kept.contains("concatenation"), "{kept}");
    memory.run(&["forget", &lesson, "--hard", "--yes"]).exits(0);
    assert!(events(&memory, &[]).iter().all(|event| !event.to_string().contains("concatenation")));
    assert_eq!(events(&memory, &[])[1]["summary"], "[erased]");
}

#[test]
fn only_what_is_asked_for_is_told() {
    let memory = Memory::new();
    memory.learn_w(2);
    let other = ["learn", "-", "--json", "--project", "other"];
    let leak = "Temporary files stay behind after a failed import";
    let failed = run_line("r1").replace("\"id\"", "\"outcome\":\"failed\",\"id\"");
    memory.run_with(&other, &(failed + &warning(leak))).exits(0);
    assert_eq!(types(&events(&memory, &[])), ["lessons_added", "promoted"]);
    let all = events(&memory, &["--all-projects"]);
    assert_eq!(types(&all), ["lessons_added", "promoted", "lessons_added"]);
    assert_eq!(
        (&all[2]["scenario"], &all[2]["lessons"][0]["summary"]),
        (&json!("session_failed"), &json!(leak))
    );
    assert_eq!(types(&events(&memory, &["--limit", "1"])), ["promoted"], "the newest");
    assert_eq!(events(&memory, &["--since", "2026-04-03T14:00:01Z"]), [] as [Value; 0]);
    assert_eq!(events(&memory, &["--since", NOW]).len(), 2);
    memory.run(&["events", "--since", "yesterday"]).exits(2);
}

#[test]
fn the_documents_display_is_told_in_its_own_words() {
    let memory = Memory::new();
    memory.learn_w(2);
    let added = json!({"type": "archivist_memories_added", "count": 1,
        "scenario": "session_complete", "ts": NOW});
    assert_eq!(events(&memory, &["--style", "archivist"]), std::slice::from_ref(&added));
    let answer = memory.json(&["events", "--style", "archivist"]);
    assert_eq!(answer["events"], json!([added]));
}

#[test]
fn who_follows_hears_all_also_when_the_file_is_turned_over() {
    let memory = Memory::new();
    let follower = Follower::start(&memory, &[]);
    memory.learn_w(2);
    assert_eq!(follower.next()["type"], "lessons_added", "the file was not there before");
    assert_eq!(follower.next()["summary"], W, "nor was the store");
    let file = |name: &str| memory.home().join(name);
    fs::rename(file("events.jsonl"), file("events.1.jsonl")).unwrap();
    memory.run(&["add", "Errors name the next step"]).exits(0);
    let added = follower.next();
    assert_eq!((&added["type"], added.get("scenario")), (&json!("lessons_added"), None));
    assert_eq!(added["lessons"][0]["summary"], "Errors name the next step");
    memory.run(&["add", "Retry loops need an upper bound"]).exits(0);
    assert_eq!(follower.next()["lessons"][0]["summary"], "Retry loops need an upper bound");
}

#[test]
fn following_ends_when_nobody_listens() {
    let memory = Memory::new();
    memory.learn_w(1);
    let mut follower = Follower::start(&memory, &[]);
    follower.next();
    // The thread that reads ends with the next line, and the pipe with it.
    let (_, nobody) = channel();
    follower.lines = nobody;
    memory.run(&["add", "Errors name the next step"]).exits(0);
    assert_eq!(follower.ended().code(), Some(0));
}

#[test]
fn a_closed_output_ends_it_although_nothing_comes() {
    let memory = Memory::new();
    let mut command = memory.command(&["events", "--follow"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let (_, lines) = channel();
    let mut follower = Follower { child, lines };
    assert_eq!(follower.ended().code(), Some(0));
}

#[test]
fn an_interrupt_ends_it() {
    use std::os::unix::process::ExitStatusExt;
    let memory = Memory::new();
    memory.learn_w(1);
    let mut follower = Follower::start(&memory, &[]);
    follower.next();
    let id = follower.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(follower.ended().signal(), Some(2));
}
// For crates/cli/tests/it/events.rs, once reflect.rs tells:
#[test]
fn a_reflection_is_told_from_beginning_to_end() {
    let memory = Memory::new();
    memory.json(&["config", "set", "reflect.enabled", "off"]);
    for n in 1..=2 {
        let run = json!({"type": "run", "id": format!("r{n}"), "agent": "claude-code",
            "session": "s-9", "outcome": "failed", "started": format!("2026-04-0{n}T10:00:00Z")});
        let step = json!({"type": "step", "tool": "bash", "action": "bun test", "ok": false,
            "output": "error: timed out after 120s"});
        memory.learn(&format!("{run}\n{step}\n"));
    }
    memory.json(&["config", "set", "reflect.enabled", "on"]);
    memory.json(&["reflect", "--session", "s-9"]);
    let told = types(&events(&memory, &["--style", "archivist"]));
    assert_eq!(told[0], "archivist_reflection_start");
    for part in ["memories_added", "reflection_complete", "memory_highlight"] {
        assert!(told.contains(&format!("archivist_{part}")), "{told:?}");
    }
    let n_told = told.len();
    memory.json(&["reflect", "--session", "s-9"]);
    let again = types(&events(&memory, &["--style", "archivist"]));
    assert_eq!(again[n_told..], ["archivist_reflection_start", "archivist_reflection_complete"]);
}
