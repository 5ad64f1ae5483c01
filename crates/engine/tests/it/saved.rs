//! What sessions show of their end, and what the lines that were shown to them saved.

use hardwon_core::ended::{CheckResult, CutBy};
use hardwon_engine::answer::Saving;
use hardwon_engine::run::Outcome;
use hardwon_engine::{OpenMemory, runs};
use serde_json::{Value, json};

use crate::harness::{Pipeline, line, run_id};

/// A turn of a session that Claude Code keeps.
fn turn(by: &str, content: Value, also: Value) -> String {
    line(
        json!({"type": by, "sessionId": "SESSION", "message": {"role": by, "content": content}}),
        also,
    )
}

/// A command, what it printed, and whether it failed.
fn ran(n: usize, command: &str, output: &str, is_error: bool) -> String {
    let id = format!("t{n}");
    let call =
        json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error,
        "content": output}]);
    turn("assistant", call, json!({})) + &turn("user", result, json!({}))
}

const MISSING: &str = "Exit code 1\nnpm error Missing script: \"test\"";
const PASSED: &str = "Tests: 12 passed, 12 total";

/// Three calls lie between the failure and what works.
fn mistaken() -> String {
    ran(1, "npm test", MISSING, true)
        + &ran(2, "ls", "package.json", false)
        + &ran(3, "cat package.json", "{}", false)
        + &ran(4, "pnpm test", PASSED, false)
}

fn right() -> String {
    ran(1, "pnpm test", PASSED, false)
}

fn other() -> String {
    ran(1, "git status", "clean", false)
}

impl Pipeline {
    fn keep(&mut self, id: &str, turns: &str) {
        self.later(1);
        let dated = format!("\"{id}\",\"timestamp\":\"{}\"", self.call.now);
        let kept = turns.replace("\"SESSION\"", &dated);
        let OpenMemory { memory, call } = &mut **self;
        runs::learn_conversation(memory, call, "kept", &kept).unwrap();
    }

    /// The same after the line was shown.
    fn show_and_keep(&mut self, id: &str, turns: &str) {
        let block = self.inject(&format!("claude-{id}")).block;
        assert!(block.contains("npm test"), "{block}");
        self.keep(id, turns);
    }

    fn savings(&mut self) -> Vec<Saving> {
        self.report().unwrap().body.saved.lessons
    }
}

/// It failed in three of four sessions before it was shown; two of them made it known.
fn known() -> Pipeline {
    let mut p = Pipeline::on_memory();
    for (id, turns) in [("a", mistaken()), ("b", mistaken()), ("c", mistaken()), ("d", other())] {
        p.keep(id, &turns);
    }
    p
}

#[test]
fn a_report_says_what_was_saved_and_how_that_is_counted() {
    let mut p = known();
    assert!(p.savings().is_empty(), "it was shown to nobody");
    for id in ["e", "f", "g"] {
        p.show_and_keep(id, &right());
    }
    p.show_and_keep("h", &mistaken());
    let savings = p.savings();
    let [saving] = savings.as_slice() else { panic!("{savings:?}") };
    assert_eq!((saving.n_shown, saving.n_failed), (4, 1));
    assert_eq!((saving.n_before, saving.n_failed_before), (4, 3));
    assert_eq!((saving.n_without, saving.n_failed_without), (2, 1));
    assert_eq!(saving.difference.unwrap().0, 1.0, "two were to be expected");
    assert_eq!(saving.calls_each.unwrap().0, 3.0);
    assert_eq!((saving.failures, saving.calls), (None, None), "chance does that, too");
    assert_eq!(p.report().unwrap().body.saved.failures, None);
}

#[test]
fn what_was_not_saved_is_not_hidden() {
    let mut p = known();
    for id in ["e", "f"] {
        p.show_and_keep(id, &mistaken());
    }
    let savings = p.savings();
    assert_eq!(savings[0].difference.unwrap().0, -1.0, "one was to be expected, two happened");
}

#[test]
fn a_session_tells_how_it_ended() {
    let stop =
        turn("user", json!([{"type": "text", "text": "[Request interrupted by user]"}]), json!({}));
    let error = turn(
        "assistant",
        json!([{"type": "text", "text": "API Error: 529"}]),
        json!({"isApiErrorMessage": true}),
    );
    let red = || ran(1, "cargo test", "test result: FAILED. 1 failed", true);
    let green = || ran(2, "cargo test", "test result: ok. 9 passed", false);
    let (ok, failed) = (Some(Outcome::Success), Some(Outcome::Failed));
    let table = [
        (other(), None, None, None),
        (red() + &green(), ok, None, Some(CheckResult::Green)),
        (green() + &red(), failed, None, Some(CheckResult::Red)),
        (red() + &ran(3, "cargo build", "Finished", false), failed, None, Some(CheckResult::Red)),
        (green() + &stop, Some(Outcome::Aborted), Some(CutBy::User), Some(CheckResult::Green)),
        (other() + &error, failed, Some(CutBy::Host), None),
    ];
    for (n, (turns, outcome, cut_by, check)) in table.into_iter().enumerate() {
        for mut p in Pipeline::on_both() {
            p.keep("s", &turns);
            let run = p.runs_show(&run_id("claude-s")).unwrap().body.run;
            assert_eq!(run.outcome.map(|it| it.0), outcome, "{n}");
            let ended = run.ended;
            assert_eq!(ended.as_ref().and_then(|it| it.cut_by).map(|it| it.0), cut_by, "{n}");
            assert_eq!(ended.and_then(|it| it.check).map(|it| it.0), check, "{n}");
            p.assert_sound();
        }
    }
}

/// A session that is read while it grows.
#[test]
fn a_session_that_goes_on_has_not_ended_as_it_seemed() {
    let stop =
        turn("user", json!([{"type": "text", "text": "[Request interrupted by user]"}]), json!({}));
    let mut p = Pipeline::on_memory();
    p.keep("s", &(other() + &stop));
    let outcome = |p: &mut Pipeline| {
        p.runs_show(&run_id("claude-s")).unwrap().body.run.outcome.map(|it| it.0)
    };
    assert_eq!(outcome(&mut p), Some(Outcome::Aborted));
    p.keep("s", &(other() + &stop + &ran(2, "git log", "x", false)));
    assert_eq!(outcome(&mut p), None, "nothing was checked");
    p.outcome("claude-s", Outcome::Success, false).unwrap();
    p.keep("s", &(other() + &ran(2, "git log", "x", false) + &ran(3, "ls", "x", false)));
    assert_eq!(outcome(&mut p), Some(Outcome::Success), "somebody said so");
}
