//! What tools report, format by format: what is read of it, and what of damaged ones.

use hardwon_core::event::{Event, FindingStated, Record};
use hardwon_core::run::Outcome;
use hardwon_readers::{Format, Limits, read, read_within};

use crate::{findings, problems, record, runs};

const SARIF: &str = include_str!("../fixtures/reports/shop.sarif");
const JUNIT: &str = include_str!("../fixtures/reports/nextest.xml");
const CARGO: &str = include_str!("../fixtures/reports/clippy.jsonl");
const RDJSON: &str = include_str!("../fixtures/reports/reviewdog.json");
const RDJSONL: &str = include_str!("../fixtures/reports/reviewdog.jsonl");
const COMMENTS: &str = include_str!("../fixtures/reports/comments.json");
const THREADS: &str = include_str!("../fixtures/reports/threads.json");
const ANNOTATIONS: &str = include_str!("../fixtures/reports/annotations.json");
const ESLINT: &str = include_str!("../fixtures/reports/eslint.json");
const GCC: &str = include_str!("../fixtures/reports/gcc.txt");

const ALL: [(Format, &str); 10] = [
    (Format::Sarif, SARIF),
    (Format::Junit, JUNIT),
    (Format::Cargo, CARGO),
    (Format::Rdjson, RDJSON),
    (Format::Rdjsonl, RDJSONL),
    (Format::Github, COMMENTS),
    (Format::Github, THREADS),
    (Format::Github, ANNOTATIONS),
    (Format::Eslint, ESLINT),
    (Format::Lines, GCC),
];

/// A finding in one line: author, severity, rule, place, grade, state and text.
fn short(finding: &FindingStated) -> String {
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    let grade = finding.grade.map(|grade| grade.to_string());
    let state = finding.state.map(|state| state.to_string());
    let gone = if finding.is_gone { " (gone)" } else { "" };
    format!(
        "{} {} {} {}{line} {} {}{gone} | {}",
        or(&finding.author),
        or(&finding.severity),
        or(&finding.rule),
        or(&finding.path),
        or(&grade),
        or(&state),
        finding.text
    )
}

fn shorts(record: &Record) -> Vec<String> {
    findings(record).into_iter().map(short).collect()
}

fn detectors(record: &Record) -> Vec<&str> {
    let all = crate::events(record).into_iter();
    all.filter_map(|it| if let Event::Verdict(it) = it { Some(&*it.author) } else { None })
        .collect()
}

#[test]
fn junit_suites_that_found_nothing() {
    let cases = [
        (
            "<testsuite name=\"pytest\"><testcase name=\"a\"/></testsuite>",
            vec!["pytest"],
            Some(Outcome::Success),
        ),
        (
            "<testsuite name=\"a.B\"><testcase name=\"a\"/></testsuite>",
            vec!["junit"],
            Some(Outcome::Success),
        ),
        ("<testsuite><testcase name=\"a\"><skipped/></testcase></testsuite>", vec![], None),
        ("<testsuites/>", vec![], None),
    ];
    for (report, authors, outcome) in cases {
        let record = record(report);
        let found = runs(&record).last().and_then(|run| run.outcome);
        assert_eq!((detectors(&record), found), (authors, outcome), "{report}");
        assert_eq!(problems(&record), [""; 0], "{report}");
    }
}

#[test]
fn pages_of_github_may_stand_one_after_the_other() {
    assert_eq!(findings(&record(format!("{COMMENTS}{COMMENTS}"))).len(), 4);
}

#[test]
fn what_github_adds_to_every_failure_is_no_finding() {
    let annotation = |message: &str| {
        format!(
            "{{\"path\":\".github\",\"start_line\":9,\"annotation_level\":\"failure\",\"message\":\"{message}\"}}"
        )
    };
    let junk = annotation("Process completed with exit code 1.");
    let list = record(format!("[{junk},{}]", annotation("Process pool is exhausted")));
    assert_eq!(shorts(&list), ["github-checks error - -:9 - - | Process pool is exhausted"]);
    let alone = record(format!("[{junk}]"));
    assert_eq!((findings(&alone).len(), detectors(&alone)), (0, vec!["github-checks"]));
    assert_eq!(problems(&alone), [""; 0]);
}

#[test]
fn a_change_that_a_comment_offers_is_no_finding() {
    let comment = |body: &str| {
        format!(
            "{{\"path\":\"src/a.rs\",\"line\":3,\"diff_hunk\":\"@@\",\"body\":\"{body}\",\"user\":{{\"login\":\"ada\"}}}}"
        )
    };
    let block = "```suggestion\\n    let total = cents;\\n```";
    let list =
        format!("[{},{}]", comment(block), comment(&format!("This loses cents\\n\\n{block}\\n")));
    let comments = record(list);
    assert_eq!(shorts(&comments), ["ada warning - src/a.rs:3 - - | This loses cents"]);
    assert_eq!(problems(&comments), [""; 0]);
}

#[test]
fn eslint_looked_even_if_it_found_nothing() {
    let nothing = read("x", &b"[]"[..], Some(Format::Eslint)).unwrap();
    assert_eq!(detectors(&nothing), ["eslint"]);
}

