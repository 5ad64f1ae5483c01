//! Reports of a pipeline's agents: verdicts for programs in comments on GitHub, in files of their
//! own, and in the records of calls.

mod calls;
mod comments;
mod files;

use hardwon_core::event::{DeliberationStated, Event, Record, VerdictStated};
use hardwon_readers::{Format, read};
use serde_json::{Value, json};

use crate::{events, findings};

/// A verdict for programs.
fn comment(verdict: &Value) -> String {
    format!("<!-- jkz:verdict-json\n{verdict}\n-->")
}

fn issue(id: &str, summary: &str, location: &str) -> Value {
    json!({
        "id": id, "severity": "HIGH", "summary": summary, "location": location,
        "root_cause": "missing_validation", "fix_hint": "Check the length first",
    })
}

fn fail(issues: &[Value]) -> Value {
    let must_fix: Vec<&Value> = issues.iter().map(|issue| &issue["id"]).collect();
    json!({ "verdict": "FAIL", "issues": issues, "must_fix": must_fix, "false_positives": [] })
}

fn verdicts(record: &Record) -> Vec<&VerdictStated> {
    let all = events(record).into_iter();
    all.filter_map(|it| if let Event::Verdict(it) = it { Some(it) } else { None }).collect()
}

/// `judge:fail`, with what it ruled false.
fn judged(record: &Record) -> Vec<String> {
    let word = |is_pass: Option<bool>| match is_pass {
        Some(true) => "pass",
        Some(false) => "fail",
        None => "?",
    };
    let told = verdicts(record).into_iter().map(|it| {
        let ruled = it.false_positives.join(",");
        format!("{}:{} {ruled}", it.author, word(it.is_pass)).trim_end().to_owned()
    });
    told.collect()
}

/// `id author severity path:line category | text | repair`.
fn found(record: &Record) -> Vec<String> {
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let told = findings(record).into_iter().map(|it| {
        let line = it.line.map_or(String::new(), |line| format!(":{line}"));
        let [id, author, severity, path, category, repair] =
            [&it.id, &it.author, &it.severity, &it.path, &it.category, &it.repair].map(or);
        format!("{id} {author} {severity} {path}{line} {category} | {} | {repair}", it.text)
    });
    told.collect()
}

fn calls(record: &Record) -> Vec<&DeliberationStated> {
    let all = events(record).into_iter();
    all.filter_map(|it| if let Event::Deliberation(it) = it { Some(it) } else { None }).collect()
}

fn attempts(record: &Record) -> Vec<String> {
    let told = events(record).into_iter().filter_map(|event| match event {
        Event::Attempt(it) => {
            let result = it.result.map_or("-", |result| result.word());
            let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
            let (role, n) = (or(&it.role), it.iteration.unwrap_or(0));
            let (why, next) = (or(&it.why), or(&it.next));
            Some(format!("{role} {} {n} {result} | {} | {why} | {next}", it.issue, it.approach))
        }
        _ => None,
    });
    told.collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn review(name: &str, text: &str) -> Record {
    read(name, text.as_bytes(), Some(Format::Review)).unwrap()
}
