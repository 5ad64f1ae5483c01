//! A fresh clone of a project that is known: on a terminal it is offered that project's
//! memory once; without one nothing is asked and nothing is joined.

use std::process::{Command, Stdio};

use crate::harness::{Memory, W, list_of, on_terminal};

const QUESTION: &str = "Use the memory of shop here?";

/// `shop`, which has a lesson, `clone` and `copy`, which are clones of the same repository,
/// and `fork`, which is a clone of `shop`.
fn checkouts() -> Memory {
    let memory = Memory::new().with("HARDWON_PROJECT", "");
    git(&memory, &["init", "--quiet", "first"]);
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "begin"];
    let user = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"];
    git(&memory, &[&["-C", "first"], &user[..], &commit].concat());
    git(&memory, &["clone", "--quiet", "--bare", "first", "origin.git"]);
    for name in ["shop", "clone", "copy"] {
        git(&memory, &["clone", "--quiet", "origin.git", name]);
    }
    git(&memory, &["clone", "--quiet", "shop", "fork"]);
    assert!(within(&memory, "shop", &["add", W]).status().expect("it starts").success());
    memory
}

pub fn git(memory: &Memory, args: &[&str]) {
    let mut command = Command::new("git");
    memory.prepare(command.args(args));
    command.env("HOME", memory.work()).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "git {args:?}: {output:?}");
}

fn within(memory: &Memory, folder: &str, args: &[&str]) -> Command {
    let mut command = memory.command(args);
    command.current_dir(memory.work().join(folder)).stdout(Stdio::null());
    command
}

/// States something in a checkout, at a terminal on which this is typed; what is shown there.
fn state(memory: &Memory, folder: &str, text: &str, typed: &str) -> String {
    on_terminal(within(memory, folder, &["add", text]), 80, Some(typed))
}

/// How many lessons are seen from a checkout.
fn n_seen(memory: &Memory, folder: &str) -> usize {
    let mut list = within(memory, folder, &["list", "--all", "--json"]);
    let output = list.stdout(Stdio::piped()).output().expect("it starts");
    let answer = serde_json::from_slice(&output.stdout).expect("it answers in JSON");
    list_of(&answer, "lessons").len()
}

#[test]
fn yes_joins_the_clone() {
    let memory = checkouts();
    assert_eq!(n_seen(&memory, "clone"), 0);
    let shown = state(&memory, "clone", "Prefer small commits", "y\n");
    assert_eq!(shown.matches(QUESTION).count(), 1, "{shown}");
    assert_eq!((n_seen(&memory, "clone"), n_seen(&memory, "shop")), (2, 2));
    let shown = state(&memory, "clone", "Name the next step in errors", "");
    assert!(!shown.contains(QUESTION), "it was asked once: {shown}");
    assert_eq!(n_seen(&memory, "shop"), 3);
}

#[test]
fn without_a_terminal_nothing_is_joined() {
    let memory = checkouts();
    let added = within(&memory, "clone", &["add", "Prefer small commits"]).output();
    let added = added.expect("it starts");
    assert!(added.status.success() && added.stderr.is_empty(), "{added:?}");
    assert_eq!((n_seen(&memory, "clone"), n_seen(&memory, "shop")), (1, 1));
    let doctor = within(&memory, "clone", &["doctor"]).stdout(Stdio::piped()).output();
    let told = String::from_utf8(doctor.expect("it starts").stdout).expect("UTF-8");
    assert!(told.contains("shop") && told.contains("hardwon config project alias"), "{told}");
    // Answers for programs ask nothing, either.
    let shown =
        on_terminal(within(&memory, "copy", &["add", "Prefer tabs", "--json"]), 80, Some(""));
    assert!(!shown.contains(QUESTION), "{shown}");
    assert_eq!(n_seen(&memory, "copy"), 1);
}

/// `install` plugs memory in, so the checkout is known by its mark from then on; a look at what
/// it would do leaves none.
#[test]
fn installing_marks_the_checkout() {
    let memory = checkouts();
    let mark = memory.work().join("copy/.git/hardwon");
    let call = |args: &[&str]| within(&memory, "copy", args).status().expect("it starts");
    assert!(call(&["install", "claude", "--project", "--dry-run"]).success());
    assert!(!mark.exists(), "nothing was to be written");
    assert!(call(&["install", "claude", "--project", "--yes"]).success());
    let written = std::fs::read_to_string(&mark).expect("there is a mark");
    assert!(call(&["add", W]).success());
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), written, "it stays");
    std::fs::rename(memory.work().join("copy"), memory.work().join("moved")).unwrap();
    assert_eq!(n_seen(&memory, "moved"), 1);
}