#[test]
fn a_result_of_wrong_types_costs_only_itself() {
    let sarif = |result: &str| {
        record(format!(
            "{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"t\"}}}},\
             \"results\":[{{\"message\":{{\"text\":\"before\"}}}},{result},\
             {{\"message\":{{\"text\":\"after\"}}}}]}}]}}"
        ))
    };
    let place = "{\"message\":{\"text\":\"m\"},\"locations\":";
    let cases = [
        ("7".to_owned(), 2, "not an object"),
        ("{}".to_owned(), 2, "a result without a message"),
        ("{\"message\":\"m\"}".to_owned(), 2, "field \"message\" is not an object"),
        ("{\"message\":{\"text\":[]}}".to_owned(), 2, "field \"text\" is not a string"),
        (format!("{place}{{}}}}"), 3, "field \"locations\" is not a list"),
        (
            format!("{place}[{{\"physicalLocation\":1}}]}}"),
            3,
            "field \"physicalLocation\" is not an object",
        ),
        (
            "{\"message\":{\"text\":\"m\"},\"level\":\"loud\"}".to_owned(),
            3,
            "field \"level\" is not a known one; taken as warning",
        ),
        (r#"{"message":{"text":"m"},"ruleId":7}"#.into(), 3, "field \"ruleId\" is not a string"),
    ];
    for (result, n_findings, reason) in cases {
        let record = sarif(&result);
        assert_eq!(findings(&record).len(), n_findings, "{result}");
        assert_eq!(record.problems[0].at, "x:1", "{result}");
        assert_eq!(record.problems[0].reason, format!("result 2 of run 1: {reason}"), "{result}");
    }
    let (open, shut) = ("[".repeat(100_000), "]".repeat(100_000));
    let deep = format!("{{\"message\":{{\"text\":\"m\"}},\"level\":{open}{shut}}}");
    assert_eq!(findings(&sarif(&deep)).len(), 3);
    let odd = record(
        "{\"version\":\"2.1.0\",\"runs\":[7,{\"results\":{}},{\"results\":[{\"message\":{\"text\":\"m\"}}]}]}",
    );
    assert_eq!(findings(&odd).len(), 1);
    let told = problems(&odd);
    assert_eq!(told, ["x:1: a run is not an object", "x:1: field \"results\" is not a list"]);
}

#[test]
fn reports_cut_anywhere_keep_what_was_whole() {
    for (format, whole) in ALL {
        let all = shorts(&read("x", whole.as_bytes(), Some(format)).unwrap());
        let n_problems = |record: &Record| {
            record.problems.iter().filter(|p| p.reason.contains("too early")).count()
        };
        for end in 1..whole.len() {
            let Ok(cut) = read("x", &whole.as_bytes()[..end], Some(format)) else { continue };
            let found = shorts(&cut);
            assert!(found.len() <= all.len(), "{format:?} at {end}");
            assert!(n_problems(&cut) <= 1, "{format:?} at {end}: {:?}", problems(&cut));
            // Content alone decides, too, and never panics.
            if end % 7 == 0 {
                let _ = read("x", &whole.as_bytes()[..end], None);
            }
        }
    }
    let at = JUNIT.find("<testcase name=\"net::waits\"").unwrap();
    let cut = record(&JUNIT[..at + 40]);
    assert_eq!((findings(&cut).len(), cut.problems.len()), (1, 1));
    assert_eq!(cut.problems[0].reason, "the document ends too early; what was whole is used");
    let at = SARIF.find("Known and accepted").unwrap();
    let cut = record(&SARIF[..at]);
    // The words of the second result stand in the rules, which are lost.
    assert_eq!(
        problems(&cut),
        [
            "x:19: result 2 of run 1: a result without a message",
            "x:27: the document ends too early; what was whole is used",
        ]
    );
    assert_eq!(findings(&cut).len(), 2);
}

#[test]
fn entities_are_never_expanded_and_types_never_declared() {
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\
                <testsuite><testcase name=\"&b;\"><failure/></testcase></testsuite>";
    let refused = record(bomb);
    assert_eq!(
        problems(&refused),
        ["x:1: the document declares a type (DOCTYPE), which is never read: write it without one"]
    );
    assert_eq!(refused.events.len(), 0);
    let report = "<testsuite><testcase name=\"a&b;&#x41;\"><failure message=\"&lt;&file;\"/></testcase></testsuite>";
    assert_eq!(findings(&record(report))[0].text, "Test a&b;A fails: <&file;");
    let deep = "<testsuite>".repeat(100_000);
    assert_eq!(record(deep).problems.len(), 1);
}

#[test]
fn a_report_with_too_many_findings_says_so_once() {
    let one = "{\"message\":{\"text\":\"m\"}}";
    let all = vec![one; 6000].join(",");
    let record = record(format!("{{\"version\":\"2.1.0\",\"runs\":[{{\"results\":[{all}]}}]}}"));
    assert_eq!(findings(&record).len(), 2000);
    let told = problems(&record);
    assert_eq!(told, ["x: 4000 more findings were left out: of one report 2000 are used"]);
    assert_eq!((record.n_put_aside, record.is_cut), (4000, true));
    let limits = Limits { input_bytes: 500, ..Limits::default() };
    let cut = read_within(limits, "x", SARIF.as_bytes(), None).unwrap();
    assert!(cut.is_cut && cut.problems.len() == 1, "{:?}", cut.problems);
}
