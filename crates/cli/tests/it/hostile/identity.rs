//! Whose memory is it? Neither a forged `.git` nor a name that is not text, nor a folder that is
//! gone, makes two folders one project.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Memory, Ran, list_of};

const TEXT: &str = "Escape what users type before it is printed";

fn memory() -> Memory {
    Memory::new().with("HARDWON_PROJECT", "")
}

fn within(memory: &Memory, folder: &Path, args: &[&str]) -> Ran {
    let mut command = memory.command(args);
    command.current_dir(folder);
    Ran::of(args, command.output().expect("the binary starts"))
}

fn n_seen(memory: &Memory, folder: &Path) -> usize {
    let answer = within(memory, folder, &["list", "--all", "--json"]).exits(0).json();
    list_of(&answer, "lessons").len()
}

#[test]
fn folders_that_are_not_utf_8_are_projects_of_their_own() {
    let memory = memory();
    for kind in ["plain", "git"] {
        let names: [&[u8]; 4] = [b"a\xff", b"a\xfe", b"a\xff\xff", "a\u{fffd}".as_bytes()];
        let folders = names.map(|name| memory.work().join(kind).join(OsStr::from_bytes(name)));
        for folder in &folders {
            fs::create_dir_all(folder).expect("a new folder");
            if kind == "git" {
                fs::create_dir(folder.join(".git")).expect("a new folder");
            }
        }
        within(&memory, &folders[0], &["add", TEXT]).exits(0);
        let seen = folders.each_ref().map(|folder| n_seen(&memory, folder));
        assert_eq!(seen, [1, 0, 0, 0], "{kind}");
    }
}

/// Runs a command in a folder that is deleted before it starts.
fn in_deleted_folder(memory: &Memory, name: &str, args: &str) -> Ran {
    let script =
        format!("mkdir {name} && cd {name} && rmdir ../{name} && exec \"$0\" --as-user {args}");
    let mut shell = Command::new("sh");
    memory.prepare(shell.args(["-c", &script, env!("CARGO_BIN_EXE_hardwon")]));
    Ran::of(&[args], shell.stdin(Stdio::null()).output().expect("a shell"))
}

#[test]
fn a_deleted_folder_is_no_project() {
    let memory = memory();
    for command in ["list", "add Prefer-tabs", "learn ../run.jsonl", "report", "project show"] {
        let refused = in_deleted_folder(&memory, "gone", command).exits(2);
        assert!(refused.stderr.contains("deleted"), "{refused}");
        assert!(refused.stderr.contains("--project"), "{refused}");
    }
    for command in ["inject", "inject --task x --run r1"] {
        let empty = in_deleted_folder(&memory, "gone", command).exits(0);
        assert!(empty.stdout.is_empty() && empty.stderr.contains("deleted"), "{empty}");
    }
    in_deleted_folder(&memory, "gone", "hook claude").exits(0);
    in_deleted_folder(&memory, "gone", "config set budget 5 --in-project").exits(2);
    // The project that is named needs no folder.
    in_deleted_folder(&memory, "gone", &format!("--project shop add '{TEXT}'")).exits(0);
    in_deleted_folder(&memory, "other", "--project shop list").exits(0);
    let known = within(&memory, &memory.work(), &["project", "list", "--json"]).exits(0).json();
    assert_eq!(list_of(&known, "projects").len(), 1, "{known:#}");
}
