//! A folder that came with a checkout: links, pipes and folders where files belong. What
//! is refused is refused without touching what the link points to, and without waiting.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{ARCHIVE, AUDIT, Flow, JOURNAL, LESSONS, OTHER, W, ends, finding, lesson, lines};
use crate::harness::{NOW, each};

const LOCK: &str = "memory/lessons.jsonl.lock";
const LOG: &str = "events/r1.jsonl";

/// Every path component, and the commands that must refuse it: with which front.
const THEIRS: &[&str] = &["archeflow"];
const OURS: &[&str] = &["--store", "archeflow:."];

/// A command that writes to the place, in each way in which it can be called.
fn writers(name: &str) -> Vec<Vec<&'static str>> {
    let theirs = |args: &[&'static str]| [THEIRS, args].concat();
    let ours = |args: &[&'static str]| [OURS, args].concat();
    match name {
        "" | "memory" | LESSONS | LOCK => vec![
            theirs(&["add", "preference", "Tabs, not spaces"]),
            theirs(&["forget", "m-001"]),
            ours(&["add", "Tabs, not spaces in the sources"]),
            ours(&["forget", "m-001"]),
        ],
        ARCHIVE => vec![theirs(&["forget", "m-001"]), ours(&["forget", "m-001"])],
        AUDIT => vec![theirs(&["audit-check", "r1"])],
        JOURNAL => {
            vec![theirs(&["add", "preference", "Tabs, not spaces"]), ours(&["pin", "m-001"])]
        }
        "events" | LOG => vec![
            theirs(&["audit-check", "r1"]),
            theirs(&["extract", ".archeflow/events/r1.jsonl"]),
            theirs(&["regression-check", ".archeflow/events/r1.jsonl"]),
            theirs(&["event", "r1", "note", "do", ""]),
        ],
        other => panic!("no writer for {other}"),
    }
}

const PLACES: [&str; 9] = ["", "memory", LESSONS, ARCHIVE, AUDIT, JOURNAL, LOCK, "events", LOG];

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
fn linked(flow: &Flow, name: &str) -> std::path::PathBuf {
    let place = flow.memory.work().join(".archeflow").join(name);
    let place = if name.is_empty() { flow.memory.work().join(".archeflow") } else { place };
    let target = flow.memory.work().join("elsewhere");
    match fs::symlink_metadata(&place).is_ok() {
        true => fs::rename(&place, &target).expect("it can be moved"),
        false => fs::write(&target, "").expect("it can be written"),
    }
    symlink(&target, &place).expect("links can be made");
    target
}

#[test]
fn a_link_is_refused_and_its_target_untouched() {
    each(&PLACES, |name| {
        for args in writers(name) {
            let flow = full();
            linked(&flow, name);
            let before = flow.everything();
            let ran = ends(flow.memory.command(&args), &args.join(" "));
            assert_ne!(ran.status, Some(0), "{name}\n{ran}");
            assert!(ran.stderr.to_lowercase().contains("symlink"), "{name}\n{ran}");
            for (path, bytes) in &before {
                let now = flow.everything();
                assert_eq!(now.get(path), Some(bytes), "{name}: {}\n{ran}", path.display());
            }
            assert!(
                flow.everything().keys().all(|path| before.contains_key(path) || is_lock(path))
            );
        }
    });
}

/// Not even a link that leads nowhere: nothing is made at its end.
#[test]
fn a_link_to_nowhere_is_refused() {
    each(&PLACES, |name| {
        for args in writers(name) {
            let flow = full();
            let target = linked(&flow, name);
            match target.is_dir() {
                true => fs::remove_dir_all(&target).expect("it can be removed"),
                false => fs::remove_file(&target).expect("it can be removed"),
            }
            let ran = ends(flow.memory.command(&args), &args.join(" "));
            assert_ne!(ran.status, Some(0), "{name}\n{ran}");
            assert!(fs::symlink_metadata(&target).is_err(), "{name}: made\n{ran}");
        }
    });
}

/// A read says why it has nothing; an injection never stops a run.
#[test]
fn a_link_is_not_read_through() {
    for name in ["", "memory", LESSONS] {
        let flow = full();
        linked(&flow, name);
        let list = flow.call(&["list"]).exits(1);
        assert!(!list.stdout.contains(W), "{name}\n{list}");
        let inject = flow.call(&["inject", "code", ""]);
        assert!(!inject.stdout.contains(W), "{name}\n{inject}");
        let flow = full();
        linked(&flow, name);
        let list = flow.ours(&["list"]);
        assert!(list.status != Some(0) && !list.stdout.contains(W), "{name}\n{list}");
        let inject = flow.ours(&["inject"]).exits(0);
        assert!(inject.stdout.is_empty() && inject.stderr.contains("symlink"), "{name}\n{inject}");
    }
}

const FILES: [&str; 6] = [LESSONS, ARCHIVE, AUDIT, JOURNAL, LOCK, LOG];

/// Calls that meet the file in one way or another.
const CALLS: &[&[&str]] = &[
    &["archeflow", "list"],
    &["archeflow", "inject", "code", ""],
    &["archeflow", "inject", "code", "", "--audit", "r1"],
    &["archeflow", "add", "preference", "Tabs, not spaces"],
    &["archeflow", "forget", "m-001"],
    &["archeflow", "decay"],
    &["archeflow", "extract", ".archeflow/events/r1.jsonl"],
    &["archeflow", "audit-check", "r1"],
    &["archeflow", "regression-check", ".archeflow/events/r1.jsonl"],
    &["archeflow", "event", "r1", "note", "do", ""],
    &["--store", "archeflow:.", "list"],
    &["--store", "archeflow:.", "inject", "--run", "r1"],
    &["--store", "archeflow:.", "add", "Tabs, not spaces in the sources"],
    &["--store", "archeflow:.", "learn", ".archeflow/events"],
];

/// What is no plain file is left alone by every command, and keeps no command waiting.
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
fn a_pipe_keeps_nobody_waiting() {
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
            let place = flow.memory.work().join(Path::new(".archeflow").join(name));
            let place = place.components().collect::<std::path::PathBuf>();
            fs::create_dir_all(place.parent().expect("there is one")).expect("folders can be made");
            fs::write(&place, "kept").expect("files can be written");
            let ran = ends(flow.memory.command(args), &args.join(" "));
            let is_write = args.contains(&"add");
            assert!(!is_write || ran.status != Some(0), "{name}\n{ran}");
            assert_eq!(fs::read(&place).expect("it is there"), b"kept", "{name}\n{ran}");
        }
    }
}

/// A link in the path to the folder is the caller's own business.
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
