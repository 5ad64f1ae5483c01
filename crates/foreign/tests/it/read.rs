//! A model reads the sessions that wait: what it is told, what becomes of its answer, and what waits on.

use std::fs;

use hardwon_engine::answer::{Answer, Reflected};
use hardwon_engine::model::{NoAnswer, Request};
use hardwon_engine::{Environment, OpenMemory};
use hardwon_engine::{runs, waiting};
use hardwon_foreign::ask::read::read_waiting;
use serde_json::{Value, json};

use crate::ask::{Scripted, memory};

const MISSING: &str = "npm error Missing script: \"test\"";

/// A home, a project with a rules file, and a session that waits: [1] failed, [2] worked.
fn waits() -> (tempfile::TempDir, Environment, OpenMemory) {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment { home: Some(home.path().to_owned()), ..Environment::default() };
    fs::write(home.path().join("CLAUDE.md"), "Tests are run before each commit.").unwrap();
    let mut open = memory();
    let line = |by: &str, content: Value| {
        json!({"type": by, "sessionId": "s1", "timestamp": "2026-04-03T14:00:00Z",
               "message": {"role": by, "content": content}})
        .to_string()
            + "\n"
    };
    let ran = |id: &str, command: &str, output: &str, is_error: bool| {
        line(
            "assistant",
            json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]),
        ) + &line(
            "user",
            json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": output}]),
        )
    };
    let kept = ran("a", "npm test", MISSING, true) + &ran("b", "bun test", "9 pass", false);
    let OpenMemory { memory, call } = &mut open;
    let learned = runs::learn_conversation(memory, call, "kept", &kept).unwrap().body;
    waiting::keep(&environment, home.path(), call, &learned.digests).unwrap();
    (home, environment, open)
}

fn answer() -> Value {
    json!({"outcome": "success", "summary": "npm has no test script", "verdicts": [{"lesson": 7}], "lessons": [
        {"kind": "trap", "text": "Run `bun test`, not `npm test`: there is no such script",
         "failed": {"entry": 1, "line": MISSING}, "works": {"entry": 2}, "quotes": [], "importance": 0.8},
        {"kind": "trap", "text": "Be careful with tests", "quotes": [{"entry": 1, "text": "was never said"}]},
        "nothing of the kind"]})
}

fn read(
    environment: &Environment,
    open: &mut OpenMemory,
    model: &Scripted<'_>,
) -> Answer<Reflected> {
    read_waiting(environment, open, None, model).unwrap()
}

#[test]
fn one_question_reads_a_session_and_what_is_borne_out_is_taken() {
    let (_home, environment, mut open) = waits();
    let answers = |_: &Request| Ok(answer());
    let model = Scripted::new(&answers);
    let read = read(&environment, &mut open, &model);
    let told = model.told.borrow().join("\n");
    assert_eq!((model.n_asked.get(), told.matches("<session>").count()), (1, 1));
    for part in
        ["[1] CALL FAILED (by status): Bash", "Known lessons", "CLAUDE.md says:\nTests are run"]
    {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(read.body.created.len(), 1, "{:?}", read.problems);
    assert_eq!(read.body.transitions.len(), 2, "it is shown, and what rules said gives way");
    let reasons: Vec<String> =
        read.problems.iter().map(|it| format!("{}: {}", it.at, it.reason)).collect();
    assert!(
        reasons
            .iter()
            .any(|it| it.starts_with("lessons[1]: not taken: a quotation stands nowhere")),
        "{reasons:?}"
    );
    assert!(reasons.iter().any(|it| it.starts_with("lessons[2]: not taken: ")), "{reasons:?}");
    assert!(reasons.iter().any(|it| it.starts_with("verdicts[0]: not taken: ")), "{reasons:?}");
    assert_eq!(waiting::n_waiting(&environment, &open.call.project), 0);
}

#[test]
fn what_gets_no_answer_goes_on_waiting_with_the_reason() {
    let (_home, environment, mut open) = waits();
    let silent = |_: &Request| Err(NoAnswer::free("it is away"));
    let first = read(&environment, &mut open, &Scripted::new(&silent));
    assert_eq!(first.problems[0].reason, "no answer: it is away");
    assert!(first.body.is_stopped());
    assert_eq!(waiting::n_waiting(&environment, &open.call.project), 1);
    let answers = |_: &Request| Ok(answer());
    assert_eq!(read(&environment, &mut open, &Scripted::new(&answers)).body.created.len(), 1);
}

#[test]
fn an_answer_of_another_form_teaches_nothing_and_is_not_asked_again() {
    let (_home, environment, mut open) = waits();
    let talks = |_: &Request| Ok(json!({"text": "I would rather not"}));
    let read = read(&environment, &mut open, &Scripted::new(&talks));
    assert_eq!((read.body.created.len(), read.body.candidates.len()), (0, 0));
    assert_eq!(waiting::n_waiting(&environment, &open.call.project), 0);
}
