//! Notes in what agents see: blocks, hooks, searches, and how all of it is turned off.

use std::fs;

use serde_json::json;

use crate::harness::{Memory, W, event, list_of, text_of};

const BUILDER: &str = ".claude/agent-memory/builder";

/// A lesson, a notebook and the project's notes.
fn workshop() -> Memory {
    let memory = Memory::new()
        .with("HARDWON_NOTES", "notes")
        .with("HARDWON_DEADLINE_MS", "60000")
        .with("HARDWON_BACKUP", "off");
    memory.learn_w(2);
    memory
}

fn fill(memory: &Memory) {
    memory.write(&format!("{BUILDER}/head.md"), "Recover a detached HEAD before the build\n");
    memory.write(".claude/agent-memory/tester/slow.md", "Slow tests run at night only\n");
    memory.write("notes/project_login.md", "Old clients go through the legacy login first\n");
    let index = "# Notes\n- [Login](project_login.md) — where old clients log in\n";
    memory.write("notes/MEMORY.md", index);
}

fn block(memory: &Memory, args: &[&str]) -> String {
    memory.run(&[&["inject"], args].concat()).exits(0).stdout
}

#[test]
fn off_means_that_every_byte_is_as_before() {
    let all = |memory: &Memory, n: u32| {
        let mut said = vec![
            block(memory, &[]),
            block(memory, &["--role", "builder"]),
            block(memory, &["--role", "builder", "--text", "log in", "--style", "jkz"]),
            memory.run(&["search", "login", "query"]).exits(0).stdout,
        ];
        for host in ["claude", "codex"] {
            let agent = json!({"agent_id": "a1", "agent_type": "builder"});
            let start = ("SessionStart", json!({"source": "startup"}));
            for (name, more) in [start, ("SubagentStart", agent)] {
                said.push(memory.hook(host, &event(&format!("{host}{n}"), name, more)).stdout);
            }
        }
        said
    };
    let memory = workshop();
    fs::create_dir(memory.work().join("notes")).expect("it is ours");
    let before = all(&memory, 1);
    assert!(before[0].contains(W), "{}", before[0]);
    fill(&memory);
    memory.run(&["config", "set", "notes", "off"]).exits(0);
    assert_eq!(all(&memory, 2), before);
    let refused = memory.run(&["jkz", "list"]).exits(2);
    assert!(refused.stderr.contains("hardwon config set notes on"), "{refused}");
    memory.run(&["config", "set", "notes", "on"]).exits(0);
    let after = all(&memory, 3);
    assert!(after.iter().zip(&before).filter(|(after, before)| after != before).count() >= 6);
    memory.run(&["jkz", "list"]).exits(0);
    // A checkout has no say in it, and the variable may be a switch, too.
    memory.run(&["config", "unset", "notes"]).exits(0);
    memory.write(".hardwon/config.toml", "notes = \"off\"\n");
    let args = ["inject", "--role", "builder"];
    let ran = memory.run(&args).exits(0);
    assert!(ran.stdout.contains("detached HEAD") && ran.stderr.contains("notes"), "{ran}");
    fs::remove_file(memory.work().join(".hardwon/config.toml")).expect("it is there");
    let mut command = memory.command(&args);
    let ran = command.env("HARDWON_NOTES", "off").output().expect("the binary starts");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), before[1]);
}

#[test]
fn doctor_tells_of_a_broken_or_long_index() {
    let memory = workshop();
    let check = || memory.run(&["doctor", "--json"]).exits(0).check("notes");
    let nowhere = check();
    assert!(text_of(&nowhere, "detail").contains("HARDWON_NOTES"), "{nowhere:#}");
    fill(&memory);
    assert_eq!(check()["status"], "ok");
    memory.write("notes/MEMORY.md", "- [Gone](gone.md) — x\n- [Login](project_login.md) — y\n");
    let broken = check();
    assert_eq!(text_of(&broken, "fix"), "hardwon jkz check");
    assert!(text_of(&broken, "detail").contains("there is no gone.md"), "{broken:#}");
    let long = "- [Login](project_login.md) — y\n".to_owned() + &"word\n".repeat(300);
    memory.write("notes/MEMORY.md", long);
    let long = check();
    assert!(text_of(&long, "detail").contains("over the limit"), "{long:#}");
    memory.run(&["config", "set", "notes", "off"]).exits(0);
    let checks = list_of(&memory.json(&["doctor"]), "checks");
    assert!(checks.iter().all(|check| check["name"] != "notes"), "{checks:#?}");
}
