//! What sessions show of their end.

use hardwon_core::ended::{CheckResult, CutBy};
use hardwon_engine::run::Outcome;
use serde_json::json;

use crate::harness::{Pipeline, run_id, turn};

/// A command, what it printed, and whether it failed.
pub fn ran(n: usize, command: &str, output: &str, is_error: bool) -> String {
    let id = format!("t{n}");
    let call =
        json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error,
        "content": output}]);
    turn("assistant", call, json!({})) + &turn("user", result, json!({}))
}

fn stop() -> String {
    turn("user", json!([{"type": "text", "text": "[Request interrupted by user]"}]), json!({}))
}

fn other() -> String {
    ran(1, "git status", "clean", false)
}

#[test]
fn a_session_tells_how_it_ended() {
    let stop = stop();
    let said = json!([{"type": "text", "text": "API Error: 529"}]);
    let error = turn("assistant", said, json!({"isApiErrorMessage": true}));
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
    let mut p = Pipeline::on_memory();
    p.keep("s", &(other() + &stop()));
    let outcome = |p: &mut Pipeline| {
        p.runs_show(&run_id("claude-s")).unwrap().body.run.outcome.map(|it| it.0)
    };
    assert_eq!(outcome(&mut p), Some(Outcome::Aborted));
    p.keep("s", &(other() + &stop() + &ran(2, "git log", "x", false)));
    assert_eq!(outcome(&mut p), None, "nothing was checked");
    p.outcome("claude-s", Outcome::Success, false).unwrap();
    p.keep("s", &(other() + &ran(2, "git log", "x", false) + &ran(3, "ls", "x", false)));
    assert_eq!(outcome(&mut p), Some(Outcome::Success), "somebody said so");
}
