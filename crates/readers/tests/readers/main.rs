//! The readers, from outside: whole inputs in, records out.

mod contract;
mod episodes;
mod every_byte;
mod folder;
mod formats;
mod geas;
mod golden;
mod hostile;
mod jkz;
mod memory_files;
mod reach;
mod reports;
mod sessions;
mod torn_secrets;
mod transcripts;

use hardwon_core::event::{Event, FindingStated, Problem, Record, RunStated};
use hardwon_readers::read;

/// Reads an input that must be readable.
fn record(input: impl AsRef<[u8]>) -> Record {
    read("x", input.as_ref(), None).unwrap_or_else(|error| panic!("{error}"))
}

fn events(record: &Record) -> Vec<&Event> {
    record.events.iter().map(|sourced| &sourced.event).collect()
}

/// Every problem as `place: reason`.
fn problems(record: &Record) -> Vec<String> {
    shown(&record.problems)
}

fn shown(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|problem| format!("{}: {}", problem.at, problem.reason)).collect()
}

fn findings(record: &Record) -> Vec<&FindingStated> {
    let all = events(record).into_iter();
    all.filter_map(|it| if let Event::Finding(it) = it { Some(it) } else { None }).collect()
}

fn runs(record: &Record) -> Vec<&RunStated> {
    let all = events(record).into_iter();
    all.filter_map(|it| if let Event::Run(it) = it { Some(it) } else { None }).collect()
}

/// The texts of all findings.
fn texts(record: &Record) -> Vec<&str> {
    findings(record).into_iter().map(|finding| finding.text.as_str()).collect()
}

/// The ids of the runs that an input states.
fn told_runs(input: &str) -> Vec<String> {
    runs(&record(input)).iter().filter_map(|run| run.id.clone()).collect()
}
