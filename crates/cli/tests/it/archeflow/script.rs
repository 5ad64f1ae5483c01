//! `contrib/archeflow-memory.sh`, the drop-in for ArcheFlow's own script.

use std::process::Command;

use super::{Flow, LESSONS, W, finding, lesson, prints, reports};
use crate::harness::Ran;
use crate::readme::root;

fn script(flow: &Flow, program: &str, args: &[&str]) -> Ran {
    let path = root().join("contrib/archeflow-memory.sh");
    let mut command = Command::new("bash");
    command.arg(path).args(args);
    flow.memory.prepare(&mut command);
    command.env("HARDWON_BIN", program);
    Ran::of(args, command.output().expect("bash is there"))
}

const BINARY: &str = env!("CARGO_BIN_EXE_hardwon");

#[test]
fn the_commands_work_through_it() {
    let flow = Flow::new();
    let ran = script(&flow, BINARY, &["add", "preference", "Tabs, not spaces"]).exits(0);
    reports(&ran, &["Added lesson m-001 (preference): Tabs, not spaces"]);
    assert_eq!(flow.record("m-001")["description"], "Tabs, not spaces");
    let ran = script(&flow, BINARY, &["list"]).exits(0);
    assert!(ran.stdout.contains("m-001    1     preference      general  Tabs"), "{ran}");
    let ran = script(&flow, BINARY, &["inject", "code", "guardian"]).exits(0);
    let block = "## Known Issues (from past runs)\n- Tabs, not spaces [seen 1x, user_feedback]\n";
    prints(&ran, block, "");
    let log = flow.log("r1", &[finding("bug", W)]);
    script(&flow, BINARY, &["extract", &log]).exits(0);
    script(&flow, BINARY, &["decay"]).exits(0);
    script(&flow, BINARY, &["forget", "m-001"]).exits(0);
    assert_eq!(flow.records(LESSONS).len(), 1);
    // The empty archetype that ArcheFlow's run skill passes.
    script(&flow, BINARY, &["inject", "code", "", "--audit", "r2"]).exits(0);
    script(&flow, BINARY, &["forget", "m-009"]).exits(1);
}

#[test]
fn usage_lines_name_it() {
    let flow = Flow::new();
    for args in [&[][..], &["add"], &["extract"], &["forget"], &["audit-check"]] {
        let ran = script(&flow, BINARY, args).exits(1);
        let line = ran.stderr.lines().next().unwrap_or_default();
        assert!(line.starts_with("Usage: ") && line.contains("archeflow-memory.sh "), "{ran}");
    }
}

/// A call that still asks for the removed mode gets one clear message, by the script, too.
#[test]
fn the_removed_mode_is_reported_in_one_line() {
    let flow = Flow::of(&[lesson("m-001", W)]);
    let before = flow.everything();
    for args in [&["--as-shipped", "list"][..], &["--dir", ".", "--as-shipped", "decay"]] {
        says_it_is_gone(&flow.call(args));
    }
    for (value, is_asked) in [("1", true), ("0", false)] {
        let memory = crate::harness::Memory::new().with("HARDWON_ARCHEFLOW_AS_SHIPPED", value);
        let flow = Flow { memory };
        let ran = script(&flow, BINARY, &["list"]);
        if is_asked { says_it_is_gone(&ran) } else { drop(ran.exits(0)) }
    }
    assert_eq!(flow.everything(), before);
}

#[track_caller]
fn says_it_is_gone(ran: &Ran) {
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{ran}");
    assert!(ran.stderr.contains("HARDWON_ARCHEFLOW_AS_SHIPPED are gone"), "{ran}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
}

/// Without the program a run starts without memory; everything else says what is missing.
#[test]
fn without_the_program_injection_is_silent_on_stdout() {
    let flow = Flow::new();
    let ran = script(&flow, "/nowhere/hardwon", &["inject", "code", ""]).exits(0);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("/nowhere/hardwon"), "{ran}");
    let ran = script(&flow, "/nowhere/hardwon", &["list"]).exits(1);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("HARDWON_BIN"), "{ran}");
}
