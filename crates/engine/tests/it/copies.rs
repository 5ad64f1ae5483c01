//! Resumed, forked and copied sessions: together they count once, whenever that becomes known.

use hardwon_engine::lesson::{Lesson, State};
use hardwon_engine::need::Need;
use serde_json::json;

use crate::harness::{Pipeline, turn};

/// A command with the ids of its host, what it printed, and whether it failed.
fn ran(id: &str, command: &str, output: &str, is_error: bool) -> String {
    let id = format!("toolu_{id}_0123456789");
    let call =
        json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error,
        "content": output}]);
    turn("assistant", call, json!({"uuid": format!("{id}-call")}))
        + &turn("user", result, json!({"uuid": format!("{id}-result")}))
}

/// A failure with its repair; all of `id` is theirs alone.
fn repaired(id: &str) -> String {
    ran(&format!("{id}1"), "npm test", "npm error Missing script: \"test\"", true)
        + &ran(&format!("{id}2"), "pnpm test", "5 passed", false)
}

fn look(id: &str) -> String {
    ran(id, "git status", "clean", false)
}

fn failure(p: &Pipeline) -> Lesson {
    let mut lessons = p.lessons();
    lessons.retain(|lesson| lesson.text.as_str().contains("npm test"));
    let [lesson] = <[Lesson; 1]>::try_from(lessons).unwrap();
    lesson
}

#[test]
fn one_failure_in_three_files_is_one_failure() {
    for mut p in Pipeline::on_both() {
        p.keep("a", &repaired("x"));
        p.keep("b", &(repaired("x") + &look("b1")));
        p.keep("c", &(repaired("x") + &look("c1")));
        let lesson = failure(&p);
        assert_eq!((lesson.n_sightings, lesson.state), (1, State::Candidate));
        assert_eq!(p.inject_for(None, Need::default()).block, "");
        // Once more, and longer: still one.
        p.keep("b", &(repaired("x") + &look("b1") + &look("b2")));
        assert_eq!(failure(&p).n_sightings, 1);
        // Another conversation is another witness.
        p.keep("d", &repaired("d"));
        let lesson = failure(&p);
        assert_eq!((lesson.n_sightings, lesson.state), (2, State::Provisional));
        p.assert_sound();
    }
}

/// A fork repeats the lines from before it was told anything.
#[test]
fn what_a_fork_repeats_did_not_come_back_in_it() {
    let mut p = Pipeline::on_memory();
    p.keep("a", &repaired("a"));
    p.keep("b", &repaired("b"));
    let id = failure(&p).id;
    p.inject_for(Some("claude-c"), Need::default());
    p.keep("c", &(repaired("a") + &look("c1")));
    let effects = p.show(id.as_str()).unwrap().body.page.lesson.effects;
    assert_eq!(effects.n_no_help, 0, "{effects:?}");
}

#[test]
fn two_that_turn_out_to_be_one_are_counted_once_from_then_on() {
    for mut p in Pipeline::on_both() {
        p.keep("a", &(look("a1") + &repaired("a")));
        p.keep("b", &(look("b1") + &repaired("b")));
        assert_eq!(failure(&p).state, State::Provisional);
        let learned = p.keep("c", &(look("a1") + &look("b1") + &look("c1")));
        assert_eq!(learned.problems, []);
        let lesson = failure(&p);
        assert_eq!((lesson.n_sightings, lesson.state), (1, State::Candidate));
        let told = format!("{:?}", p.history(Some(lesson.id.as_str()), None).unwrap().body);
        assert!(told.contains("are one conversation"), "{told}");
        p.assert_sound();
        p.undo().unwrap();
        p.assert_sound();
    }
}
