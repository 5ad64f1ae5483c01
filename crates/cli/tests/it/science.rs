//! What is played through is not written down: `backtest` leaves no trace, nor does `replay`,
//! which is the same for another policy.

use crate::harness::{Memory, files_below, warning};

/// So many runs, a day each; every other one meets the same mistake.
fn past(n_runs: usize) -> String {
    let run = |n: usize| {
        let (month, day) = (n / 28 + 1, n % 28 + 1);
        let at = format!("2025-{month:02}-{day:02}T10:00:00Z");
        let run = format!(
            "{{\"type\":\"run\",\"id\":\"r{n}\",\"task\":\"user search\",\"started\":\"{at}\",\
             \"finished\":\"{at}\",\"paths\":[\"src/search.rs\"],\"detectors\":[\"guardian\"]}}\n"
        );
        if n.is_multiple_of(2) {
            run + &warning("Query built by string concatenation")
        } else {
            run
        }
    };
    (0..n_runs).map(run).collect()
}

#[test]
fn a_backtest_says_what_was_forewarned_and_leaves_no_trace() {
    let memory = Memory::new();
    memory.write("past.jsonl", past(40));
    let before = files_below(memory.work().parent().expect("it has one"));
    let ran = memory.run(&["backtest", "past.jsonl"]).exits(0);
    let headline = "of 14 findings in your last 28 runs 100 % were forewarned (100 to 100 %)";
    assert!(ran.stdout.starts_with(headline), "{ran:?}");
    assert!(files_below(memory.work().parent().expect("it has one")) == before);
    let answer = memory.json(&["backtest", "past.jsonl"]);
    assert_eq!((&answer["runs"], &answer["scored"]), (&40.into(), &28.into()));
    assert_eq!(answer["forewarned"][0]["by"], "hardwon");
    assert_eq!(answer, memory.json(&["backtest", "past.jsonl"]));
}

#[test]
fn too_little_to_play_is_said() {
    let memory = Memory::new();
    memory.write("past.jsonl", past(4));
    let few = memory.run(&["backtest", "past.jsonl"]).exits(2);
    assert!(few.stderr.contains("4 runs are too few to play: at least 10"), "{few:?}");
    let none = memory.run(&["backtest", "--history"]).exits(2);
    assert!(none.stderr.contains("0 runs are too few to play"), "{none:?}");
    memory.run(&["backtest", "missing.jsonl"]).exits(2);
    memory.run(&["backtest", "--history", "past.jsonl"]).exits(2);
}
