//! Bad input at the level of the library: what is good is used, what is not is told.

use hardwon_engine::answer::Status;
use hardwon_engine::{EngineError, Input, LearnRequest, history, runs};

use crate::bench::{Pipeline, run, warning};

const W: &str = "Query built by string concatenation in the user search";

#[test]
fn one_bad_line_never_hides_a_good_one() {
    let mut p = Pipeline::on_memory();
    let record = run("r1", &["guardian"]) + "{\"type\":\"finding\",\"aut\n" + &warning(W);
    let answer = p.learn(&record);
    assert_eq!(answer.status, Status::Degraded);
    assert_eq!(answer.problems[0].at, "record.jsonl:2");
    assert_eq!(answer.body.runs[0].new.len(), 1);
}

#[test]
fn a_refused_run_id_does_not_give_its_findings_to_the_run_before() {
    let mut p = Pipeline::on_memory();
    let record = run("r1", &["guardian"]) + &run("../x", &["guardian"]) + &warning(W);
    let answer = p.learn(&record);
    assert_eq!(answer.status, Status::Degraded);
    let runs: Vec<&str> = answer.body.runs.iter().map(|run| run.run.as_str()).collect();
    assert_eq!(runs.len(), 2);
    assert!(runs.contains(&"r1") && runs.iter().all(|run| !run.contains("..")));
    assert!(answer.problems.iter().any(|problem| problem.reason.contains("run id")));
}

#[test]
fn unnamed_content_is_one_run_however_often_it_is_read() {
    let mut p = Pipeline::on_memory();
    for _ in 0..3 {
        let answer = p.learn(&warning(W));
        assert!(answer.problems.iter().any(|problem| problem.reason.contains("pass --run")));
    }
    assert_eq!(p.only_lesson().n_sightings, 1);
}

#[test]
fn a_run_line_beats_the_flag_and_says_so() {
    let mut p = Pipeline::on_memory();
    let request = LearnRequest {
        run: Some(hardwon_engine::ids::RunId::parse("given").unwrap()),
        ..LearnRequest::of(Input::text("record", &(run("own", &[]) + &warning(W))))
    };
    let answer = runs::learn(&mut p.engine.memory, &p.engine.call, request).unwrap();
    assert_eq!(answer.body.runs[0].run.as_str(), "own");
    assert_eq!(answer.problems.len(), 1);
}

#[test]
fn several_records_of_one_run_are_one_run() {
    let mut p = Pipeline::on_memory();
    let request = LearnRequest {
        inputs: vec![
            Input::text("a", &warning(W)),
            Input::text("b", &warning("Response lacks a content type header")),
        ],
        run: Some(hardwon_engine::ids::RunId::parse("build-7").unwrap()),
        ..LearnRequest::default()
    };
    let answer = runs::learn(&mut p.engine.memory, &p.engine.call, request).unwrap();
    assert_eq!((answer.body.runs.len(), answer.body.runs[0].new.len()), (1, 2));
}

#[test]
fn nothing_usable_is_an_error_and_writes_nothing() {
    let mut p = Pipeline::on_memory();
    for bad in ["", "\n\n", "oops\n", "\u{0}\u{1}\u{2}", "[1,2]\n", "{\"type\":\"finding\"}\n"] {
        let request = LearnRequest::of(Input::text("record", bad));
        let error = runs::learn(&mut p.engine.memory, &p.engine.call, request).unwrap_err();
        assert!(
            matches!(error, EngineError::Input { .. } | EngineError::NoUsableInput(_)),
            "{bad:?}: {error}"
        );
    }
    assert_eq!(
        history::history(&p.engine.memory, &p.engine.call, None, None).unwrap().body.entries.len(),
        0
    );
}

#[test]
fn unknown_severity_is_a_warning_with_a_problem() {
    let mut p = Pipeline::on_memory();
    let answer = p.learn(&(run("r1", &[]) + &warning(W).replace("\"warning\"", "\"purple\"")));
    assert_eq!(answer.problems[0].reason, "unknown severity; taken as warning");
    assert_eq!(p.only_lesson().severity.word(), "warning");
}

#[test]
fn information_is_recognized_but_starts_nothing() {
    let mut p = Pipeline::on_memory();
    for word in ["info", "INFO", "Note", "nit"] {
        let record = run(&format!("i-{word}"), &[])
            + &warning(W).replace("\"warning\"", &format!("\"{word}\""));
        assert_eq!(p.learn_run(&record).new.len(), 0, "{word}");
    }
    p.learn_run(&(run("r1", &[]) + &warning(W)));
    p.learn_run(&(run("r2", &[]) + &warning(W).replace("\"warning\"", "\"info\"")));
    assert_eq!(p.only_lesson().n_sightings, 2);
}

#[test]
fn what_was_put_aside_is_counted_with_its_own_input() {
    let mut p = Pipeline::on_memory();
    let input = |id: &str| {
        let record = run(id, &[]) + &warning(W) + "{\"type\":\"finding\",\"author\":\"g\"}\n";
        Input::text(id, &record)
    };
    let request =
        LearnRequest { inputs: vec![input("r1"), input("r2")], ..LearnRequest::default() };
    let answer = runs::learn(&mut p.engine.memory, &p.engine.call, request).unwrap();
    for run in &answer.body.runs {
        assert_eq!((run.n_read, run.n_used, run.n_rejected), (2, 1, 1), "{}", run.run);
    }
}
