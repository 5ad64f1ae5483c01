//! Bad luck: files that may not grow, hosts that keep their end open, and the copies of each day.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Memory, NOW, W, list_of, text_of};

/// A memory that knows `W` and may show it.
fn lived_in() -> Memory {
    let memory = Memory::new();
    for run in ["r1", "r2"] {
        let record = format!(
            "{{\"type\":\"run\",\"id\":\"{run}\"}}\n\
             {{\"type\":\"finding\",\"author\":\"guardian\",\"severity\":\"warning\",\"text\":\"{W}\"}}\n"
        );
        memory.run_with(&["learn", "-"], &record).exits(0);
    }
    memory
}

/// The command in a shell in which files may have only so many blocks.
fn limited(memory: &Memory, command: &str) -> std::process::Output {
    let program = env!("CARGO_BIN_EXE_hardwon");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -f 1; exec {program} {command}"));
    memory.prepare(&mut shell);
    shell.output().unwrap()
}

/// Issue 14, number 14: SIGXFSZ ends nobody.
#[test]
fn where_files_may_not_grow_a_run_goes_on_and_a_write_fails_loudly() {
    let memory = lived_in();
    let injected = limited(&memory, "inject --run r9");
    assert_eq!(injected.status.code(), Some(0), "{injected:?}");
    assert!(String::from_utf8_lossy(&injected.stdout).contains(W), "{injected:?}");
    let added = limited(&memory, "--as-user add 'Errors name the next step to take'");
    assert_eq!(added.status.code(), Some(3), "{added:?}");
    let message = String::from_utf8_lossy(&added.stderr).into_owned();
    assert!(message.contains("cannot be used") && message.contains("ulimit -f"), "{message}");
    // Nothing is half written.
    memory.run(&["doctor"]).exits(0);
    assert_eq!(list_of(&memory.json(&["list", "--all"]), "lessons").len(), 1);
}

#[test]
fn where_files_may_not_grow_no_store_is_made_and_a_run_goes_on() {
    let memory = Memory::new();
    assert_eq!(limited(&memory, "inject --run r9").status.code(), Some(0));
    assert_eq!(
        limited(&memory, "--as-user add 'Errors name the next step'").status.code(),
        Some(3)
    );
    assert!(!memory.database().exists(), "half a store");
    memory.run(&["add", "Errors name the next step to take"]).exits(0);
}

/// Issue 14, number 14: the answer comes although the host keeps standard input open.
#[test]
fn a_hook_answers_while_its_host_keeps_standard_input_open() {
    let memory = lived_in();
    let mut command = memory.command(&["hook", "claude"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let event = json!({
        "hook_event_name": "SessionStart", "session_id": "s1", "source": "startup",
        "cwd": memory.work().display().to_string(),
    });
    write!(input, "{event}").unwrap();
    input.flush().unwrap();
    // Ends although the pipe is still open.
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains(W), "{output:?}");
}

fn backup_of(memory: &Memory) -> PathBuf {
    memory.home().join(format!("memory.db.backup-{}.gz", &NOW[..10]))
}

/// The host waits for the hook alone; a process of its own makes the copy.
#[test]
fn the_end_of_a_session_starts_the_backup_of_the_day() {
    let memory = lived_in();
    let end = json!({
        "hook_event_name": "SessionEnd", "session_id": "s1", "reason": "clear",
        "cwd": memory.work().display().to_string(),
    });
    memory.run_with(&["hook", "claude"], &end.to_string()).exits(0);
    let give_up_at = Instant::now() + Duration::from_secs(120);
    while !backup_of(&memory).exists() {
        assert!(Instant::now() < give_up_at, "no copy was made");
        std::thread::sleep(Duration::from_millis(20));
    }
    let listed = memory.run(&["doctor", "--json"]).exits(0);
    assert!(listed.stdout.contains("(of today)"), "{listed}");
}

#[test]
fn who_wants_no_backup_gets_none_and_no_project_decides_that() {
    let memory = lived_in();
    memory.write(".hardwon/config.toml", "backup = \"off\"\n");
    memory.run(&["config", "set", "backup", "off"]).exits(0);
    let refused = memory.run(&["doctor", "--backup"]).exits(0);
    assert!(refused.stdout.contains("`backup` is off"), "{refused}");
    memory.run(&["doctor", "--fix"]).exits(0);
    assert!(!backup_of(&memory).exists());
    memory.run(&["config", "unset", "backup"]).exits(0);
    let made = memory.run(&["doctor", "--backup"]).exits(0);
    assert!(backup_of(&memory).exists(), "a file of the checkout has no say: {made}");
    let later = Memory::run(&memory, &["doctor", "--backup"]).exits(0);
    assert!(later.stdout.contains("there already"), "{later}");
}

#[test]
fn doctor_says_how_old_the_backups_are() {
    let memory = lived_in();
    memory.run(&["doctor", "--fix"]).exits(0);
    let mut later = memory.command(&["doctor", "--json"]);
    let output = later.env("HARDWON_NOW", "2026-04-05T09:00:00Z").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("memory.db.backup-2026-04-03.gz (2 days old)"), "{text}");
}

/// Copies go first, a new one is made without the words, and nothing is left: compressed copies
/// are looked through as well.
#[test]
fn what_is_forgotten_for_good_is_in_no_backup() {
    let memory = lived_in();
    memory.run(&["doctor", "--backup"]).exits(0);
    let id = text_of(&memory.only_lesson(), "id");
    let ran = memory.run(&["forget", &id, "--hard", "--yes", "--json"]).exits(0);
    let erased = &ran.json()["erased"];
    assert!(list_of(erased, "residues").is_empty(), "{ran}");
    assert_eq!(list_of(erased, "backups")[0]["has_text"], false, "{ran}");
    assert!(backup_of(&memory).exists(), "{ran}");
}

/// No fresh start beside copies of what was there.
#[test]
fn a_store_that_is_gone_comes_back_from_its_backup() {
    let memory = lived_in();
    memory.run(&["doctor", "--backup"]).exits(0);
    fs::remove_file(memory.database()).unwrap();
    memory.run(&["add", "Errors name the next step to take"]).exits(3);
    memory.run(&["inject", "--run", "r9"]).exits(0);
    let told = memory.run(&["doctor"]).exits(1);
    assert!(told.stdout.contains("it is gone, and backups of it lie beside"), "{told}");
    let fixed = memory.run(&["doctor", "--fix"]).exits(0);
    assert!(fixed.stdout.contains("lessons brought back: 1 (from memory.db.backup-"), "{fixed}");
    assert_eq!(text_of(&memory.only_lesson(), "text"), W);
}
