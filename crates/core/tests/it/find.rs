//! Events become runs with findings; nothing is lost, nothing goes to the wrong run.

use hardwon_core::event::{
    Event, FindingStated, FixStated, Record, RunStated, Source, Sourced, VerdictStated,
};
use hardwon_core::find::{FoundRuns, find};
use hardwon_core::finding::{FindingState, Grade};
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;

fn record(events: Vec<Event>) -> Record {
    let source = |line: usize| Source { input: "a".into(), line: line as u64 + 1 };
    let events = events.into_iter().enumerate();
    Record {
        events: events.map(|(line, event)| Sourced { source: source(line), event }).collect(),
        channel: Some(Origin::Reviewer),
        ..Record::default()
    }
}

fn run(id: &str) -> Event {
    Event::Run(RunStated { id: Some(id.into()), ..RunStated::default() })
}

fn finding(author: &str, text: &str) -> Event {
    let (author, severity) = (Some(author.to_owned()), Some("Warning".to_owned()));
    Event::Finding(FindingStated { author, severity, text: text.into(), ..Default::default() })
}

fn found(records: &[Record], given: Option<&str>) -> FoundRuns {
    let given = given.map(|id| RunId::parse(id).unwrap());
    find(records, given.as_ref(), &|_, _| None)
}

fn texts(found: &FoundRuns) -> Vec<(&str, Vec<&str>)> {
    found
        .runs
        .iter()
        .map(|run| {
            let texts = run.findings.iter().map(|f| f.stated.text.as_str()).collect();
            (run.id.as_str(), texts)
        })
        .collect()
}

#[test]
fn findings_belong_to_the_run_line_above_them() {
    let events =
        vec![run("a"), finding("g", "1"), run("b"), finding("g", "2"), run("a"), finding("g", "3")];
    assert_eq!(texts(&found(&[record(events)], None)), [("a", vec!["1", "3"]), ("b", vec!["2"])]);
}

#[test]
fn records_without_a_run_line_belong_to_the_given_run() {
    let records = [record(vec![finding("g", "1")]), record(vec![finding("g", "2")])];
    let all = found(&records, Some("ci-7"));
    assert_eq!(texts(&all), [("ci-7", vec!["1", "2"])]);
    assert_eq!(all.problems, []);
}

#[test]
fn unnamed_runs_are_named_by_their_content() {
    let once = found(&[record(vec![finding("g", "1")])], None);
    let again = found(&[record(vec![finding("g", "1")])], None);
    let other = found(&[record(vec![finding("g", "2")])], None);
    assert_eq!(once.runs[0].id, again.runs[0].id);
    assert_ne!(once.runs[0].id, other.runs[0].id);
    assert!(once.problems[0].reason.contains("pass --run"));
}

#[test]
fn a_bad_run_id_never_hands_its_findings_to_another_run() {
    let found_by = |text| finding("g", text);
    let events = vec![run("a"), found_by("1"), run("../x"), found_by("2"), run(""), found_by("3")];
    let all = found(&[record(events)], None);
    assert_eq!(all.runs.len(), 3);
    assert!(all.runs.iter().all(|run| run.findings.len() == 1));
}

#[test]
fn detectors_are_those_listed_or_else_the_authors() {
    let verdict = Event::Verdict(VerdictStated { author: "sage".into(), ..Default::default() });
    let all = found(&[record(vec![run("a"), finding("g", "1"), verdict.clone()])], None);
    assert_eq!(all.runs[0].detectors.iter().collect::<Vec<_>>(), ["g", "sage"]);
    let (id, detectors) = (Some("a".into()), Some(vec![]));
    let listed = Event::Run(RunStated { id, detectors, ..RunStated::default() });
    let all = found(&[record(vec![listed, finding("g", "1"), verdict])], None);
    assert!(all.runs[0].detectors.is_empty(), "a list is the whole truth");
}

#[test]
fn fixes_close_findings_and_rulings_dismiss_them() {
    let fix = |text: &str| Event::Fix(FixStated { text: text.into(), ..FixStated::default() });
    let ruling = Event::Verdict(VerdictStated {
        author: "judge".into(),
        grade: Some(Grade::Executed),
        false_positives: vec!["2".into()],
        ..VerdictStated::default()
    });
    let events = vec![run("a"), finding("g", "1"), finding("g", "2"), fix("1"), fix("old"), ruling];
    let all = found(&[record(events)], None);
    let states: Vec<(&str, FindingState, bool)> = all.runs[0]
        .findings
        .iter()
        .map(|f| (f.stated.text.as_str(), f.state, f.is_sighting))
        .collect();
    assert_eq!(
        states,
        [
            ("1", FindingState::Fixed, true),
            ("2", FindingState::Dismissed, false),
            ("old", FindingState::Fixed, false),
        ]
    );
    let ruled: Vec<_> = all.runs[0].findings.iter().map(|f| f.ruled_by.as_deref()).collect();
    assert_eq!(ruled, [None, Some("judge"), None]);
}

#[test]
fn a_verdict_is_reasoned_only_if_nothing_grounds_it() {
    let verdict = |author: &str, grade| {
        Event::Verdict(VerdictStated { author: author.into(), grade, ..VerdictStated::default() })
    };
    let events = vec![
        run("a"),
        verdict("g", Some(Grade::Reasoned)),
        verdict("s", Some(Grade::Reasoned)),
        verdict("s", Some(Grade::Cited)),
        verdict("t", None),
    ];
    let all = found(&[record(events)], None);
    assert_eq!(all.runs[0].reasoned_only.iter().collect::<Vec<_>>(), ["g"]);
}

#[test]
fn a_fingerprint_that_tells_nothing_apart_is_dropped() {
    let scanned = |rule: &str, fingerprint: &str| {
        Event::Finding(FindingStated {
            author: Some("scan".into()),
            severity: Some("warning".into()),
            rule: Some(rule.into()),
            text: rule.into(),
            path: Some("app/a.py".into()),
            fingerprint: Some(fingerprint.into()),
            ..FindingStated::default()
        })
    };
    let events = [
        ("eval", "scan id=requires login"),
        ("md5", "scan id=77aa"),
        ("tmp", "scan id=77aa"),
        ("sql", "scan id=4f1c"),
    ];
    let events = events.map(|(rule, fingerprint)| scanned(rule, fingerprint));
    let all = found(&[record(events.into())], Some("r1"));
    let kept: Vec<Option<&str>> =
        all.runs[0].findings.iter().map(|found| found.stated.fingerprint.as_deref()).collect();
    assert_eq!(kept, [None, None, None, Some("scan id=4f1c")]);
}
