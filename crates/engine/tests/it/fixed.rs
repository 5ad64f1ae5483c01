//! What a tool's report no longer has is fixed, and back when it is found again.

use hardwon_engine::answer::{Regression, RunLearned};

use crate::harness::{self, Pipeline, finding, run, run_id, sarif_result};

impl Pipeline {
    /// Learns a report of one run.
    fn learn_report(&mut self, id: &str, report: &str) -> RunLearned {
        let answer = self.learn_inputs(Some(id), &[report]).unwrap().body;
        let [run] = <[RunLearned; 1]>::try_from(answer.runs).unwrap();
        run
    }

    /// Where the findings that came back with this report had been fixed.
    fn back(&mut self, id: &str, report: &str) -> Vec<String> {
        let learned = self.learn_report(id, report);
        let asked = self.regressions(Some(&run_id(id))).unwrap().body;
        assert_eq!(asked.regressions, learned.regressions);
        let fixed_in = |one: &Regression| one.fixed_in.as_ref().map(ToString::to_string);
        learned.regressions.iter().map(|one| fixed_in(one).unwrap_or("?".into())).collect()
    }
}

/// A JUnit report: names with a minus failed, all others passed.
fn junit(tests: &[&str]) -> String {
    let case = |test: &&str| match test.strip_prefix('-') {
        Some(name) => format!(
            "<testcase name=\"{name}\"><failure message=\"the total of {name} is off by one\"/></testcase>"
        ),
        None => format!("<testcase name=\"{test}\"/>"),
    };
    let cases: Vec<String> = tests.iter().map(case).collect();
    format!("<testsuite name=\"nextest\">{}</testsuite>", cases.concat())
}

/// A SARIF report; every result is a rule and a file.
fn sarif(results: &[(&str, &str)]) -> String {
    let text = |rule: &str| format!("Query of {rule} is put together from input");
    let result = |(rule, file): &(&str, &str)| sarif_result(rule, file, &text(rule));
    harness::sarif("lintfox", &results.iter().map(result).collect::<Vec<_>>())
}

#[test]
fn the_same_reports_again_change_nothing() {
    let mut p = Pipeline::on_sqlite();
    let reports = [junit(&["-rounds"]), junit(&["rounds"]), junit(&["-rounds"])];
    for (n, report) in reports.iter().enumerate() {
        assert!(!p.learn_report(&format!("r{n}"), report).is_known);
        for (n, report) in reports[..=n].iter().enumerate() {
            assert!(p.learn_report(&format!("r{n}"), report).is_known, "{n}");
        }
    }
}

#[test]
fn a_run_that_is_told_late_fixes_nothing() {
    let mut p = Pipeline::on_memory();
    let at = |day: u32, results: &[(&str, &str)]| {
        let end = format!("\"invocations\":[{{\"endTimeUtc\":\"2026-03-{day:02}T10:00:00Z\"}}],");
        sarif(results).replacen("\"results\"", &format!("{end}\"results\""), 1)
    };
    let found = [("SQL1", "a.py")];
    p.learn_report("r1", &at(10, &found));
    p.learn_report("r3", &at(12, &found));
    assert!(p.learn_report("r2", &at(11, &[])).is_backfill);
    assert_eq!(p.back("r4", &at(13, &found)), [""; 0]);
    p.learn_report("r5", &at(14, &[]));
    assert_eq!(p.back("r6", &at(15, &found)), ["r5"]);
}

#[test]
fn two_reports_of_one_run_that_differ() {
    let mut p = Pipeline::on_memory();
    p.learn_report("r1", &junit(&["-rounds"]));
    p.learn_report("r2", &junit(&["rounds"]));
    // The same run on another machine: it fails there.
    assert_eq!(p.back("r2", &junit(&["-rounds"])), [""; 0], "not fixed and broken in one run");
}

#[test]
fn the_silence_of_reviewers_fixes_nothing() {
    let mut p = Pipeline::on_memory();
    let words = "Session cookie is set without the Secure flag";
    p.learn_run(&(run("r1", &["guardian", "lintfox"]) + &finding("lintfox", "bug", words)));
    p.learn_run(&run("r2", &["guardian", "lintfox"]));
    let again = run("r3", &["lintfox"]) + &finding("lintfox", "bug", words);
    assert_eq!(p.learn_run(&again).regressions, []);
}

#[test]
fn what_an_agent_hands_in_fixes_nothing() {
    let mut p = Pipeline::on_memory();
    p.learn_report("r1", &sarif(&[("SQL1", "a.py")]));
    p.set_caller(Some("worker"));
    p.learn_report("r2", &sarif(&[]));
    p.set_caller(None);
    assert_eq!(p.back("r3", &sarif(&[("SQL1", "a.py")])), [""; 0]);
}
