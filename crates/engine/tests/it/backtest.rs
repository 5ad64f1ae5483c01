//! A history that is played: what was forewarned, and that nothing is written.

use hardwon_engine::answer::Backtested;
use hardwon_engine::backtest::{History, How, backtest};
use hardwon_engine::{EngineError, Input, LearnRequest, OpenMemory, runs};
use serde_json::json;

use crate::harness::{LEAK, NOW, W};

const HOW: How = How { is_recorded: true, holds_out: false, seed: 1 };

/// A run of the n-th day, in which this detector looked.
fn run(n: usize, detector: &str) -> String {
    let day = format!("2026-{:02}-{:02}T10:00:00Z", n / 28 + 1, n % 28 + 1);
    let run = json!({
        "type": "run", "id": format!("r{n}"), "task": "Search users by name", "started": day,
        "finished": day, "paths": ["src/search.rs"], "detectors": [detector],
    });
    format!("{run}\n")
}

fn said(text: &str) -> String {
    let finding = json!({
        "type": "finding", "author": "guardian", "severity": "warning", "text": text,
        "path": "src/search.rs",
    });
    format!("{finding}\n")
}

/// Forty runs, a day each: the same mistake in every other one, and once something new.
fn record() -> String {
    let told = |n: usize| match n {
        39 => said(LEAK),
        _ if n.is_multiple_of(2) => said(W),
        _ => String::new(),
    };
    (1..=40).map(|n| run(n, "guardian") + &told(n)).collect()
}

fn request() -> LearnRequest {
    LearnRequest::of(Input::text("record", &record()))
}

fn play(open: &OpenMemory, history: History) -> Backtested {
    backtest(&open.memory, &open.call, history, HOW, None, &mut |_, _| {}).unwrap().body
}

fn empty() -> OpenMemory {
    OpenMemory::throwaway("demo", NOW).unwrap()
}

#[test]
fn what_recurs_is_forewarned_and_what_is_new_is_not() {
    let played = play(&empty(), History::Records(request()));
    assert_eq!((played.n_runs, played.n_scored, played.n_findings), (40, 28, 15));
    assert_eq!((played.known.n, played.ours().n), (14, 14));
    assert!(played.tokens_per_run.0 > 0.0 && played.useful.n == 14);
    assert!(played.forewarned.iter().all(|by| by.share.n <= played.known.n), "{played:?}");
}

/// Under ArcheFlow's rules every run counts against a lesson, ours only those in which somebody
/// looked who could have seen it: after twenty runs of others one is left.
#[test]
fn another_policy_shows_and_keeps_other_lessons() {
    let of_guardian = (1..=2).map(|n| run(n, "guardian") + &said(W));
    let record: String = of_guardian.chain((3..=30).map(|n| run(n, "sage"))).collect();
    let open = empty();
    let history = || History::Records(LearnRequest::of(Input::text("record", &record)));
    let play = |other| backtest(&open.memory, &open.call, history(), HOW, other, &mut |_, _| {});
    let compared = play(Some("archeflow")).unwrap().body.compared.unwrap();
    assert_eq!((compared.own.n_promoted, compared.own.n_decayed), (1, 0));
    assert_eq!((compared.other.n_promoted, compared.other.n_decayed), (1, 1));
    assert!(compared.own.n_shown > compared.other.n_shown, "{compared:?}");
    assert_eq!(compared.only_other, [""; 0]);
    let same = play(Some("hardwon")).unwrap().body.compared.unwrap();
    assert_eq!(same.own, same.other);
    assert!(play(None).unwrap().body.compared.is_none());
    assert!(matches!(play(Some("nope")), Err(EngineError::UnknownPolicy { .. })));
}

#[test]
fn playing_writes_nothing_and_says_the_same_twice() {
    let open = empty();
    let first = play(&open, History::Records(request()));
    assert_eq!(open.memory.store.status(&open.call.project).unwrap().run_number, 0);
    let second = play(&open, History::Records(request()));
    assert_eq!(first.played, second.played);
}

#[test]
fn a_memory_plays_what_it_has_learned() {
    let mut open = empty();
    runs::learn(&mut open.memory, &open.call, request()).unwrap();
    let before = open.memory.store.status(&open.call.project).unwrap().revision;
    let own = play(&open, History::Own);
    let records = play(&empty(), History::Records(request()));
    assert_eq!(own.played, records.played);
    assert_eq!(open.memory.store.status(&open.call.project).unwrap().revision, before);
}

#[test]
fn a_history_that_is_undone_is_not_played() {
    let mut open = empty();
    let learned = runs::learn(&mut open.memory, &open.call, request()).unwrap().body;
    let operation = hardwon_engine::ids::OperationId(learned.operation.unwrap());
    hardwon_engine::history::undo(&mut open.memory, &open.call, Some(operation)).unwrap();
    assert_eq!(play(&open, History::Own).n_runs, 0);
}
