//! The readers, from outside: whole inputs in, records out.

mod contract;
mod cuts;
mod episodes;
mod every_byte;
mod folder;
mod formats;
mod geas;
mod hostile;
mod memory_files;
mod reach;
mod reports;
mod reviews;
mod transcripts;

use hardwon_core::event::{Event, Record};
use hardwon_readers::read;

/// Reads an input that must be readable.
fn record(input: impl AsRef<[u8]>) -> Record {
    read("x", input.as_ref(), None).unwrap_or_else(|error| panic!("{error}"))
}

/// The events alone.
fn events(record: &Record) -> Vec<&Event> {
    record.events.iter().map(|sourced| &sourced.event).collect()
}

/// Every problem as `place: reason`.
fn problems(record: &Record) -> Vec<String> {
    record.problems.iter().map(|problem| format!("{}: {}", problem.at, problem.reason)).collect()
}

/// The texts of all findings.
fn texts(record: &Record) -> Vec<&str> {
    let findings = record.events.iter().filter_map(|sourced| match &sourced.event {
        Event::Finding(finding) => Some(finding.text.as_str()),
        _ => None,
    });
    findings.collect()
}
