//! What the machine can do to a store: a full disk, damaged pages, a writer that was frozen in the
//! middle of its work. Nothing acknowledged is lost, and `inject` always answers.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Memory, Ran, W, run_line, start_piped, text_of, warning};

/// Largest file that the shell allows, in blocks of 512 bytes: room for the shared memory
/// of the log, not for the log of a write.
const FULL: u32 = 66;

/// Runs the program where no file may become larger.
fn run_on_full_disk(memory: &Memory, args: &[&str], signal: &str) -> std::process::Output {
    let mut command = Command::new("sh");
    let script = format!("trap {signal} XFSZ; ulimit -f {FULL}; exec \"$@\"");
    let program = env!("CARGO_BIN_EXE_hardwon");
    command.args(["-c", &script, "sh", program, "--as-user"]).args(args);
    memory.prepare(&mut command);
    command.output().expect("there is a shell")
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_costs_only_what_was_refused() {
    let memory = Memory::new();
    memory.learn_w(2);
    let before = memory.lessons();
    let add = ["add", "Prefer small commits with a reason each", "--json"];
    let refused = Ran::of(&add, run_on_full_disk(&memory, &add, "''")).exits(3);
    assert!(refused.reasons().contains("memory.db"), "no place\n{refused}");
    assert!(refused.stderr.contains("`hardwon doctor` shows more; check the disk"), "{refused}");

    let inject = ["inject", "--run", "r3", "--json"];
    let injected = Ran::of(&inject, run_on_full_disk(&memory, &inject, "''")).exits(0);
    assert!(text_of(&injected.json(), "block").contains(W), "{injected}");
    assert_eq!(injected.json()["status"], "degraded", "not recorded\n{injected}");

    assert_eq!(memory.lessons(), before, "a refused write left something");
    memory.run(&add).exits(0);
    assert_eq!(memory.lessons().len(), before.len() + 1, "with room again it works");
    assert_eq!(memory.json(&["inject", "--run", "r3"])["status"], "ok");
}

const PAGE: usize = 4096;

/// Whatever page is overwritten: a block is right or it is empty, and never a failure.
#[test]
fn a_damaged_page_is_told_and_never_shown() {
    let memory = Memory::new();
    memory.learn_w(2);
    let whole = fs::read(memory.database()).expect("a closed store is one file");
    assert!(fs::metadata(memory.home().join("memory.db-wal")).is_err(), "it is not closed");
    let right = text_of(&memory.json(&["inject"]), "block");
    let mut n_told = 0;
    for page in 0..whole.len() / PAGE {
        let mut damaged = whole.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        memory.write_home("memory.db", &damaged);
        let answer = memory.json(&["inject"]);
        let block = text_of(&answer, "block");
        assert!(block.is_empty() || block == right, "page {page}: {answer:#}");
        if block.is_empty() && answer["status"] != "empty" {
            n_told += 1;
            assert_eq!(answer["status"], "failed", "page {page}: {answer:#}");
        }
        let listed = memory.run(&["list", "--json"]);
        assert!(matches!(listed.status, Some(0 | 3)), "page {page}\n{listed}");
        assert!(listed.status == Some(0) || listed.stderr.contains("hint: "), "{page}\n{listed}");
    }
    assert!(n_told > 0, "no damage was met");
}
/// Far more than `inject` may take, also on a busy machine; less than a writer waits.
const VERY_LATE: Duration = Duration::from_secs(10);

/// How often a writer is stopped before one is expected to have been met in a write.
const N_FREEZES: usize = 40;

/// A writer is stopped until one is met that holds the store: the block comes all the
/// same, and its injection waits beside the store. Then the writer goes on. What cannot be
/// read is told in time, too.
#[cfg(unix)]
#[test]
fn inject_does_not_wait_for_a_frozen_writer() {
    let memory = Memory::new();
    memory.learn_w(2);
    for n in 0..N_FREEZES {
        memory.write("record.jsonl", many_runs(n));
        let writer = start_piped(memory.command(&["learn", "record.jsonl"]));
        wait_for_log(&memory);
        signal(&writer, "STOP");
        let from = Instant::now();
        let answer = memory.json(&["inject", "--run", &format!("frozen-{n}")]);
        let took = from.elapsed();
        signal(&writer, "CONT");
        let ended = writer.wait_with_output().expect("it goes on");
        assert!(ended.status.success(), "{ended:?}");
        assert!(took < VERY_LATE, "{took:?}");
        if answer["queued"] == true {
            assert!(text_of(&answer, "block").contains(W), "{answer:#}");
            assert_eq!(answer["status"], "ok", "it is not lost\n{answer:#}");
            let again = memory.json(&["inject", "--run", &format!("frozen-{n}")]);
            assert_eq!((&again["repeated"], &again["block"]), (&true.into(), &answer["block"]));
            return;
        }
        // Stopped while it was closing the file, a writer keeps even readers out.
        let is_shut = answer["status"] == "failed" && answer.to_string().contains("is busy");
        assert!(is_shut || text_of(&answer, "block").contains(W), "{answer:#}");
    }
    panic!("no writer was met in the middle of a write");
}

/// Until the writer has begun to write; one that was too quick for us has done so.
fn wait_for_log(memory: &Memory) {
    let log = memory.home().join("memory.db-wal");
    let until = Instant::now() + VERY_LATE;
    while !fs::metadata(&log).is_ok_and(|log| log.len() > 0) && Instant::now() < until {
        std::thread::yield_now();
    }
}

fn signal(child: &Child, name: &str) {
    let script = format!("kill -{name} {}", child.id());
    let mut command = Command::new("sh");
    // One that has ended already cannot be stopped, and need not be.
    let _ = command.args(["-c", &script]).stderr(Stdio::null()).status();
}

fn many_runs(n: usize) -> String {
    (0..60).map(|run| run_line(&format!("many-{n}-{run}")) + &warning(W)).collect()
}
