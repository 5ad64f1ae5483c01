//! Bad input at the level of the library: what is good is used, what is not is told.

use hardwon_engine::answer::Status;
use hardwon_engine::{Access, OpenMemory, Options};
use serde_json::json;

use crate::harness::{Home, Pipeline, W, finding, line, run, warning};

const OTHER: &str = "Response lacks a content type header";

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
fn a_run_line_beats_the_flag_and_says_so() {
    let mut p = Pipeline::on_memory();
    let answer = p.learn_inputs(Some("given"), &[&(run("own", &[]) + &warning(W))]).unwrap();
    assert_eq!(answer.body.runs[0].run.as_str(), "own");
    assert_eq!(answer.problems.len(), 1);
}

#[test]
fn several_records_of_one_run_are_one_run() {
    let mut p = Pipeline::on_memory();
    let answer = p.learn_inputs(Some("build-7"), &[&warning(W), &warning(OTHER)]).unwrap();
    assert_eq!((answer.body.runs.len(), answer.body.runs[0].new.len()), (1, 2));
}

#[test]
fn unknown_severity_is_a_warning_with_a_problem() {
    let mut p = Pipeline::on_memory();
    let answer = p.learn(&(run("r1", &[]) + &finding("guardian", "purple", W)));
    assert_eq!(answer.problems[0].reason, "unknown severity; taken as warning");
    assert_eq!(p.only_lesson().severity.word(), "warning");
}

#[test]
fn information_is_recognized_but_starts_nothing() {
    let mut p = Pipeline::on_memory();
    for word in ["info", "INFO", "Note", "nit"] {
        let record = run(&format!("i-{word}"), &[]) + &finding("guardian", word, W);
        assert_eq!(p.learn_run(&record).new.len(), 0, "{word}");
    }
    p.learn_run(&(run("r1", &[]) + &warning(W)));
    p.learn_run(&(run("r2", &[]) + &finding("guardian", "info", W)));
    assert_eq!(p.only_lesson().n_sightings, 2);
}

#[test]
fn what_was_put_aside_is_counted_with_its_own_input() {
    let mut p = Pipeline::on_memory();
    let record = |id: &str| {
        run(id, &[]) + &warning(W) + &line(json!({"type": "finding"}), json!({"author": "g"}))
    };
    let answer = p.learn_inputs(None, &[&record("r1"), &record("r2")]).unwrap();
    for run in &answer.body.runs {
        let findings = &run.findings;
        let counts = (findings.n_read, findings.n_used, findings.n_rejected);
        assert_eq!(counts, (2, 1, 1), "{}", run.run);
    }
}

/// All else of the user's own redaction rules is in `tests/sessions/settings.md` of the program.
#[test]
fn nothing_is_written_while_the_rules_cannot_be_read() {
    let home = Home::new();
    home.write("home/config.toml", "[redact.rules\n");
    let environment = home.environment("home");
    let open = |access| OpenMemory::open(&environment, &Options::default(), access);
    let refused = open(Access::Write).map(drop).unwrap_err().to_string();
    assert!(refused.starts_with("settings file "), "{refused}");
    assert!(!open(Access::Read).unwrap().memory.settings.problems.is_empty(), "reading goes on");
}
