use super::*;
use crate::episode::StepKind;
use crate::event::{Source, Sourced, StepStated};
use crate::message::message;

/// A session whose lines are messages, each with a step of that name.
fn session(id: Option<&str>, at: i64, lines: &[&str]) -> Record {
    let source = |line| Source { input: "s".to_owned(), line };
    let run = RunStated {
        id: id.map(str::to_owned),
        started: Some(Timestamp(at)),
        ..RunStated::default()
    };
    let step = |name: &str| Event::Step(StepStated::done(StepKind::Command, name, Some(true), ""));
    let numbered = || (1..).zip(lines);
    let steps = numbered().map(|(line, name)| Sourced { source: source(line), event: step(name) });
    let first = Sourced { source: source(0), event: Event::Run(run) };
    Record {
        events: [first].into_iter().chain(steps).collect(),
        messages: numbered().map(|(line, name)| (line, message(&[name]))).collect(),
        ..Record::default()
    }
}

fn known(run: &str, root: &str, messages: &[&str]) -> Known {
    let messages = Messages::of(messages.iter().map(|name| message(&[name])));
    Known { run: RunId::parse(run).unwrap(), root: RunId::parse(root).unwrap(), messages }
}

/// The parent that a session got, and the steps that are its own.
fn told(record: &Record) -> (Option<&str>, Vec<&str>) {
    let steps = record.events.iter().filter_map(|it| match &it.event {
        Event::Step(step) => Some(step.action.as_str()),
        _ => None,
    });
    (record.runs().next().and_then(|run| run.parent.as_deref()), steps.collect())
}

#[test]
fn a_copy_is_part_of_what_it_copies_and_shows_only_what_is_new() {
    // Known sessions, the session that comes, its parent then, and what it shows.
    type Case<'a> = (&'a [Known], Record, Option<&'a str>, &'a [&'a str]);
    let table: &[Case<'_>] = &[
        (&[known("a", "a", &["1", "2"])], session(Some("b"), 9, &["1", "2"]), Some("a"), &[]),
        (&[known("a", "a", &["1", "2"])], session(Some("b"), 9, &["2", "3"]), Some("a"), &["3"]),
        (&[known("a", "r", &["1"])], session(Some("b"), 9, &["1", "3"]), Some("r"), &["3"]),
        (&[known("a", "a", &["1"])], session(Some("b"), 9, &["2", "3"]), None, &["2", "3"]),
        // The session itself once more, and longer.
        (&[known("a", "a", &["1"])], session(Some("a"), 9, &["1", "2"]), None, &["1", "2"]),
        // The same after it was linked: what the other showed stays the other's.
        (
            &[known("a", "a", &["1"]), known("b", "a", &["2"])],
            session(Some("b"), 9, &["1", "2", "3"]),
            None,
            &["2", "3"],
        ),
        // A file without a name for its session, once more and as part of another.
        (&[known("a", "a", &["1", "2"])], session(None, 9, &["1", "2"]), None, &["1", "2"]),
        (&[known("a", "a", &["1", "2"])], session(None, 9, &["1", "5"]), Some("a"), &["1", "5"]),
    ];
    for (before, record, parent, steps) in table {
        let mut records = [record.clone()];
        assert_eq!(link(before.to_vec(), &mut records), [], "{before:?}");
        assert_eq!(told(&records[0]), (*parent, steps.to_vec()), "{before:?}");
    }
}

#[test]
fn the_first_of_a_call_comes_first_and_a_later_link_makes_two_one() {
    let forks = ["c", "b", "a"].map(|id| {
        let lines = if id == "a" { vec!["1"] } else { vec!["1", id] };
        session(Some(id), i64::from(id.as_bytes()[0]), &lines)
    });
    let mut records = forks;
    assert_eq!(link(Vec::new(), &mut records), []);
    let all: Vec<_> = records.iter().map(told).collect();
    assert_eq!(all, [(Some("a"), vec!["c"]), (Some("a"), vec!["b"]), (None, vec!["1"])]);
    // Two that seemed apart, and one that has messages of both.
    let apart = vec![known("a", "a", &["1"]), known("b", "b", &["2"])];
    let mut records = [session(Some("c"), 9, &["1", "2"])];
    let [a, b] = ["a", "b"].map(|id| RunId::parse(id).unwrap());
    assert_eq!(link(apart, &mut records), [Join { root: b, into: a }]);
    let mut records = ["a", "b", "c"].map(|id| {
        let lines: &[&str] = if id == "c" { &["a", "b"] } else { &[id] };
        session(Some(id), i64::from(id.as_bytes()[0]), lines)
    });
    link(Vec::new(), &mut records);
    assert_eq!(records.each_ref().map(|it| told(it).0), [None, Some("a"), Some("a")]);
}
