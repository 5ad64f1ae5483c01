//! ArcheFlow's own lock: what a dead process left of it stops no writer, and readers make
//! none.

use std::fs::{self, File, FileTimes};
use std::time::{Duration, SystemTime};

use super::{Flow, LESSONS, W, lesson};
use crate::harness::ends;

const LOCK: &str = "memory/lessons.jsonl.lock";
const LOCK_FOLDER: &str = "memory/lessons.jsonl.lock.d";

/// Commands that take the lock.
const WRITERS: &[&[&str]] = &[
    &["archeflow", "add", "preference", "Tabs, not spaces"],
    &["--store", "archeflow:.", "add", "Tabs, not spaces"],
];

/// A `PATH` without any program in it: ArcheFlow's scripts would take the lock folder.
fn without_programs(flow: &Flow, args: &[&str]) -> std::process::Command {
    let empty = flow.memory.work().join("no-programs");
    fs::create_dir_all(&empty).expect("folders can be made");
    let mut command = flow.memory.command(args);
    command.env("PATH", empty);
    command
}

#[test]
fn a_lock_file_that_was_left_over_stops_no_writer() {
    for args in WRITERS {
        for content in ["", "4711\n"] {
            let flow = Flow::of(&[lesson("m-001", W)]);
            flow.put(LOCK, content);
            ends(flow.memory.command(args), &args.join(" ")).exits(0);
            assert_eq!(flow.record("m-002")["description"], "Tabs, not spaces");
            assert_eq!(flow.text(LOCK), content, "it is not ours to change");
        }
    }
}

/// Where there is no `flock`, the folder is taken and given back, also one that was left over.
#[test]
fn a_stale_lock_folder_stops_no_writer() {
    for (args, is_left) in WRITERS.iter().flat_map(|args| [(args, true), (args, false)]) {
        let flow = Flow::of(&[lesson("m-001", W)]);
        let folder = flow.path(LOCK_FOLDER);
        if is_left {
            fs::create_dir_all(&folder).expect("folders can be made");
            let old = SystemTime::now() - Duration::from_secs(3600);
            let times = FileTimes::new().set_modified(old).set_accessed(old);
            File::open(&folder).and_then(|file| file.set_times(times)).expect("it is ours");
        }
        ends(without_programs(&flow, args), &args.join(" ")).exits(0);
        assert_eq!(flow.record("m-002")["description"], "Tabs, not spaces");
        assert!(!folder.exists(), "{args:?}: the lock was kept");
    }
}

/// A link in the place of the lock folder is not followed, nor is its target removed.
#[test]
fn a_linked_lock_folder_keeps_its_target() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    let target = flow.memory.work().join("elsewhere");
    fs::create_dir(&target).expect("folders can be made");
    std::os::unix::fs::symlink(&target, flow.path(LOCK_FOLDER)).expect("links can be made");
    // With `flock` in the path the folder is not used.
    for args in WRITERS {
        let ran = ends(flow.memory.command(args), &args.join(" "));
        assert!(ran.status.is_some(), "{ran}");
    }
    assert!(target.is_dir());
}

#[test]
fn readers_make_no_lock() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    for args in [&["list"][..], &["inject", "code", ""]] {
        flow.call(args).exits(0);
    }
    flow.ours(&["list"]).exits(0);
    flow.ours(&["inject"]).exits(0);
    assert!(!flow.path(LOCK).exists() && !flow.path(LOCK_FOLDER).exists());
    assert_eq!(flow.records(LESSONS).len(), 1);
}

/// Another process is writing just now: a read is served from the files as they are.
#[test]
fn a_lock_that_is_held_stops_no_read() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    flow.put(LOCK, "");
    let held = File::options().append(true).open(flow.path(LOCK)).expect("it is there");
    held.lock().expect("it is free");
    for args in [&["archeflow", "inject", "code", ""][..], &["--store", "archeflow:.", "list"]] {
        let ran = ends(flow.memory.command(args), &args.join(" ")).exits(0);
        assert!(ran.stdout.contains("Search query"), "{ran}");
    }
    // An injection that cannot be recorded in time is served all the same.
    let audited = ["archeflow", "inject", "code", "", "--audit", "r1"];
    let ran = ends(flow.memory.command(&audited), "inject --audit").exits(0);
    assert!(ran.stdout.contains(W), "{ran}");
    assert!(!ran.stderr.is_empty(), "it is not reported that it was not recorded\n{ran}");
    drop(held);
}
