//! What could not be read has detected nothing: no run, no credit.

use hardwon_engine::{EngineError, Format, Input, LearnRequest};
use serde_json::json;

use crate::harness::{Pipeline, run_id, sarif, sarif_result};

const TEXT: &str = "Query of the user search is put together from input";

fn eslint(texts: &[&str]) -> String {
    let message = |text: &&str| json!({"ruleId": "no-concat", "severity": 2, "message": text});
    let file = |text| json!({"filePath": "src/db.js", "messages": [message(text)]});
    json!(texts.iter().map(file).collect::<Vec<_>>()).to_string()
}

/// A project in which ESLint reported a problem in two runs, which the third was told.
fn told() -> Pipeline {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        p.learn_inputs(Some(id), &[&eslint(&[TEXT])]).unwrap();
    }
    assert_eq!(p.inject("r3").lessons.len(), 1);
    p
}

/// What a report of the third run does to the lesson.
fn effect(report: &str, format: Option<Format>) -> Result<String, EngineError> {
    let mut p = told();
    let inputs = vec![Input::text("report", report)];
    let run = Some(run_id("r3"));
    let learned = p.learn_all(LearnRequest { inputs, run, format, ..LearnRequest::default() });
    let tree = p.memory.store.tree(&p.call.project, &run_id("r3")).unwrap();
    let is_known = tree.runs.iter().any(|run| run.is_learned);
    assert_eq!(learned.is_ok(), is_known, "no run without a report");
    Ok(learned?.body.runs[0].effects[0].kind.to_string())
}

#[test]
fn a_format_that_does_not_fit_credits_nothing() {
    let sarif = sarif("codeql", &[sarif_result("sql", "src/a.rs", TEXT)]);
    let log = "{\"type\":\"run\",\"id\":\"r9\"}\n";
    for report in [&*sarif, log, "[{\"name\":\"x\"}]", "<testsuite/>", "a.c:1: x\n", "hello\n"] {
        for format in [Format::Eslint, Format::Rdjson, Format::Cargo] {
            assert!(effect(report, Some(format)).is_err(), "{format}: {report}");
        }
    }
    let refused = effect(&sarif, Some(Format::Eslint)).unwrap_err().to_string();
    assert!(refused.contains("pass --format sarif"), "{refused}");
}

#[test]
fn one_misfit_refuses_the_whole_call() {
    let mut p = told();
    let before = p.n_entries();
    let inputs = [&*eslint(&[]), &*sarif("codeql", &[])];
    let inputs = inputs.map(|text| Input::text("report", text)).into();
    let (run, format) = (Some(run_id("r3")), Some(Format::Eslint));
    assert!(p.learn_all(LearnRequest { inputs, run, format, ..LearnRequest::default() }).is_err());
    assert_eq!(p.n_entries(), before);
}

#[test]
fn silence_counts_only_in_a_whole_report() {
    let other = "Unexpected use of a global in the session cache";
    let whole = eslint(&[other, TEXT]);
    let torn = &whole[..whole.find(TEXT).unwrap()];
    assert_eq!(effect(torn, None).unwrap(), "no_opportunity", "{torn}");
    assert_eq!(effect(&whole, None).unwrap(), "no_help");
    assert_eq!(effect("[]", Some(Format::Eslint)).unwrap(), "helped");
    // What it holds is used all the same.
    let mut p = told();
    p.learn_inputs(Some("r3"), &[eslint(&[TEXT, other]).strip_suffix("]}]").unwrap()]).unwrap();
    assert_eq!(p.lesson_saying(TEXT).n_sightings, 3);
}
