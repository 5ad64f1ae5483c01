//! Whose memory is it? Nobody's, where the folder is gone.

use std::process::{Command, Stdio};

use crate::harness::{Memory, Ran, list_of};

const TEXT: &str = "Escape what users type before it is printed";

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
    let memory = Memory::new().with("HARDWON_PROJECT", "");
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
    assert_eq!(list_of(&memory.json(&["project", "list"]), "projects").len(), 1);
}
