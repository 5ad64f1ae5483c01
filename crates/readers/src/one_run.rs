//! Which records belong together, and which run is each of? Several reports of one run are made to
//! agree; reports that name no run are called after the folder in which they lie, or after their
//! file if all lie in one. Paths are taken as they are
//! written inside the project, before anything is decided about them.

use std::collections::BTreeSet;
use std::path::Path;

use hardwon_core::event::{Event, Record, RunStated, Source, Sourced};
use hardwon_core::run::Outcome;

use crate::report::run_name;

/// Several reports of one run, such as those of its tests and its linters: a failure in one
/// is how the run ended, and where one lists who looked, the others list theirs. What a tool
/// calls its own run is not asked for: the caller has named it.
pub fn agree(records: &mut [Record]) {
    for report in records.iter_mut().filter(|record| record.is_report) {
        runs_mut(report).for_each(|run| run.id = None);
    }
    let mut reports: Vec<&mut Record> =
        records.iter_mut().filter(|record| runs(record).all(|run| run.id.is_none())).collect();
    let stated = |outcome: Outcome| move |run: &RunStated| run.outcome == Some(outcome);
    if reports.iter().any(|record| runs(record).any(stated(Outcome::Failed))) {
        for record in &mut reports {
            for run in runs_mut(record).filter(|run| run.outcome.is_some()) {
                run.outcome = Some(Outcome::Failed);
            }
        }
    }
    if records.iter().any(|record| runs(record).any(|run| run.detectors.is_some())) {
        records.iter_mut().for_each(list_authors);
    }
}

fn runs(record: &Record) -> impl Iterator<Item = &RunStated> {
    record.events.iter().filter_map(|sourced| match &sourced.event {
        Event::Run(run) => Some(run),
        _ => None,
    })
}

fn runs_mut(record: &mut Record) -> impl Iterator<Item = &mut RunStated> {
    record.events.iter_mut().filter_map(|sourced| match &mut sourced.event {
        Event::Run(run) => Some(run),
        _ => None,
    })
}

/// A record that names neither its run nor its detectors lists those who speak in it.
fn list_authors(record: &mut Record) {
    if runs(record).any(|run| run.id.is_some() || run.detectors.is_some()) {
        return;
    }
    let authors = record.events.iter().filter_map(|sourced| match &sourced.event {
        Event::Finding(finding) => finding.author.clone(),
        Event::Verdict(verdict) => Some(verdict.author.clone()),
        _ => None,
    });
    let authors: BTreeSet<String> = authors.collect();
    let detectors = Some(authors.into_iter().collect());
    begin_with(record, RunStated { detectors, ..RunStated::default() });
}

/// States this about the run of a record before everything else; not of one that states nothing.
fn begin_with(record: &mut Record, run: RunStated) {
    let Some(first) = record.events.first() else { return };
    let source = Source { input: first.source.input.clone(), line: 0 };
    record.events.insert(0, Sourced { source, event: Event::Run(run) });
}

fn input(record: &Record) -> &str {
    record.events.first().map_or("", |sourced| &sourced.source.input)
}

/// Paths below this folder as they are written inside it: another machine, or another
/// checkout, finds the same things in other places.
pub fn relative_to(folder: &Path, records: &mut [Record]) {
    let real = std::fs::canonicalize(folder).ok();
    let strip = |path: &str| {
        let inside = |folder: &Path| Path::new(path).strip_prefix(folder).ok();
        let inside = inside(folder).or_else(|| inside(real.as_deref()?));
        inside.and_then(Path::to_str).filter(|path| !path.is_empty()).map(str::to_owned)
    };
    for sourced in records.iter_mut().flat_map(|record| &mut record.events) {
        let path = match &mut sourced.event {
            Event::Finding(finding) => &mut finding.path,
            Event::Fix(fix) => &mut fix.path,
            Event::Verdict(verdict) => {
                for paths in [&mut verdict.reach.files, &mut verdict.reach.folders] {
                    let inside = |path: String| strip(&path).unwrap_or(path);
                    *paths = std::mem::take(paths).into_iter().map(inside).collect();
                }
                continue;
            }
            _ => continue,
        };
        let inside = path.as_deref().filter(|path| path.starts_with('/')).and_then(strip);
        if inside.is_some() {
            *path = inside;
        }
    }
}

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
        let id = Some(run_name(&name));
        // A run without a name would be another one.
        runs_mut(record).for_each(|run| run.id.clone_from(&id));
        begin_with(record, RunStated { id, ..RunStated::default() });
    }
}

fn is_unnamed(record: &Record) -> bool {
    record.is_report && !record.events.is_empty() && runs(record).all(|run| run.id.is_none())
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
    let parts = name.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let parts = parts.map(String::from_utf8_lossy);
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    parts.map(|it| if is_number(&it) { format!("{it:0>20}") } else { it.into_owned() }).collect()
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
