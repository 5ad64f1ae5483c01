//! The stream of messages, from outside: who follows it misses nothing, and it ends when the
//! reader does. What is in it is in `tests/sessions/events.md`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Memory, W};

/// After this long something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// Somebody who follows the stream.
struct Follower {
    child: Child,
    lines: Receiver<Value>,
}

impl Follower {
    fn start(memory: &Memory) -> Follower {
        let args = ["events", "--follow", "--since", "2026-01-01T00:00:00Z"];
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

#[test]
fn who_follows_hears_all_also_when_the_file_is_turned_over() {
    let memory = Memory::new();
    let follower = Follower::start(&memory);
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
    let mut follower = Follower::start(&memory);
    follower.next();
    let id = follower.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(follower.ended().signal(), Some(2));
}
