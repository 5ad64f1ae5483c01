//! Which run is a report of, if many were kept? Reports that name no run are called after the
//! folder in which they lie, or after their file if all lie in one.

use std::collections::BTreeSet;
use std::path::Path;

use hardwon_core::event::{Event, Record, RunStated, Source, Sourced};

use crate::run_name::run_name;

/// Names the runs of reports by their files, in the order of the numbers in their names: `ci-9`
/// comes before `ci-10`.
pub fn name_reports(records: &mut [Record]) {
    if !records.iter().any(is_unnamed) {
        return;
    }
    records.sort_by_cached_key(|record| in_order(input(record)));
    let folders: BTreeSet<String> =
        records.iter().filter(|record| is_unnamed(record)).map(folder).collect();
    let n_shared = folders.iter().map(|folder| n_alike(folder, &folders)).min().unwrap_or(0);
    for record in records.iter_mut().filter(|record| is_unnamed(record)) {
        let name = match folders.len() {
            1 => stem(input(record)),
            _ => parts(&folder(record)).split_off(n_shared).join("/"),
        };
        let source = Source { input: input(record).to_owned(), line: 0 };
        let id = Some(run_name(&name));
        // A run without a name would be another one.
        for sourced in &mut record.events {
            if let Event::Run(run) = &mut sourced.event {
                run.id.clone_from(&id);
            }
        }
        let run = RunStated { id, ..RunStated::default() };
        record.events.insert(0, Sourced { source, event: Event::Run(run) });
    }
}

fn is_unnamed(record: &Record) -> bool {
    let names = |sourced: &Sourced| matches!(&sourced.event, Event::Run(run) if run.id.is_some());
    record.is_report && !record.events.is_empty() && !record.events.iter().any(names)
}

fn input(record: &Record) -> &str {
    record.events.first().map_or("", |sourced| &sourced.source.input)
}

fn folder(record: &Record) -> String {
    let folder = Path::new(input(record)).parent();
    folder.map(|folder| folder.display().to_string()).unwrap_or_default()
}

fn stem(input: &str) -> String {
    let stem = Path::new(input).file_stem();
    stem.map_or_else(|| input.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

fn parts(folder: &str) -> Vec<&str> {
    folder.split('/').collect()
}

/// How many parts at the start a folder shares with all others; one of its own always stays.
fn n_alike(folder: &str, folders: &BTreeSet<String>) -> usize {
    let own = parts(folder);
    let alike = |other: &String| {
        own.iter().zip(parts(other)).take_while(|(own, other)| *own == other).count()
    };
    folders.iter().map(alike).min().unwrap_or(0).min(own.len() - 1)
}

/// A name in which every number is as long as any other.
fn in_order(name: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for c in name.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            out += &format!("{digits:0>20}");
            digits.clear();
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, read};

    fn named(files: &[&str]) -> Vec<String> {
        let report = |name: &&str| read(name, &b"src/a.c:1: unused x\n"[..], Some(Format::Lines));
        let mut records: Vec<Record> = files.iter().map(|name| report(name).unwrap()).collect();
        for record in &mut records {
            record.is_report = true;
        }
        name_reports(&mut records);
        let name = |record: &Record| match &record.events[0].event {
            Event::Run(run) => run.id.clone().unwrap(),
            other => panic!("no run: {other:?}"),
        };
        records.iter().map(name).collect()
    }

    #[test]
    fn files_of_one_folder_are_runs_in_the_order_of_their_numbers() {
        assert_eq!(named(&["ci/r10.txt", "ci/r9.txt", "ci/r1.txt"]), ["r1", "r9", "r10"]);
        assert_eq!(named(&["one.txt"]), ["one"]);
    }

    #[test]
    fn folders_of_reports_are_runs() {
        let files = ["ci/2/a.txt", "ci/2/b.txt", "ci/10/a.txt"];
        assert_eq!(named(&files), ["2", "2", "10"]);
        assert_eq!(named(&["ci/1/out/a.txt", "ci/2/out/a.txt"]), ["1/out", "2/out"]);
        assert_eq!(named(&["ci/a.txt", "ci/2/a.txt"]), ["ci/2", "ci"]);
    }

    #[test]
    fn records_that_name_their_run_keep_it() {
        let line = br#"{"type":"run","id":"r7"}"#;
        let mut records = vec![read("x.jsonl", &line[..], None).unwrap()];
        let before = records[0].events.clone();
        name_reports(&mut records);
        assert_eq!(records[0].events, before);
    }
}
