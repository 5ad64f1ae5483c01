//! A folder that came with a checkout: links, pipes and folders where files belong. What
//! is refused is refused without touching what the link points to, and without waiting.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ARCHIVE, AUDIT, Flow, JOURNAL, LESSONS, OTHER, W, finding, lesson, lines};
use crate::harness::{NOW, each, ends};

const LOCK: &str = "memory/lessons.jsonl.lock";
const LOG: &str = "events/r1.jsonl";

type Calls = &'static [&'static [&'static str]];

const ADD: &[&str] = &["archeflow", "add", "preference", "Tabs, not spaces"];
const FORGET: &[&str] = &["archeflow", "forget", "m-001"];
const ADD_OURS: &[&str] = &["--store", "archeflow:.", "add", "Tabs, not spaces in the sources"];
const FORGET_OURS: &[&str] = &["--store", "archeflow:.", "forget", "m-001"];
const CHECK: &[&str] = &["archeflow", "audit-check", "r1"];
const OF_LOG: Calls = &[
    CHECK,
    &["archeflow", "extract", ".archeflow/events/r1.jsonl"],
    &["archeflow", "regression-check", ".archeflow/events/r1.jsonl"],
    &["archeflow", "event", "r1", "note", "do", ""],
];
const OF_LESSONS: Calls = &[ADD, FORGET, ADD_OURS, FORGET_OURS];

/// Every path component, and commands that write to it.
const PLACES: [(&str, Calls); 9] = [
    ("", OF_LESSONS),
    ("memory", OF_LESSONS),
    (LESSONS, OF_LESSONS),
    (LOCK, OF_LESSONS),
    (ARCHIVE, &[FORGET, FORGET_OURS]),
    (AUDIT, &[CHECK]),
    (JOURNAL, &[ADD, &["--store", "archeflow:.", "pin", "m-001"]]),
    ("events", OF_LOG),
    (LOG, OF_LOG),
];

/// A folder in which everything is there.
fn full() -> Flow {
    let flow = Flow::of(&[lesson("m-001", W), lesson("m-002", OTHER)]);
    flow.put(ARCHIVE, lines(&[lesson("m-003", "Long gone by now")]));
    let injected = format!(
        "{{\"ts\":\"{NOW}\",\"run_id\":\"r1\",\"domain\":\"\",\"archetype\":\"\",\
         \"lessons_injected\":[\"m-001\"],\"lesson_count\":1}}\n"
    );
    flow.put(AUDIT, injected);
    flow.log("r1", &[finding("bug", W)]);
    flow
}

/// Moves what is at a place elsewhere and puts a link in its stead.
fn linked(flow: &Flow, name: &str) -> PathBuf {
    let place: PathBuf = flow.path(name).components().collect();
    let target = flow.memory.work().join("elsewhere");
    let is_there = fs::symlink_metadata(&place).is_ok();
    let moved = if is_there { fs::rename(&place, &target) } else { fs::write(&target, "") };
    moved.expect("it can be moved");
    symlink(&target, &place).expect("links can be made");
    target
}

/// Not even through a link that leads nowhere is anything made.
#[test]
fn a_link_is_refused_and_its_target_untouched() {
    each(&PLACES, |(name, calls)| {
        for (args, leads_somewhere) in calls.iter().flat_map(|args| [(args, true), (args, false)]) {
            let flow = full();
            let target = linked(&flow, name);
            if !leads_somewhere {
                let removed = fs::remove_file(&target).or_else(|_| fs::remove_dir_all(&target));
                removed.expect("it can be removed");
            }
            let before = flow.everything();
            let ran = ends(flow.memory.command(args), &args.join(" "));
            assert_ne!(ran.status, Some(0), "{name}\n{ran}");
            if leads_somewhere {
                assert!(ran.stderr.to_lowercase().contains("symlink"), "{name}\n{ran}");
                let mut now = flow.everything();
                now.retain(|path, _| before.contains_key(path) || !is_lock(path));
                assert_eq!(now, before, "{name}\n{ran}");
            }
            let is_there = fs::symlink_metadata(&target).is_ok();
            assert_eq!(is_there, leads_somewhere, "{name}\n{ran}");
        }
    });
}

/// A read says why it has nothing; an injection never stops a run.
#[test]
fn a_link_is_not_read_through() {
    for name in ["", "memory", LESSONS] {
        let flow = full();
        linked(&flow, name);
        for ran in [flow.call(&["list"]).exits(1), flow.call(&["inject", "code", ""])] {
            assert!(!ran.stdout.contains(W), "{name}\n{ran}");
        }
        let list = flow.ours(&["list"]);
        assert!(list.status != Some(0) && !list.stdout.contains(W), "{name}\n{list}");
        let inject = flow.ours(&["inject"]).exits(0);
        assert!(inject.stdout.is_empty() && inject.stderr.contains("symlink"), "{name}\n{inject}");
    }
}

const FILES: [&str; 6] = [LESSONS, ARCHIVE, AUDIT, JOURNAL, LOCK, LOG];

/// Calls that meet the file in one way or another.
const CALLS: Calls = &[
    ADD,
    FORGET,
    CHECK,
    ADD_OURS,
    OF_LOG[1],
    OF_LOG[2],
    OF_LOG[3],
    &["archeflow", "list"],
    &["archeflow", "inject", "code", ""],
    &["archeflow", "inject", "code", "", "--audit", "r1"],
    &["archeflow", "decay"],
    &["--store", "archeflow:.", "list"],
    &["--store", "archeflow:.", "inject", "--run", "r1"],
    &["--store", "archeflow:.", "learn", ".archeflow/events"],
];

/// What is not a plain file is left alone by every command, and keeps no command waiting.
fn check_no_file(make: impl Fn(&Path)) {
    each(&FILES, |name| {
        for args in CALLS {
            let flow = full();
            let place = flow.path(name);
            let _ = fs::remove_file(&place);
            make(&place);
            let kind = place.symlink_metadata().expect("it is there").file_type();
            let mut before = flow.everything();
            before.remove(&place);
            let ran = ends(flow.memory.command(args), &args.join(" "));
            assert!(ran.status.is_some(), "{name}\n{ran}");
            let now = place.symlink_metadata().expect("still there").file_type();
            assert_eq!(now, kind, "{name} was replaced\n{ran}");
            // Who needs it says so; others may go on.
            let says = ran.status != Some(0) || !ran.stderr.is_empty();
            let needs = *name == LESSONS && !args.contains(&"event");
            assert!(says || !needs, "{name}\n{ran}");
        }
    });
}

#[test]
fn a_pipe_does_not_make_a_command_wait() {
    check_no_file(|place| {
        let made = Command::new("mkfifo").arg(place).status().expect("mkfifo is there");
        assert!(made.success());
    });
}

#[test]
fn a_folder_where_a_file_belongs_is_left_alone() {
    check_no_file(|place| {
        fs::create_dir(place).expect("folders can be made");
        fs::write(place.join("inside"), "kept").expect("files can be written");
    });
}

#[test]
fn a_file_where_a_folder_belongs_is_left_alone() {
    for name in ["", "memory", "events"] {
        for args in CALLS {
            let flow = Flow::new();
            let place: PathBuf = flow.path(name).components().collect();
            fs::create_dir_all(place.parent().expect("there is one")).expect("folders can be made");
            fs::write(&place, "kept").expect("files can be written");
            let ran = ends(flow.memory.command(args), &args.join(" "));
            let is_write = args.contains(&"add");
            assert!(!is_write || ran.status != Some(0), "{name}\n{ran}");
            assert_eq!(fs::read(&place).expect("it is there"), b"kept", "{name}\n{ran}");
        }
    }
}

/// A link in the path to the folder is the caller's own.
#[test]
fn the_callers_own_links_are_followed() {
    let flow = full();
    let link = flow.memory.work().join("by-link");
    let there = flow.memory.work().join("there");
    fs::create_dir(&there).expect("folders can be made");
    fs::rename(flow.memory.work().join(".archeflow"), there.join(".archeflow")).expect("moved");
    symlink(&there, &link).expect("links can be made");
    let ran = flow.call(&["--dir", "by-link", "list"]).exits(0);
    assert!(ran.stdout.contains(W), "{ran}");
    let ran = flow.memory.run(&["--store", "archeflow:by-link", "list"]).exits(0);
    assert!(ran.stdout.contains(&W[..10]), "{ran}");
    let log = there.join(".archeflow").join(LOG);
    symlink(log, flow.memory.work().join("log.jsonl")).expect("links can be made");
    flow.call(&["extract", "log.jsonl"]).exits(0);
}

fn is_lock(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "lock")
}
