//! `init` from outside, where agents have kept conversations: which are this project's, what
//! they teach, and that looking alone changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Memory, list_of, text_of};

const FINDING: &str = "Password compared with a function that returns early";

/// A machine with both hosts, whose conversations are those of the test.
struct Machine {
    memory: Memory,
    user: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let memory = Memory::new();
        let user = memory.home().with_file_name("user");
        fs::create_dir_all(memory.work().join(".git")).expect("folders can be made");
        for folder in [".claude", ".codex"] {
            fs::create_dir_all(user.join(folder)).expect("folders can be made");
        }
        let home = user.display().to_string();
        Machine { memory: memory.with("HOME", home).with("PATH", "/usr/bin:/bin"), user }
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.user.join(name);
        fs::create_dir_all(path.parent().expect("below the user")).expect("folders can be made");
        fs::write(path, text).expect("files can be written");
    }

    /// In the folder that Claude Code names after the one in which it was started.
    fn put_claude(&self, folder: &Path, name: &str, text: &str) {
        let is_plain = |c: char| c.is_ascii_alphanumeric();
        let folder = folder.display().to_string();
        let folder: String = folder.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
        self.put(&format!(".claude/projects/{folder}/{name}"), text);
    }

    #[track_caller]
    fn init(&self, args: &[&str]) -> Value {
        self.memory.json(&[&["init"], args].concat())["conversations"].clone()
    }

    /// Two reviewers of Claude Code and one of Codex found the same here; much else lies
    /// around.
    fn lived_in() -> Self {
        let machine = Machine::new();
        let work = machine.memory.work();
        let sub = work.join("sub");
        fs::create_dir_all(&sub).expect("folders can be made");
        machine.put_claude(&work, "s1.jsonl", &claude("s1", &work, "code-reviewer"));
        machine.put_claude(&sub, "s2.jsonl", &claude("s2", &sub, "kit:security-auditor"));
        let rollout = ".codex/sessions/2026/04/01/rollout-1.jsonl";
        machine.put(rollout, &codex("c1", &work));
        // Somebody is writing the last line just now.
        let half = claude("s3", &work, "tester") + "{\"type\":\"assist";
        machine.put_claude(&work, "s3.jsonl", &half);
        // Not a conversation, though it says where it was.
        machine.put_claude(&work, "s4.jsonl", &format!("{}\n", json!({"cwd": work})));
        // Of others: a project with the same name for the host, and one of Codex.
        let beside = PathBuf::from(format!("{}.sub", work.display()));
        machine.put_claude(&beside, "o1.jsonl", &claude("o1", &beside, "code-reviewer"));
        let elsewhere = ".codex/sessions/2026/04/02/rollout-2.jsonl";
        machine.put(elsewhere, &codex("o2", Path::new("/nowhere")));
        // What a sub-agent wrote down itself, and what is no text.
        machine.put_claude(&work, "s1/subagents/a1.jsonl", &claude("s1", &work, "x"));
        machine.put_claude(&work, "s5.jsonl", "\u{0}\u{1}");
        machine
    }
}

fn review() -> String {
    format!("| Severity | File | Finding |\n|-|-|-|\n| HIGH | src/auth.rs:12 | {FINDING} |\n")
}

fn claude(session: &str, cwd: &Path, role: &str) -> String {
    let head = json!({"type": "summary", "summary": "a login"});
    let call = json!({"type": "assistant", "sessionId": session, "cwd": cwd, "message": {
        "content": [{"type": "tool_use", "id": "t1", "input": {"subagent_type": role}}]}});
    let result = json!({"type": "user", "sessionId": session, "cwd": cwd,
        "toolUseResult": {"agentId": "a1"}, "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": review()}]}});
    format!("{head}\n{call}\n{result}\n")
}

fn codex(session: &str, cwd: &Path) -> String {
    let at = "2026-04-01T10:00:00Z";
    let meta = json!({"timestamp": at, "type": "session_meta", "payload": {
        "id": session, "cwd": cwd, "instructions": "x".repeat(50_000)}});
    let review = json!({"findings": [{"title": FINDING, "body": FINDING, "priority": 1,
        "code_location": {"absolute_file_path": cwd.join("src/auth.rs"),
            "line_range": {"start": 12, "end": 12}}}], "overall_correctness": "incorrect"});
    let ended = json!({"timestamp": at, "type": "event_msg", "payload": {
        "type": "exited_review_mode", "review_output": review}});
    format!("{meta}\n{ended}\n")
}

