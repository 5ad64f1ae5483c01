//! `mark`, and hold-out as it is switched from outside.

use crate::harness::{Memory, W, list_of, run_line, text_of};

/// A memory whose lesson `W` was shown and judged in these runs.
fn shown_in(memory: Memory, runs: &[&str]) -> Memory {
    memory.learn_w(2);
    for run in runs {
        memory.json(&["inject", "--run", run]);
        memory.learn(&run_line(run));
    }
    memory
}

fn mark(effect: &str, run: &str) -> Vec<String> {
    ["mark", "LESSON", effect, "--run", run, "--because", "led astray"].map(str::to_owned).to_vec()
}

fn on(memory: &Memory, args: Vec<String>) -> Vec<String> {
    let lesson = text_of(&memory.only_lesson(), "id");
    args.into_iter().map(|word| word.replace("LESSON", &lesson)).collect()
}

#[test]
fn hurt_twice_is_out_of_every_block() {
    let memory = shown_in(Memory::new(), &["r3", "r4"]);
    memory.run(&on(&memory, mark("hurt", "r3"))).exits(0);
    assert_eq!(text_of(&memory.only_lesson(), "state"), "provisional");
    memory.run(&on(&memory, mark("hurt", "r4"))).exits(0);
    assert_eq!(text_of(&memory.only_lesson(), "state"), "under_review");
    assert_eq!(memory.run(&["inject", "--run", "r5"]).exits(0).stdout, "");
}

#[test]
fn what_cannot_be_marked_is_said_and_changes_nothing() {
    let memory = shown_in(Memory::new(), &["r3"]);
    let before = memory.json(&["history"]);
    let cases = [
        (mark("hurt", "r2"), "it was not shown in r2"),
        (mark("hurt", "r77"), "no run is called r77"),
        (mark("ruined", "r3"), "not one of helped, no_help, hurt"),
    ];
    for (args, expected) in cases {
        let ran = memory.run(&on(&memory, args)).exits(2);
        assert!(ran.stderr.contains(expected), "{ran}");
    }
    let unknown = ["mark", "l-none", "hurt", "--run", "r3", "--because", "x"];
    assert!(memory.run(&unknown).exits(2).stderr.contains("no lesson is called"));
    assert_eq!(memory.json(&["history"]), before);
}

/// How many of these runs have the lesson held out.
fn n_held_out(memory: &Memory) -> usize {
    let runs = (6..46).map(|n| format!("r{n}"));
    runs.map(|run| list_of(&memory.json(&["inject", "--run", &run]), "held_out").len()).sum()
}

#[test]
fn hold_out_can_be_switched_off() {
    let thrice = ["r3", "r4", "r5"];
    assert!(n_held_out(&shown_in(Memory::new(), &thrice)) > 0);
    assert!(n_held_out(&shown_in(Memory::new().with("HARDWON_HOLDOUT", "1"), &thrice)) > 0);
    assert_eq!(n_held_out(&shown_in(Memory::new().with("HARDWON_HOLDOUT", "0"), &thrice)), 0);
    let set = shown_in(Memory::new(), &thrice);
    set.run(&["config", "set", "holdout", "off"]).exits(0);
    assert_eq!(n_held_out(&set), 0);
}

#[test]
fn explain_tells_what_was_held_out() {
    let memory = shown_in(Memory::new(), &["r3", "r4", "r5"]);
    let explained = |n: u32| memory.run(&["inject", "--run", &format!("r{n}"), "--explain"]);
    let told = (6..46).map(explained).find(|ran| ran.stdout.is_empty()).unwrap();
    assert!(told.stderr.contains("1 of them held out by chance"), "{told}");
    assert!(told.stderr.contains("held out by chance to measure its worth"), "{told}");
    assert!(!told.stdout.contains(W));
}
