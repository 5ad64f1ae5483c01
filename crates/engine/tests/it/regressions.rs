//! Findings that had been fixed and are back, against all earlier runs.

use hardwon_engine::ids::RunId;
use hardwon_engine::runs;

use crate::bench::{Pipeline, run, warning};

const FIXED: &str = "{\"type\":\"finding\",\"author\":\"guardian\",\"severity\":\"bug\",\
    \"text\":\"Session cookie is set without the Secure flag\",\"path\":\"src/session.rs\",\
    \"line\":19,\"state\":\"fixed\"}\n";
const BACK: &str = "{\"type\":\"finding\",\"author\":\"guardian\",\"severity\":\"bug\",\
    \"text\":\"Session cookie is set without the Secure flag\",\"path\":\"src/session.rs\",\
    \"line\":31}\n";

#[test]
fn a_fixed_finding_that_is_back_many_runs_later() {
    for mut p in Pipeline::on_both() {
        p.learn_run(&(run("r1", &["guardian"]) + FIXED));
        for n in 2..30 {
            let other = warning(&format!("Handler number {n} logs the whole request body"));
            p.learn_run(&(run(&format!("r{n}"), &["guardian"]) + &other));
        }
        let learned = p.learn_run(&(run("r30", &["guardian"]) + BACK));
        assert_eq!(learned.regressions.len(), 1);
        assert_eq!(learned.regressions[0].fixed_in.as_ref().unwrap().as_str(), "r1");
        let run = RunId::parse("r30").unwrap();
        let asked = runs::regressions(&p.engine.memory, &p.engine.call, Some(&run)).unwrap().body;
        assert_eq!(asked, learned.regressions);
        assert_eq!(
            runs::regressions(&p.engine.memory, &p.engine.call, None).unwrap().body,
            asked,
            "the newest run by default"
        );
        p.assert_sound();
    }
}

#[test]
fn an_open_finding_that_stays_open_is_no_regression() {
    let mut p = Pipeline::on_memory();
    p.learn_run(&(run("r1", &["guardian"]) + BACK));
    let learned = p.learn_run(&(run("r2", &["guardian"]) + BACK));
    assert_eq!(learned.regressions, []);
}

#[test]
fn archeflow_fixes_count_even_without_their_finding() {
    let mut p = Pipeline::on_memory();
    let line = |run: &str, kind: &str, data: &str| {
        format!(
            "{{\"ts\":\"2026-04-0{}T10:00:00Z\",\"run_id\":\"{run}\",\"seq\":1,\"parent\":[],\
             \"type\":\"{kind}\",\"phase\":\"check\",\"agent\":null,\"data\":{data}}}\n",
            &run[1..]
        )
    };
    let fix = line(
        "a1",
        "fix.applied",
        "{\"source\":\"guardian\",\"finding\":\"Missing null check in the response handler\",\"file\":\"src/api.rs\",\"line\":4}",
    );
    p.learn_run(&(line("a1", "run.start", "{\"task\":\"t\"}") + &fix));
    let verdict = line(
        "a2",
        "review.verdict",
        "{\"archetype\":\"guardian\",\"verdict\":\"REJECTED\",\"findings\":[{\"severity\":\"bug\",\"description\":\"Null check is missing in the response handler\",\"category\":\"correctness\"}]}",
    );
    let learned = p.learn_run(&(line("a2", "run.start", "{\"task\":\"t\"}") + &verdict));
    assert_eq!(learned.regressions.len(), 1, "{learned:?}");
    assert_eq!(learned.regressions[0].fixed_in.as_ref().unwrap().as_str(), "a1");
}

#[test]
fn moving_code_keeps_a_finding_the_same() {
    let mut p = Pipeline::on_memory();
    p.learn_run(&(run("r1", &["guardian"]) + BACK));
    p.learn_run(&(run("r2", &["guardian"]) + &BACK.replace("31", "41")));
    assert_eq!(p.only_lesson().n_sightings, 2);
}

#[test]
fn a_dismissed_finding_starts_nothing() {
    let mut p = Pipeline::on_memory();
    let ruling = "{\"type\":\"verdict\",\"author\":\"judge\",\"grade\":\"executed\",\
        \"false_positives\":[\"Session cookie is set without the Secure flag\"]}\n";
    let learned = p.learn_run(&(run("r1", &["guardian"]) + BACK + ruling));
    assert_eq!((learned.n_used, learned.new.len()), (1, 0));
}

#[test]
fn a_finding_that_is_fixed_later_in_the_run_can_regress() {
    let mut p = Pipeline::on_sqlite();
    p.learn_run(&(run("r1", &["guardian"]) + BACK));
    // The same finding again, now fixed; in a record of its own.
    let fixed = BACK.replace("\"line\":31", "\"line\":31,\"state\":\"fixed\"");
    assert!(!p.learn_run(&(run("r1", &["guardian"]) + &fixed)).is_known);
    assert!(p.learn_run(&(run("r1", &["guardian"]) + &fixed)).is_known);
    let learned = p.learn_run(&(run("r2", &["guardian"]) + BACK));
    assert_eq!(learned.regressions.len(), 1);
    // In one record the last word counts.
    let mut p = Pipeline::on_memory();
    p.learn_run(&(run("r1", &["guardian"]) + BACK + &fixed));
    assert_eq!(p.learn_run(&(run("r2", &["guardian"]) + BACK)).regressions.len(), 1);
    p.assert_sound();
}

#[test]
fn a_record_that_says_regressed_is_believed() {
    let mut p = Pipeline::on_memory();
    let stated = BACK.replace("\"line\":31", "\"line\":31,\"state\":\"regressed\"");
    let learned = p.learn_run(&(run("r1", &["guardian"]) + &stated));
    assert_eq!((learned.regressions.len(), learned.regressions[0].fixed_in.clone()), (1, None));
}

#[test]
fn a_fix_closes_the_finding_that_it_names() {
    let mut p = Pipeline::on_memory();
    let line = |kind: &str, data: &str| {
        format!(
            "{{\"ts\":\"2026-04-01T10:00:00Z\",\"run_id\":\"a1\",\"seq\":1,\"type\":\"{kind}\",\"data\":{data}}}\n"
        )
    };
    let verdict = line(
        "review.verdict",
        "{\"archetype\":\"guardian\",\"findings\":[\
         {\"severity\":\"bug\",\"description\":\"Null check is missing in the response handler\"},\
         {\"severity\":\"bug\",\"description\":\"Null check is missing in the request handler\"}]}",
    );
    let fix = line(
        "fix.applied",
        "{\"source\":\"guardian\",\"finding\":\"Null check is missing in the request handler\"}",
    );
    p.learn_run(&(verdict + &fix));
    let again = |text: &str| run("r2", &["guardian"]) + &warning(text);
    let learned = p.learn_run(&again("Null check is missing in the request handler"));
    assert_eq!(learned.regressions.len(), 1);
}
