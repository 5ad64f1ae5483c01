//! The two stories by which the Archivist was specified, played with real processes: a
//! small orchestrator in shell asks for lessons, works in a real repository, and hands in
//! what it did.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Memory, list_of, text_of};

/// How the repository is tested.
const TEST: &str = "make -s -f check.mk test";

/// What an orchestrator does with one task: it asks for lessons, works, and tells.
struct Shop {
    memory: Memory,
}

/// What one run did.
struct Worked {
    /// What it was told before.
    block: String,
    is_ok: bool,
    /// The answer of `learn`.
    learned: Value,
}

impl Shop {
    /// A repository with a program and a test of it.
    fn new(test: &str) -> Self {
        let memory = Memory::new().with("HARDWON_HOLDOUT", "0");
        let shop = Shop { memory };
        fs::create_dir_all(shop.memory.work()).unwrap();
        shop.memory.write("total.sh", "echo $(($1 + $2 + 1))\n");
        shop.memory.write("check.sh", test);
        shop.git(&["init", "-q", "."]);
        shop.git(&["add", "-A"]);
        shop.commit("begin");
        shop
    }

    fn git(&self, args: &[&str]) {
        let mut command = Command::new("git");
        self.memory.prepare(&mut command);
        let output = command.current_dir(self.memory.work()).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    fn commit(&self, message: &str) {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        self.git(&[&who[..], &["commit", "-q", "--allow-empty", "-am", message]].concat());
    }

    /// Runs a command in the repository: whether it went well, and what it said.
    fn does(&self, command: &str) -> (bool, String) {
        let mut shell = Command::new("sh");
        self.memory.prepare(&mut shell);
        let output = shell.current_dir(self.memory.work()).args(["-c", command]).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    /// One run of an agent that runs one command.
    fn works(&self, run: &str, agent: &str, command: &str, edits: &str) -> Worked {
        let asked = ["inject", "--run", run, "--provider", agent, "--style", "archivist"];
        let block = self.memory.run(&asked).exits(0).stdout;
        let (is_ok, said) = self.does(command);
        let outcome = if is_ok { "success" } else { "failed" };
        let lines = [
            json!({"type": "run", "id": run, "agent": agent, "outcome": outcome, "task": "T-1",
                "kind": "orchestrator", "session": format!("night-{run}")}),
            json!({"type": "step", "kind": "edit", "tool": "edit", "action": edits, "ok": true}),
            json!({"type": "step", "kind": "command", "tool": "bash", "action": command,
                "ok": is_ok, "output": said}),
        ];
        let record: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Worked { block, is_ok, learned: self.memory.learn(&record) }
    }

    /// The lessons of a category that may be shown.
    fn lessons(&self, category: &str) -> Vec<Value> {
        let is_it =
            |lesson: &Value| lesson["category"] == category && lesson["state"] == "provisional";
        self.memory.lessons().into_iter().filter(is_it).collect()
    }
}

fn effects(worked: &Worked) -> Vec<String> {
    let runs = list_of(&worked.learned, "runs");
    list_of(&runs[0], "effects").iter().map(|effect| text_of(effect, "effect")).collect()
}

#[test]
fn a_test_that_fails_for_some_runs_is_run_before_the_next_commit() {
    let test =
        "test \"$(sh total.sh 1 2)\" = 3 || { echo 'FAIL: 1 test failed, 0 passed'; exit 1; }\n";
    let shop = Shop::new(test);
    shop.memory.write("check.mk", "test:\n\t@sh check.sh\n");
    for run in ["r1", "r2"] {
        let worked = shop.works(run, "maker", TEST, "total.sh");
        assert!(!worked.is_ok && worked.block.is_empty(), "{}", worked.block);
        shop.commit(run);
    }
    // Somebody mends it.
    shop.memory.write("total.sh", "echo $(($1 + $2))\n");
    assert!(shop.works("r3", "maker", TEST, "total.sh").is_ok);
    shop.commit("r3");
    let lessons = shop.lessons("test_strategy");
    assert_eq!(lessons.len(), 1, "{lessons:#?}");
    let text = text_of(&lessons[0], "text");
    assert!(text.contains("before committing") && text.contains(TEST), "{text}");
    assert!(text_of(&lessons[0], "rule").starts_with("IF "), "{:#?}", lessons[0]);

    let next = shop.works("r4", "maker", TEST, "total.sh");
    assert!(next.block.starts_with("### Project Lessons\n1. "), "{}", next.block);
    assert!(next.block.contains(&text), "{}", next.block);
    assert_eq!(effects(&next), ["helped"], "{}", next.learned);
    let again = shop.memory.json(&["reflect", "--run", "r3"]);
    assert_eq!(
        (&again["created"], &again["status_of_reflection"]),
        (&json!(0), &json!("reflected"))
    );
}

#[test]
fn a_provider_that_times_out_is_told_and_the_runs_that_heed_it_succeed() {
    let shop = Shop::new("true\n");
    // The same heavy command, under a limit that only one of the two providers has.
    let heavy = "sh heavy.sh";
    let limit = |agent: &str| match agent {
        "claude-code" => "echo 'error: command timed out after 120 s' >&2; exit 124\n",
        _ => "echo done\n",
    };
    let works = |run: &str, agent: &str| {
        shop.memory.write("heavy.sh", limit(agent));
        shop.works(run, agent, heavy, "site.css")
    };
    for (run, agent) in [("r1", "claude-code"), ("r2", "minimal"), ("r3", "claude-code")] {
        assert_eq!(works(run, agent).is_ok, agent == "minimal");
    }
    assert!(works("r4", "minimal").is_ok);
    let lessons = shop.lessons("provider_quirk");
    assert_eq!(lessons.len(), 1, "{lessons:#?}");
    let text = text_of(&lessons[0], "text");
    assert_eq!(lessons[0]["scope"]["provider"], "claude-code", "{:#?}", lessons[0]);

    // An orchestrator that heeds it gives the command to the other provider.
    let asked = |agent: &str| {
        shop.memory.run(&["inject", "--provider", agent, "--style", "archivist"]).exits(0).stdout
    };
    assert!(!asked("minimal").contains(&text), "shown to the wrong provider");
    for run in ["r5", "r6"] {
        let told = asked("claude-code");
        let heeds = told.contains(&text) && told.contains("minimal");
        let agent = if heeds { "minimal" } else { "claude-code" };
        assert!(works(run, agent).is_ok, "{run} was given to {agent}\n{told}");
    }
}

/// A conversation as Claude Code keeps it, in which one command fails.
fn conversation(session: &str, folder: &str) -> String {
    let at = |second: u32| format!("2026-04-03T14:00:{second:02}Z");
    let lines = [
        json!({"type": "user", "sessionId": session, "cwd": folder, "timestamp": at(0),
            "message": {"role": "user", "content": "Make the totals right"}}),
        json!({"type": "assistant", "sessionId": session, "timestamp": at(5), "message": {
            "id": "m1", "model": "large-1", "content": [{"type": "tool_use", "id": "t1",
            "name": "Bash", "input": {"command": "make test"}}]}}),
        json!({"type": "user", "sessionId": session, "timestamp": at(30), "message": {
            "role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
            "is_error": true, "content": "Exit code 2\ntest result: FAILED. 3 passed; 1 failed"}]}}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn conversations_that_a_host_kept_teach_the_next_session() {
    let memory = Memory::new().with("HARDWON_HOLDOUT", "0");
    let folder = memory.work().display().to_string();
    let told = |session: &str, name: &str, more: Value| {
        let mut event = json!({"hook_event_name": name, "session_id": session, "cwd": folder});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        memory.run_with(&["hook", "claude"], &event.to_string()).exits(0).stdout
    };
    for session in ["s-1", "s-2"] {
        let file = memory.write(&format!("{session}.jsonl"), conversation(session, &folder));
        told(session, "SessionEnd", json!({"transcript_path": file}));
    }
    assert_eq!(memory.lessons(), [] as [Value; 0], "an end waits for nothing");
    let reflected = memory.json(&["reflect", "--pending"]);
    assert_eq!(reflected["created"], 1, "{reflected:#}");
    let block = told("s-3", "SessionStart", json!({"source": "startup"}));
    assert!(block.contains("Run the tests (`make test`) before committing"), "{block}");
    // What a tool said in a conversation is given back to nobody.
    let lesson = memory.only_lesson();
    assert!(lesson["detail"].is_null() && lesson["trust"] == "claimed", "{lesson:#}");

    // The same handed in by an agent itself is its word, and stays a candidate.
    let other = Memory::new().with("HARDWON_AGENT", "claude-code");
    for session in ["s-1", "s-2"] {
        let text = conversation(session, &other.work().display().to_string());
        other.run_with(&["learn", "-"], &text).exits(0);
    }
    assert_eq!(other.only_lesson()["state"], "candidate");
}