#[test]
fn conversations_are_offered_and_nothing_is_done() {
    let machine = Machine::lived_in();
    let ran = machine.memory.run(&["init"]).exits(0);
    let offer = "from 5 conversations of this project; `hardwon init --only-transcripts` does it";
    assert!(ran.stderr.contains(offer), "{ran}");
    let told = machine.init(&[]);
    assert_eq!((told["found"].as_u64(), told["done"].as_bool()), (Some(5), Some(false)));
    assert_eq!(machine.init(&["--yes", "--no-transcripts"]), Value::Null);
    assert!(!machine.memory.database().exists(), "something was learned");
}

#[test]
fn conversations_of_this_project_are_learned_once() {
    let machine = Machine::lived_in();
    let ran = machine.memory.run(&["init", "--yes", "--json"]).exits(0);
    let answer = ran.json();
    assert_eq!(answer["done"], true, "it is plugged in, too");
    let problems = list_of(&answer, "problems");
    assert_eq!(problems.len(), 1, "{answer:#}");
    assert!(text_of(&problems[0], "where").ends_with("s4.jsonl"), "{answer:#}");
    let told = &answer["conversations"];
    assert_eq!((told["found"].as_u64(), told["read"].as_u64()), (Some(5), Some(5)), "{told:#}");
    assert_eq!((told["runs"].as_u64(), told["findings"].as_u64()), (Some(4), Some(4)), "{told:#}");
    let lesson = machine.memory.only_lesson();
    assert_eq!(lesson["sightings"], 4, "the others' are not ours: {lesson:#}");
    assert_eq!(told["new"], json!([lesson["id"]]));
    assert_eq!(told["promoted"], json!([lesson["id"]]), "several roles found it");
    assert_eq!(lesson["trust"], "claimed");

    let again = machine.init(&["--yes"]);
    assert_eq!((again["already_known"].as_u64(), &again["new"]), (Some(4), &json!([])));
    assert_eq!(machine.memory.only_lesson(), lesson, "nothing is new");
    let undone = told["operation"].to_string();
    machine.memory.json(&["undo", &undone]);
    assert!(machine.memory.json(&["list"])["lessons"] == json!([]), "one operation takes it back");
}

#[test]
fn transcripts_alone_in_words() {
    let machine = Machine::lived_in();
    let ran = machine.memory.run(&["init", "--only-transcripts"]).exits(0);
    let told = "read 5 conversations: 4 runs, 4 findings, 1 new lesson\nshown to later runs: ";
    assert!(ran.stdout.contains(told), "{ran}");
    assert!(ran.stderr.contains("s4.jsonl"), "what cannot be read is told\n{ran}");
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('['), "a bar for nobody\n{ran}");
    assert!(!machine.user.join(".claude/settings.json").exists(), "it was plugged in");
}

#[test]
fn only_the_newest_are_read() {
    let machine = Machine::new();
    let work = machine.memory.work();
    for n in 1..=60 {
        let session = format!("s{n:02}");
        machine.put_claude(&work, &format!("{session}.jsonl"), &claude(&session, &work, "tester"));
    }
    let newest = machine.user.join(".claude/projects");
    let folder = fs::read_dir(newest).unwrap().next().unwrap().unwrap().path();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    for n in 1..=57 {
        let file = fs::File::options().write(true).open(folder.join(format!("s{n:02}.jsonl")));
        file.unwrap().set_modified(old).unwrap();
    }
    assert_eq!(machine.init(&[])["read"], 50, "that many unless more are wanted");
    let ran = machine.memory.run(&["init", "--only-transcripts", "--newest", "3"]).exits(0);
    assert!(ran.stdout.contains("read 3 conversations, the newest of 60: 3 runs"), "{ran}");
    let why = machine.memory.run(&["history"]).exits(0);
    assert!(!why.stdout.contains("s57"), "{why}");
    let tree = machine.memory.run(&["why", &text_of(&machine.memory.only_lesson(), "id")]).exits(0);
    assert!(tree.stdout.contains("claude-s60") && !tree.stdout.contains("claude-s57"), "{tree}");
}

/// An agent that hands conversations in could have written them.
#[test]
fn who_calls_as_an_agent_has_one_voice() {
    let machine = Machine::lived_in();
    let Machine { memory, user } = machine;
    let machine = Machine { memory: memory.with("HARDWON_AGENT", "somebody"), user };
    let told = machine.init(&["--only-transcripts"]);
    assert_eq!((told["runs"].as_u64(), &told["promoted"]), (Some(4), &json!([])), "{told:#}");
    let lesson = machine.memory.only_lesson();
    assert_eq!(
        (text_of(&lesson, "state"), text_of(&lesson, "author")),
        ("candidate".into(), "agent somebody".into())
    );
}
