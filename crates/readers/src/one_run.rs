//! Which records belong together? Several reports of one run are made to agree, and paths are
//! taken as they are written inside the project, before anything is decided about them.

use std::collections::BTreeSet;
use std::path::Path;

use hardwon_core::event::{Event, Record, RunStated, Source, Sourced};
use hardwon_core::run::Outcome;

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
    let Some(first) = record.events.first() else { return };
    let source = Source { input: first.source.input.clone(), line: 0 };
    let detectors = Some(authors.into_iter().collect());
    let event = Event::Run(RunStated { detectors, ..RunStated::default() });
    record.events.insert(0, Sourced { source, event });
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
