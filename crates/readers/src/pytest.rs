//! What does the report of pytest-json-report state? Tests with an outcome for each of
//! their three stages, and how pytest ended.

use std::io::{self, Read};

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Grade;
use hardwon_core::run::Outcome;
use hardwon_core::signature::of_fingerprint;
use hardwon_core::{fixed, list};
use serde_json::Value;

use crate::fields::Fields;
use crate::report::{MAX_PASSED, Report, first_lines, output, test_text};
use crate::stream::{Document, MAX_STRING_BYTES, Part, Shape};

const AUTHOR: &str = "pytest";

static DOCUMENT: Document = Document {
    shape: &Shape::Fields(
        "the document",
        &["exitcode"],
        &[
            ("collectors", Shape::Items("field \"collectors\"", &Shape::Whole("collector"))),
            ("tests", Shape::Items("field \"tests\"", &Shape::Whole("test"))),
        ],
    ),
    fields: list!("fields.txt", "pytest"),
    open: &[],
    max_string: MAX_STRING_BYTES,
};

pub fn read(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let (mut n, mut has_run) = (0, false);
    let end = report.walk(reader, &DOCUMENT, |report, part, _| match part {
        Part::Whole("exitcode", value) => exit_code(report, &value),
        Part::Whole(name, value) => {
            n += 1;
            report.notes.enter(Some(format!("{name} {n}")));
            has_run |= test(report, &value);
        }
        _ => {}
    })?;
    report.notes.go_to(0);
    if has_run {
        report.looked(AUTHOR);
    }
    report.ended(end, 0);
    Ok(())
}

/// Takes a test or a collector; says whether it ran.
fn test(report: &mut Report, value: &Value) -> bool {
    let Some(test) = report.object(value, "it") else { return false };
    let outcome = test.words("outcome").unwrap_or_default();
    match outcome.as_str() {
        "failed" | "error" | "rerun" => {
            let finding = finding(test, outcome == "rerun");
            finding.into_iter().for_each(|finding| report.finding(finding));
        }
        "passed" => {
            let name = test.words("nodeid");
            let passed = &mut report.reach(AUTHOR).passed;
            let name = name.filter(|_| passed.len() < MAX_PASSED);
            passed.extend(name.map(|name| fixed::case(&of_fingerprint(&fingerprint(&name)))));
        }
        _ => {}
    }
    outcome != "skipped"
}

/// 0 and 1 are tests that passed and failed, 5 that there were none.
fn exit_code(report: &mut Report, value: &Value) {
    match value.as_u64() {
        Some(0) => report.outcome(Outcome::Success),
        Some(5) => {}
        Some(2) => report.outcome(Outcome::Aborted),
        Some(_) => report.outcome(Outcome::Failed),
        None => report.notes.problem("field \"exitcode\" is not a number"),
    }
}

fn finding(test: Fields<'_>, is_flaky: bool) -> Option<FindingStated> {
    let name = test.finding_words("nodeid", "a failed test without \"nodeid\"")?;
    let (crash, long) = crash(test);
    let message = crash.and_then(|crash| crash.words("message")).or(long).unwrap_or_default();
    let path = crash.and_then(|crash| crash.words("path"));
    let file = || name.split("::").next().filter(|file| file.ends_with(".py")).map(str::to_owned);
    Some(FindingStated {
        author: Some(AUTHOR.to_owned()),
        severity: Some(if is_flaky { "warning" } else { "error" }.to_owned()),
        category: Some(if is_flaky { "flaky" } else { "test" }.to_owned()),
        text: test_text(&name, is_flaky, &first_lines(&message, 2)),
        path: path.or_else(file),
        line: crash.and_then(|crash| crash.number("lineno")),
        grade: Some(Grade::Executed),
        evidence: output(&message),
        fingerprint: Some(fingerprint(&name)),
        rule: Some(name),
        ..FindingStated::default()
    })
}

/// Where it broke, in the stage that did not pass, and the long text about it.
fn crash(test: Fields<'_>) -> (Option<Fields<'_>>, Option<String>) {
    for stage in ["setup", "call", "teardown"] {
        let stage = test.inside(stage);
        if matches!(stage.words("outcome").as_deref(), Some("failed" | "error" | "rerun")) {
            return (stage.object("crash"), stage.words("longrepr"));
        }
    }
    (None, test.words("longrepr"))
}

fn fingerprint(name: &str) -> String {
    format!("{AUTHOR} {name}")
}
