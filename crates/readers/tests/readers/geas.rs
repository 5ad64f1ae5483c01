//! geas documents: told by their content, and read whatever they leave out.

use hardwon_core::event::{Event, FindingStated, Record};
use hardwon_readers::{Format, ReadError, read};

use crate::{events, problems, record};

const RETROSPECTIVE: &str = include_str!("../fixtures/geas/retrospective.json");
const FAILURE: &str = include_str!("../fixtures/geas/failure-record.json");
const SELF_CHECK: &str = include_str!("../fixtures/geas/worker-self-check.json");

/// Each event in a line: what it is, who says it and what.
fn told(record: &Record) -> Vec<String> {
    let line = |event: &&Event| match event {
        Event::Run(run) => format!("run {}", run.task.as_deref().unwrap_or("-")),
        Event::Finding(finding) => finding_line(finding),
        Event::Verdict(verdict) => format!("verdict {}", verdict.author),
        Event::Suggestion(stated) => {
            format!("{} {}: {}", stated.kind, stated.author, stated.text)
        }
        other => panic!("geas states none: {other:?}"),
    };
    events(record).iter().map(line).collect()
}

fn finding_line(finding: &FindingStated) -> String {
    let word = |word: &Option<String>| word.clone().unwrap_or_else(|| "-".to_owned());
    let (author, severity) = (word(&finding.author), word(&finding.severity));
    let (category, state) = (word(&finding.category), finding.state.unwrap());
    format!("{author} {severity} {category} {state}: {}", finding.text)
}

/// What a self-check with this confidence and these other fields counts, and the problem.
fn check(confidence: &str, rest: &str, counted: usize, problem: Option<&str>) {
    let text = format!("{{\"known_risks\":[],\"confidence\":{confidence}{rest}}}");
    let record = record(text);
    let findings = events(&record);
    let findings = findings.iter().filter(|event| matches!(event, Event::Finding(_)));
    assert_eq!(findings.count(), counted, "{confidence}{rest}");
    let reasons: Vec<&str> = record.problems.iter().map(|problem| &*problem.reason).collect();
    assert_eq!(reasons, Vec::from_iter(problem), "{confidence}{rest}");
}

#[test]
fn confidence_is_read_as_it_comes() {
    let kind = ",\"task_kind\":\"docs\"";
    for low in ["1", "2", "2.0", "\"1\"", "\" 2 / 5\""] {
        check(low, kind, 1, None);
    }
    for high in ["3", "5", "\"4\"", "null"] {
        check(high, kind, 0, None);
    }
    let odd = "field \"confidence\" is not a number from 1 to 5";
    for wrong in ["0", "6", "-1", "\"low\"", "[2]", "true", "1e300"] {
        check(wrong, kind, 0, Some(odd));
    }
    check("1", ",\"meta\":{\"producer_type\":\"writer\"}", 1, None);
    check("1", "", 0, Some("low confidence without a \"task_kind\" is not counted"));
}

#[test]
fn the_class_of_a_failure_falls_back() {
    let cases = [
        (r#"{"failure_class":"A","failure_source":"b","failed_at_state":"c"}"#, Some("a")),
        (r#"{"failure_class":"","failure_source":"b","failed_at_state":"c"}"#, Some("b")),
        (r#"{"failure_source":null,"failed_at_state":"c"}"#, Some("c")),
        (r#"{"failure_class":["x"]}"#, None),
    ];
    for (text, class) in cases {
        let record = record(text);
        let categories = record.events.iter().filter_map(|sourced| match &sourced.event {
            Event::Finding(finding) => finding.category.as_deref(),
            _ => None,
        });
        assert_eq!(categories.collect::<Vec<_>>(), Vec::from_iter(class), "{text}");
        assert_eq!(record.n_put_aside, 1, "no reason is given");
    }
}

#[test]
fn documents_come_alone_in_lists_and_in_lines() {
    let compact = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        value.to_string()
    };
    let both = [told(&record(RETROSPECTIVE)), told(&record(FAILURE))].concat();
    assert_eq!(told(&record(format!("[{RETROSPECTIVE},\n{FAILURE}]"))), both);
    let lines = format!("{}\n{}\n", compact(RETROSPECTIVE), compact(FAILURE));
    assert_eq!(told(&record(&lines)), both);
    let marked = [b"\xEF\xBB\xBF", RETROSPECTIVE.as_bytes()].concat();
    assert_eq!(told(&record(marked)), told(&record(RETROSPECTIVE)));
    // The first line holds more than the bracket, and is no object by itself.
    let odd = "{ \"memory_candidates\": [],\n  \"task_id\": 7\n}";
    assert_eq!(told(&record(odd)), ["run 7"]);
}

#[test]
fn what_is_no_artifact_is_named() {
    let mixed = record(format!("[{{\"type\":\"run\",\"id\":\"r1\"}},{SELF_CHECK}]"));
    assert_eq!(told(&mixed).len(), 3);
    let skipped = "x: none of the geas documents that are read: it is skipped";
    assert_eq!(problems(&mixed), [skipped]);
    let forced = read("x", &b"{\n\"a\": 1\n}"[..], Some(Format::Geas)).unwrap();
    assert_eq!((told(&forced).len(), problems(&forced)), (0, vec![skipped.to_owned()]));
}

#[test]
fn hostile_documents_are_refused_or_cut() {
    let document = |text: String| read("x", text.as_bytes(), None);
    let deep = format!("{{\n\"failure_reason\": {}1{}\n}}", "[".repeat(64), "]".repeat(64));
    assert!(matches!(document(deep), Err(ReadError::Unknown { .. })));
    let endless = format!("{{\n\"failure_reason\": {}", "[".repeat(1 << 20));
    assert!(matches!(document(endless), Err(ReadError::Unknown { .. })));
    let huge = format!("{{\n\"failure_reason\": \"{}\"\n}}", "x".repeat(16 << 20));
    assert!(matches!(document(huge), Err(ReadError::Unknown { .. })));
    let torn = RETROSPECTIVE.trim_end().trim_end_matches('}').to_owned();
    assert!(matches!(document(torn), Err(ReadError::Unknown { .. })));
    let binary = read("x", &b"{\n\"failure_reason\": \"\0\xFF\"\n}"[..], None);
    assert!(matches!(binary, Err(ReadError::Binary { .. })));
    let many = format!("{{\"memory_candidates\":[{}\"a\"]}}", "\"a\",".repeat(5000));
    let many = record(many);
    assert_eq!(many.events.len(), 1000);
    assert_eq!(problems(&many), ["x: field \"memory_candidates\" has more than 1000 items"]);
}
