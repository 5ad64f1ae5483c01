//! Bad luck: files that may not grow, hosts that keep their end open, and the copies of each day.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Memory, NOW, W, event, set_mode, text_of};

/// The command in a shell in which files may have only so many blocks.
fn limited(memory: &Memory, command: &str) -> std::process::Output {
    let program = env!("CARGO_BIN_EXE_hardwon");
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -f 1; exec {program} {command}"));
    memory.prepare(&mut shell);
    shell.output().unwrap()
}

/// Issue 14, number 14: SIGXFSZ ends nobody.
#[test]
fn where_files_may_not_grow_a_run_goes_on_and_a_write_fails_loudly() {
    let (memory, _) = Memory::taught();
    let injected = limited(&memory, "inject --run r9");
    assert_eq!(injected.status.code(), Some(0), "{injected:?}");
    assert!(String::from_utf8_lossy(&injected.stdout).contains(W), "{injected:?}");
    let added = limited(&memory, "--as-user add 'Errors name the next step to take'");
    assert_eq!(added.status.code(), Some(3), "{added:?}");
    let message = String::from_utf8_lossy(&added.stderr).into_owned();
    assert!(message.contains("cannot be used") && message.contains("ulimit -f"), "{message}");
    // Nothing is half written.
    memory.run(&["doctor"]).exits(0);
    assert_eq!(memory.lessons().len(), 1);
}

#[test]
fn where_files_may_not_grow_no_store_is_made_and_a_run_goes_on() {
    let memory = Memory::new();
    assert_eq!(limited(&memory, "inject --run r9").status.code(), Some(0));
    assert_eq!(limited(&memory, "--as-user add 'Errors name next steps'").status.code(), Some(3));
    assert!(!memory.database().exists(), "half a store");
    memory.run(&["add", "Errors name the next step to take"]).exits(0);
}

fn backup_of(memory: &Memory) -> PathBuf {
    memory.home().join(format!("memory.db.backup-{}.gz", &NOW[..10]))
}

/// The host waits for the hook alone; a process of its own makes the copy.
#[test]
fn the_end_of_a_session_starts_the_backup_of_the_day() {
    let (memory, _) = Memory::taught();
    memory.hook("claude", &event("s1", "SessionEnd", json!({"cwd": memory.work()})));
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
    let (memory, _) = Memory::taught();
    memory.write(".hardwon/config.toml", "backup = \"off\"\n");
    memory.run(&["config", "set", "backup", "off"]).exits(0);
    let refused = memory.run(&["doctor", "--backup"]).exits(0);
    assert!(refused.stdout.contains("`backup` is off"), "{refused}");
    memory.run(&["doctor", "--fix"]).exits(0);
    assert!(!backup_of(&memory).exists());
    memory.run(&["config", "unset", "backup"]).exits(0);
    let made = memory.run(&["doctor", "--backup"]).exits(0);
    assert!(backup_of(&memory).exists(), "a file of the checkout has no say: {made}");
    let later = memory.run(&["doctor", "--backup"]).exits(0);
    assert!(later.stdout.contains("there already"), "{later}");
}

#[test]
fn doctor_says_how_old_the_backups_are() {
    let (memory, _) = Memory::taught();
    memory.run(&["doctor", "--fix"]).exits(0);
    let mut later = memory.command(&["doctor", "--json"]);
    let output = later.env("HARDWON_NOW", "2026-04-05T09:00:00Z").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("memory.db.backup-2026-04-03.gz (2 days old)"), "{text}");
}

/// No fresh start beside copies of what was there: a fresh store has no file, and one that has is
/// never empty.
#[test]
fn a_store_that_is_gone_or_emptied_comes_back_from_its_backup() {
    for (is_gone, told) in [(true, "it is gone, and backups of it lie beside"), (false, "0 bytes")]
    {
        let (memory, _) = Memory::taught();
        let before = memory.only_lesson();
        memory.run(&["doctor", "--backup"]).exits(0);
        match is_gone {
            true => fs::remove_file(memory.database()).unwrap(),
            false => set_mode(&memory.write_home("memory.db", ""), 0o600),
        }
        let refused = memory.run(&["add", "Errors name the next step to take"]).exits(3);
        assert!(refused.stderr.contains("hardwon doctor --fix"), "{refused}");
        assert_eq!(memory.run(&["inject", "--run", "r9"]).exits(0).stdout, "");
        let check = memory.run(&["doctor", "--json"]).exits(1).check("store");
        assert!(text_of(&check, "detail").contains(told), "{check:#}");
        assert!(text_of(&check, "fix").contains("hardwon doctor --fix"), "{check:#}");
        let fixed = memory.run(&["doctor", "--fix"]).exits(0);
        assert!(fixed.stdout.contains("s brought back: 1 (from memory.db.backup-"), "{fixed}");
        assert_eq!(memory.only_lesson(), before);
    }
}
