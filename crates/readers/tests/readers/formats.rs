//! Lines of each format that are not in order, and what is read of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hardwon_core::event::{Event, FindingStated};
use hardwon_core::run::Outcome;
use hardwon_readers::{Format, ReadError, read};

use crate::golden::files_below;
use crate::{events, problems, record, runs};

#[test]
fn archeflow_runs_may_interleave() {
    let line = |run: &str| format!("{{\"run_id\":\"{run}\",\"seq\":1,\"type\":\"agent.start\"}}\n");
    let record = record([line("a"), line("a"), line("b"), line("a")].concat());
    let ids: Vec<_> = runs(&record).iter().map(|run| run.id.as_deref()).collect();
    assert_eq!(ids, [Some("a"), Some("b"), Some("a")]);
}

#[test]
fn archeflow_findings_that_cannot_be_read_are_not_a_clean_verdict() {
    let line =
        |data: &str| format!(r#"{{"run_id":"a","seq":1,"type":"review.verdict","data":{data}}}"#);
    let cases = [
        (r#"{"archetype":"sage","findings":"none"}"#, 1, r#"field "findings" is not a list"#),
        (r#""APPROVED""#, 1, r#"field "data" is not an object"#),
        (r#"{"findings":[]}"#, 1, r#"a verdict that names no "archetype" and no "agent""#),
        (r#"{"archetype":"sage","findings":["x"]}"#, 2, "a finding that is not a JSON object"),
    ];
    for (data, n_events, problem) in cases {
        let record = record(line(data));
        assert_eq!(record.events.len(), n_events, "{data}");
        assert_eq!(problems(&record), [format!("x:1: {problem}")], "{data}");
    }
}

#[test]
fn archeflow_status_words_are_folded() {
    let cases = [
        (r#""completed""#, Some(Outcome::Success), 0),
        (r#""awaiting_merge""#, Some(Outcome::Success), 0),
        (r#""FAILED""#, Some(Outcome::Failed), 0),
        (r#""partial""#, Some(Outcome::Partial), 0),
        (r#""aborted""#, Some(Outcome::Aborted), 0),
        ("null", None, 0),
        (r#""splendid""#, None, 1),
    ];
    for (status, outcome, n_problems) in cases {
        let line =
            format!(r#"{{"run_id":"a","type":"run.complete","data":{{"status":{status}}}}}"#);
        let record = record(line);
        let Event::Run(run) = &record.events[0].event else { panic!("{status}") };
        assert_eq!((run.outcome, record.problems.len()), (outcome, n_problems), "{status}");
    }
}

#[test]
fn words_that_are_not_in_their_list_cost_only_their_field() {
    let record = record(
        r#"{"type":"run","id":"r","kind":"party","outcome":"great","started":"yesterday"}
{"type":"finding","text":"a","severity":"purple","grade":"sure","state":"odd","line":"41"}
{"type":"effect","lesson":"l-1","effect":"magic"}
{"type":"verdict","grade":"cited"}
{"type":"finding","text":"b","line":4294967296}
{"type":"finding","text":"c","line":1.5}"#,
    );
    assert_eq!(
        problems(&record),
        [
            "x:1: field \"kind\" is not one of \
             orchestrator, subagent, healer, review, ci, session, other",
            r#"x:1: field "started" is not an RFC 3339 time"#,
            r#"x:1: field "outcome" is not one of success, partial, failed, aborted"#,
            r#"x:2: field "line" is not a number"#,
            r#"x:2: field "grade" is not one of executed, cited, reasoned"#,
            r#"x:2: field "state" is not one of open, fixed, regressed, dismissed"#,
            "x:3: field \"effect\" is not one of \
             helped, no_help, hurt, contradicted, neutral, no_opportunity",
            r#"x:3: an effect without a "lesson" and a known "effect" was put aside"#,
            r#"x:4: a verdict without "author" was put aside"#,
            r#"x:5: field "line" is not a whole number in range"#,
            r#"x:6: field "line" is not a whole number in range"#,
        ]
    );
    let finding =
        FindingStated { text: "a".into(), severity: Some("purple".into()), ..Default::default() };
    assert_eq!(events(&record)[1], &Event::Finding(finding), "core folds the severity");
    assert_eq!(record.events.len(), 4);
}

/// Every file below `fixtures` that has a format of its own, with what it is.
fn fixtures() -> Vec<(Format, String)> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"));
    let files =
        files_below(root).into_iter().filter(|path| path.extension().unwrap() != "expected");
    let texts = files.map(|path| fs::read_to_string(path).unwrap());
    texts.filter_map(|text| Some((shows(&text)?, text))).collect()
}

/// The one format by which a text is read as it is without any.
fn shows(text: &str) -> Option<Format> {
    let told =
        |format| read("x", text.as_bytes(), format).ok().map(|it| format!("{:?}", it.events));
    let own = told(None).filter(|events| events != "[]");
    let is_it = |format: &&Format| **format != Format::Clippy && told(Some(**format)) == own;
    Format::ALL.iter().find(is_it).copied().filter(|_| own.is_some())
}

#[test]
fn a_format_that_does_not_fit_is_refused() {
    let fixtures = fixtures();
    let kinds: BTreeSet<Format> = fixtures.iter().map(|(format, _)| *format).collect();
    assert!(kinds.len() >= 13, "{kinds:?}");
    for (format, text) in &fixtures {
        for named in Format::ALL.iter().filter(|named| !may_be(**named, *format)) {
            let told = read("x", text.as_bytes(), Some(*named));
            let start = &text[..text.len().min(60)];
            let is_refused = matches!(&told, Err(ReadError::Unknown { named: Some(_), .. }));
            assert!(is_refused, "{named} of {format}: {told:?}\n{start}");
        }
    }
    let error = read("x", &b"<!DOCTYPE html>"[..], Some(Format::Junit)).unwrap_err().to_string();
    let refused = "x is not in the format junit, which was named for it. It looks like HTML";
    assert!(error.starts_with(refused), "{error}");
    let log = r#"{"run_id":"a","type":"run.start","data":{"task":"x"}}"#;
    let error = read("x", log.as_bytes(), Some(Format::Eslint)).unwrap_err().to_string();
    assert!(
        error.ends_with("It looks like archeflow: pass --format archeflow, or leave --format out.")
    );
}

/// `clippy` only says whose cargo's lines are: with it the content decides. Lines of a text may be
/// a review, and what a review or a log quotes may be wanted as lines.
fn may_be(named: Format, format: Format) -> bool {
    let is_text = |format| matches!(format, Format::Lines | Format::RunLog | Format::Review);
    named == format || named == Format::Clippy || is_text(named) && is_text(format)
}

/// What has the outer form of a report, and nothing of it, says nothing of its tool.
#[test]
fn a_list_or_an_object_of_something_else_is_no_report() {
    let cases = [
        (Format::Eslint, "[{\"name\":\"x\"}]"),
        (Format::Rdjson, "{\"name\":\"x\"}"),
        (Format::Cargo, "{\"name\":\"x\"}"),
        (Format::Sarif, "{\"runs\":7}"),
    ];
    for (format, text) in cases {
        let told = read("x", text.as_bytes(), Some(format));
        assert!(told.is_ok_and(|record| record.events.is_empty()), "{format}");
    }
}

#[test]
fn the_index_of_archeflow_is_nothing_to_learn() {
    let index = include_str!("../fixtures/archeflow-index.jsonl");
    let error = read("index.jsonl", index.as_bytes(), None).unwrap_err();
    assert!(matches!(error, ReadError::Index { .. }) && error.is_nothing_to_learn());
}

#[test]
fn a_verdict_says_whether_the_work_passed_and_what_shows_it() {
    let verdict = |fields: &str| {
        let record = record(format!(r#"{{"type":"verdict","author":"judge",{fields}}}"#));
        assert_eq!(problems(&record), [""; 0], "{fields}");
        match events(&record)[..] {
            [Event::Verdict(verdict)] => (verdict.is_pass, verdict.evidence.clone()),
            _ => panic!("{fields}"),
        }
    };
    let cases = [
        (r#""verdict":"PASS""#, Some(true)),
        (r#""verdict":" Approved ""#, Some(true)),
        (r#""verdict":"FAIL""#, Some(false)),
        (r#""verdict":"FAIL","must_fix":["J-1"]"#, Some(false)),
        (r#""verdict":"FAIL","must_fix":[]"#, Some(true)),
        (r#""verdict":"FAIL","must_fix":null"#, Some(false)),
        (r#""verdict":"needs_changes""#, Some(false)),
        (r#""verdict":"perhaps""#, None),
        (r#""must_fix":[]"#, None),
    ];
    for (fields, is_pass) in cases {
        assert_eq!(verdict(fields), (is_pass, None), "{fields}");
    }
    assert_eq!(verdict(r#""evidence":"exit code 0""#).1.as_deref(), Some("exit code 0"));
    assert_eq!(verdict(r#""evidence":["one","two"]"#).1.as_deref(), Some("one\ntwo"));
}
