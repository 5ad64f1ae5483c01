//! That what `install` enters can be started, and what `doctor --agents` says of it. The
//! commands themselves are in `tests/sessions/install.md`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Memory, text_of};

const SETTINGS: &str = "{\n  \"model\": \"opus\"\n}\n";

/// A memory whose user has Claude Code.
fn with_claude() -> (Memory, PathBuf) {
    let memory = Memory::new();
    let user = memory.home().with_file_name("user");
    let settings = user.join(".claude/settings.json");
    fs::create_dir_all(user.join(".claude")).expect("folders can be made");
    fs::write(&settings, SETTINGS).expect("files can be written");
    (memory.with("HOME", user.display().to_string()).with("PATH", "/usr/bin:/bin"), settings)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file is there")
}

/// Hosts start the entries with the PATH that `install` was called with.
#[test]
fn what_is_installed_runs_also_when_it_is_not_on_path() {
    let (memory, settings) = with_claude();
    let done = memory.run(&["install", "claude"]).exits(0);
    assert!(done.stdout.contains("left to you: hardwon is not on PATH"), "{done}");
    let line = read(&settings);
    let command = line.lines().find_map(|line| line.trim().strip_prefix("\"command\": \""));
    let command = command.and_then(|rest| rest.split('"').next()).expect("an entry");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", command]).stdin(std::process::Stdio::null());
    memory.prepare(&mut shell);
    let ran = shell.output().expect("sh is there");
    assert_eq!(ran.status.code(), Some(0), "{command}: {ran:?}");
    // And when it is gone, no host has an error to show.
    let (own, gone) = (env!("CARGO_BIN_EXE_hardwon"), "/nowhere/hardwon");
    let ran = std::process::Command::new("sh").args(["-c", &command.replace(own, gone)]).output();
    let ran = ran.expect("sh is there");
    assert_eq!((ran.status.code(), ran.stderr.as_slice()), (Some(0), &b""[..]), "{command}");
    let doctor = memory.run(&["doctor", "--agents", "--json"]).exits(0);
    for name in ["program", "claude hooks", "claude answer"] {
        assert_eq!(doctor.check(name)["status"], "ok", "{doctor}");
    }
    let shared = memory.run(&["install", "claude", "--project"]).exits(0);
    assert!(shared.stderr.contains("not on PATH, so no host can start it"), "{shared}");
    // A link that leads out of the home is told with what to do.
    let outside = memory.write("outside.json", "{}");
    fs::remove_file(&settings).expect("it can go");
    std::os::unix::fs::symlink(&outside, &settings).expect("links can be made");
    let link = memory.run(&["install", "claude"]).exits(2);
    assert!(link.stderr.contains("put a copy of that file in the link's place"), "{link}");
    assert!(!link.stderr.contains("by hand"), "{link}");
}

#[test]
fn doctor_sends_an_event_through_the_installed_command() {
    let (memory, _) = with_claude();
    let none = memory.run(&["doctor", "--agents", "--json"]).exits(1);
    assert!(none.stdout.contains("hardwon is not on PATH"), "{none}");
    let own = Path::new(env!("CARGO_BIN_EXE_hardwon")).parent().expect("it is in a folder");
    let memory = memory.with("PATH", format!("{}:/usr/bin:/bin", own.display()));
    memory.run(&["install", "claude"]).exits(0);
    let doctor = memory.run(&["doctor", "--agents", "--json"]).exits(0);
    for name in ["program", "claude hooks", "claude once", "claude enabled", "claude answer"] {
        assert_eq!(doctor.check(name)["status"], "ok", "{doctor}");
    }
    let answer = doctor.check("claude answer");
    assert!(text_of(&answer, "detail").contains("ms for a sample event"), "{answer:#}");
    assert!(memory.lessons().is_empty(), "the sample event taught something");
}
