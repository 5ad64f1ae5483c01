//! Is the plugin folder what the program says of itself? The hooks are those that `install`
//! writes, and its pages name only commands and flags that exist.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::harness::Memory;
use crate::readme::root;

const PAGES: &[&str] = &[
    "skills/memory/SKILL.md",
    "skills/extract-learnings/SKILL.md",
    "agents/archivist.md",
    "agents/memory-auditor.md",
];

fn json(path: &std::path::Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn the_plugin_brings_what_install_writes() {
    let memory = Memory::new();
    memory.json(&["install", "claude", "--project"]);
    let written = json(&memory.work().join(".claude/settings.json"));
    let plugin = json(&root().join("hooks/hooks.json"));
    assert_eq!(plugin["hooks"], written["hooks"]);
    let keys: Vec<&String> = plugin.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["description", "hooks"], "Codex reads no other key");
    assert_eq!(json(&root().join(".mcp.json")), json(&memory.work().join(".mcp.json")));
    let manifest = json(&root().join(".claude-plugin/plugin.json"));
    assert_eq!(manifest["name"], "hardwon");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let market = json(&root().join(".claude-plugin/marketplace.json"));
    assert_eq!(market["plugins"][0]["name"], "hardwon");
    assert_eq!(market["plugins"][0]["source"], "./");
}

/// The page says at which events hosts call, and the program asks for exactly those.
#[test]
fn the_page_names_the_events_that_install_asks_for() {
    let page = fs::read_to_string(root().join("docs/agents.md")).expect("the page is there");
    let memory = Memory::new();
    for (host, title, file) in [
        ("claude", "## Claude Code\n", ".claude/settings.json"),
        ("codex", "## Codex\n", ".codex/hooks.json"),
    ] {
        memory.json(&["install", host, "--project"]);
        let written = json(&memory.work().join(file));
        let asked = written["hooks"].as_object().expect("an object").keys();
        let asked: BTreeSet<&str> = asked.map(String::as_str).collect();
        let section = page.split_once(title).expect("a section").1;
        let line = section.lines().find(|line| line.starts_with("- Called at")).expect("a line");
        let quoted = line.split('`').skip(1).step_by(2);
        let named: BTreeSet<&str> =
            quoted.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).collect();
        assert_eq!(named, asked, "{host}");
    }
}

/// The Archivist may use every tool of its server and no other one. Claude Code puts the plugin's and
/// the server's name before a tool's.
#[test]
fn the_archivist_has_the_tools_of_its_server() {
    let manifest = json(&root().join(".claude-plugin/plugin.json"));
    let server = &manifest["mcpServers"]["archivist"];
    assert_eq!(server["command"], "hardwon");
    let given = server["args"].as_array().expect("arguments").iter();
    let given: Vec<&str> = given.filter_map(Value::as_str).collect();
    let served = Memory::new().json(&given);
    let tools = served["tools"].as_array().expect("tools").iter();
    let names = tools.filter_map(|tool| tool["name"].as_str());
    let names = names.map(|name| format!("mcp__plugin_hardwon_archivist__{name}"));
    let expected: BTreeSet<String> = names.chain(["Bash".to_owned()]).collect();
    let page = fs::read_to_string(root().join("agents/archivist.md")).expect("the page is there");
    let line = page.lines().find_map(|line| line.strip_prefix("tools: ")).expect("a line of tools");
    assert_eq!(line.split(", ").map(str::to_owned).collect::<BTreeSet<_>>(), expected);
    assert_eq!(expected.len(), 7);
}

#[test]
fn its_pages_name_what_exists() {
    let memory = Memory::new();
    let mut n_calls = 0;
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).expect("the page is there");
        assert!(text.starts_with("---\nname: "), "{page} has no head");
        for call in calls(&text) {
            n_calls += 1;
            check(&memory, page, call);
        }
    }
    assert!(n_calls > 25, "only {n_calls} calls were found");
}

/// What stands in backticks and begins with our name.
fn calls(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|call| call.starts_with("hardwon ")).collect()
}

/// Every word before the first placeholder is a command, every flag is in its help.
#[track_caller]
fn check(memory: &Memory, page: &str, call: &str) {
    let is_command = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    let words: Vec<&str> = call.split_whitespace().skip(1).collect();
    let commands: Vec<&str> = words.iter().copied().take_while(is_command).collect();
    let help = memory.run(&[commands.as_slice(), &["--help"]].concat());
    assert_eq!(help.status, Some(0), "{page}: `{call}`\n{help}");
    let usage = format!("Usage: hardwon {}", commands.join(" "));
    assert!(help.stdout.contains(&usage), "{page}: `{call}` is not {usage}\n{help}");
    for flag in words.iter().filter(|word| word.starts_with("--")) {
        let is_there = help.stdout.split_whitespace().any(|word| word == *flag);
        assert!(is_there, "{page}: `{call}`: no {flag}\n{help}");
    }
}
