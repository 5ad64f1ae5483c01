//! What does the report of pytest-json-report state? Tests with an outcome for each of
//! their three stages, and how pytest ended.

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;
use hardwon_core::fixed;
use hardwon_core::run::Outcome;
use hardwon_core::signature::of_fingerprint;
use serde_json::Value;

use crate::Limits;
use crate::json::Object;
use crate::report::{MAX_PASSED, Report, first_lines, output};
use crate::stream::{Kept, Shape, Take, walk};

const AUTHOR: &str = "pytest";

static DOCUMENT: Shape = Shape::Fields(
    "the document",
    &[
        ("exitcode", Shape::Whole("exitcode")),
        ("collectors", Shape::Items("field \"collectors\"", &Shape::Whole("collector"))),
        ("tests", Shape::Items("field \"tests\"", &Shape::Whole("test"))),
    ],
);

static KEPT: Kept = Kept {
    fields: &[
        "nodeid", "outcome", "setup", "call", "teardown", "crash", "path", "lineno", "message",
        "longrepr",
    ],
    open: &[],
};

/// Reads a report.
pub fn read(reader: impl Read, limits: Limits, report: &mut Report) -> io::Result<()> {
    let mut tests = Tests { report, n: 0, has_run: false };
    let end = walk(reader, limits.input_bytes, &DOCUMENT, &KEPT, &mut tests)?;
    tests.report.notes.go_to(0);
    if tests.has_run {
        tests.report.looked(AUTHOR);
    }
    tests.report.ended(end, limits);
    Ok(())
}

struct Tests<'r> {
    report: &'r mut Report,
    n: u64,
    has_run: bool,
}

impl Take for Tests<'_> {
    fn value(&mut self, name: &'static str, value: Value, line: u64) {
        self.report.notes.go_to(line);
        if name == "exitcode" {
            return self.exit_code(&value);
        }
        self.n += 1;
        self.report.notes.within(format!("{name} {}", self.n));
        if let Some(test) = self.report.fields(&value, "it") {
            self.test(test);
        }
        self.report.notes.without();
    }

    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64) {
        self.report.notes.go_to(line);
        self.report.notes.problem(format!("{name} is {why}"));
    }
}

impl Tests<'_> {
    /// 0 and 1 are tests that passed and failed, 5 that there were none.
    fn exit_code(&mut self, value: &Value) {
        match value.as_u64() {
            Some(0) => self.report.outcome(Outcome::Success),
            Some(5) => {}
            Some(2) => self.report.outcome(Outcome::Aborted),
            Some(_) => self.report.outcome(Outcome::Failed),
            None => self.report.notes.problem("field \"exitcode\" is not a number"),
        }
    }

    fn test(&mut self, test: &Object) {
        let outcome = self.report.of(test).words("outcome").unwrap_or_default();
        self.has_run |= outcome != "skipped";
        let category = match outcome.as_str() {
            "failed" | "error" => "test",
            "rerun" => "flaky",
            "passed" => return self.passed(test),
            _ => return,
        };
        let Some(name) = self.report.of(test).words("nodeid") else {
            self.report.notes.put_finding_aside("a failed test without \"nodeid\"");
            return;
        };
        let (crash, long) = self.crash(test);
        let long = long.unwrap_or_default();
        let message = crash.and_then(|crash| self.report.of(crash).words("message"));
        let said = first_lines(message.as_deref().unwrap_or(&long), 2);
        let place = crash.map(|crash| {
            let mut fields = self.report.of(crash);
            (fields.words("path"), fields.number("lineno"))
        });
        let file =
            || name.split("::").next().filter(|file| file.ends_with(".py")).map(str::to_owned);
        let (path, line) = place.unwrap_or_default();
        let verb = if category == "flaky" { "is flaky" } else { "fails" };
        let text = if said.is_empty() {
            format!("Test {name} {verb}")
        } else {
            format!("Test {name} {verb}: {said}")
        };
        self.report.finding(FindingStated {
            author: Some(AUTHOR.to_owned()),
            severity: Some(if category == "flaky" { "warning" } else { "error" }.to_owned()),
            category: Some(category.to_owned()),
            rule: Some(name.clone()),
            text,
            path: path.or_else(file),
            line,
            grade: Some(Grade::Executed),
            evidence: output(message.as_deref().unwrap_or(&long)),
            fingerprint: Some(fingerprint(&name)),
            ..FindingStated::default()
        });
    }

    fn passed(&mut self, test: &Object) {
        let Some(name) = self.report.of(test).words("nodeid") else { return };
        let passed = &mut self.report.reach(AUTHOR).passed;
        if passed.len() < MAX_PASSED {
            passed.push(fixed::case(&of_fingerprint(&fingerprint(&name))));
        }
    }

    /// Where it broke, in the stage that did not pass, and all that is said about it.
    fn crash<'o>(&mut self, test: &'o Object) -> (Option<&'o Object>, Option<String>) {
        for stage in ["setup", "call", "teardown"] {
            let Some(stage) = self.report.of(test).object(stage) else { continue };
            let outcome = self.report.of(stage).words("outcome").unwrap_or_default();
            if matches!(outcome.as_str(), "failed" | "error" | "rerun") {
                let crash = self.report.of(stage).object("crash");
                return (crash, self.report.of(stage).words("longrepr"));
            }
        }
        (None, self.report.of(test).words("longrepr"))
    }
}

fn fingerprint(name: &str) -> String {
    format!("{AUTHOR} {name}")
}
