//! Several processes at once on one memory: nothing lost, nothing twice, nobody turned
//! away. All of them are started before any of them gets its input, and they begin on a
//! store that does not exist yet, so that they also meet while it is being made.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Memory, Ran, W, found, list_of, text_of, warning};

/// How often each meeting is arranged.
const N_ROUNDS: usize = 3;

/// Different enough that no two of them are the same lesson.
const TEXTS: [&str; 4] = [
    "Prefer small commits with one reason each",
    "Error messages name the file and the next step",
    "Database migrations run inside a single transaction",
    "Every retry loop needs an upper bound",
];

#[test]
fn two_processes_learning_the_same_run_count_it_once() {
    for round in 0..N_ROUNDS {
        let memory = Memory::new();
        let record = found("r1", W) + &warning(TEXTS[3]);
        let learn: &[&str] = &["learn", "-", "--json"];
        let ran = at_once(&memory, &[(learn, &record), (learn, &record)]);
        let is_known = |ran: &Ran| ran.json()["runs"][0]["already_known"] == true;
        let n_known = ran.iter().filter(|ran| is_known(ran)).count();
        assert_eq!(n_known, 1, "round {round}: {ran:#?}");
        let lessons = memory.lessons();
        assert_eq!(lessons.len(), 2, "round {round}: {lessons:#?}");
        assert!(lessons.iter().all(|lesson| lesson["sightings"] == 1), "{lessons:#?}");
        assert_eq!(n_runs(&memory), 1, "round {round}");
    }
}

/// One of them adds it; the others say that it is there, and which one it is.
#[test]
fn eight_processes_adding_the_same_text_make_one_lesson() {
    let memory = Memory::new();
    let calls = [(&["add", "-", "--json"][..], TEXTS[0]); 8];
    let ran = memory.run_at_once(&calls);
    let id = text_of(&memory.only_lesson(), "id");
    let n_added = ran.iter().filter(|ran| ran.status == Some(0)).count();
    assert_eq!(n_added, 1, "{ran:#?}");
    let refused = ran.iter().filter(|ran| ran.status != Some(0));
    for ran in refused {
        assert!(ran.status == Some(2) && ran.reasons().contains(&id), "{ran}");
    }
}

#[test]
fn adding_learning_and_injecting_at_once_all_succeed() {
    for round in 0..N_ROUNDS {
        let memory = Memory::new();
        memory.learn_w(2);
        let record = |n: usize| found(&format!("r{n}"), W);
        let (third, fourth) = (record(3), record(4));
        let ran = at_once(
            &memory,
            &[
                (&["add", "-", "--json"], TEXTS[0]),
                (&["inject", "--run", "r3", "--json"], ""),
                (&["learn", "-", "--json"], &third),
                (&["add", "-", "--json"], TEXTS[1]),
                (&["inject", "--run", "r4", "--role", "guardian", "--json"], ""),
                (&["learn", "-", "--json"], &fourth),
                (&["add", "-", "--json"], TEXTS[2]),
                (&["inject", "--json"], ""),
            ],
        );
        let injected = ran.iter().filter(|ran| ran.args.starts_with("inject"));
        for ran in injected {
            assert!(text_of(&ran.json(), "block").contains(W), "round {round}\n{ran}");
        }
        let texts = BTreeSet::from([W, TEXTS[0], TEXTS[1], TEXTS[2]].map(str::to_owned));
        assert_eq!(lessons_by(&memory, "text"), texts, "round {round}");
        assert_eq!(n_runs(&memory), 4, "round {round}");
    }
}

/// Two hosts that ask the same for the same run are one injection.
#[test]
fn the_same_injection_at_once_is_recorded_once() {
    let memory = Memory::new();
    memory.learn_w(2);
    let inject: &[&str] = &["inject", "--run", "r3", "--role", "maker", "--json"];
    let ran = at_once(&memory, &[(inject, ""), (inject, ""), (inject, ""), (inject, "")]);
    let blocks: BTreeSet<String> = ran.iter().map(|ran| text_of(&ran.json(), "block")).collect();
    assert_eq!(blocks.len(), 1, "{blocks:?}");
    let id = text_of(&memory.only_lesson(), "id");
    assert_eq!(list_of(&memory.json(&["show", &id]), "injections").len(), 1);
}

/// Runs all calls at once; every one must exit with 0.
#[track_caller]
fn at_once(memory: &Memory, calls: &[(&[&str], &str)]) -> Vec<Ran> {
    memory.run_at_once(calls).into_iter().map(|ran| ran.exits(0)).collect()
}

fn lessons_by(memory: &Memory, field: &str) -> BTreeSet<String> {
    memory.lessons().iter().map(|lesson| text_of(lesson, field)).collect()
}

fn n_runs(memory: &Memory) -> u64 {
    let stats: Value = memory.json(&["stats"]);
    stats["counts"]["runs"].as_u64().expect("runs are counted")
}
