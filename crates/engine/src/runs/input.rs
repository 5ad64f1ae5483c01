//! What is there to read? Files, folders, standard input or text become records; what
//! cannot be read is said, and hides nothing else. Reports that belong to one run are made
//! to agree before anybody looks at them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hardwon_core::event::{Event, Problem, Record, RunStated, Source, Sourced};
use hardwon_core::gate::without_control;
use hardwon_core::run::Outcome;
use hardwon_readers::{Format, ReadError};

use crate::error::EngineError;

/// One thing to read.
pub enum Input {
    /// A file, or a folder of files.
    Path(PathBuf),
    /// Standard input or any other stream, under this name.
    Stream(String, Box<dyn Read>),
}

impl Input {
    /// A text under a name, for examples and tests.
    pub fn text(name: &str, text: &str) -> Input {
        Input::Stream(name.to_owned(), Box::new(io::Cursor::new(text.as_bytes().to_vec())))
    }
}

/// Reads everything. Fails only if nothing at all could be used.
pub(crate) fn read_all(
    inputs: Vec<Input>,
    format: Option<Format>,
) -> Result<(Vec<Record>, Vec<Problem>), EngineError> {
    let mut reading = Reading {
        format,
        is_in_folder: false,
        records: Vec::new(),
        problems: Vec::new(),
        first: None,
    };
    for input in inputs {
        match input {
            Input::Stream(name, stream) => reading.stream(&name, stream),
            Input::Path(path) => reading.path(&path)?,
        }
    }
    reading.finish()
}

/// Several reports of one run, such as those of its tests and its linters: a failure in one
/// is how the run ended, and where one lists who looked, the others list theirs. What a tool
/// calls its own run is not asked for: the caller has named it.
pub(crate) fn agree(records: &mut [Record]) {
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
    let authors: std::collections::BTreeSet<String> = authors.collect();
    let Some(first) = record.events.first() else { return };
    let source = Source { input: first.source.input.clone(), line: 0 };
    let detectors = Some(authors.into_iter().collect());
    let event = Event::Run(RunStated { detectors, ..RunStated::default() });
    record.events.insert(0, Sourced { source, event });
}

/// Paths below this folder as they are written inside it: another machine, or another
/// checkout, finds the same things in other places.
pub(crate) fn relative_to(folder: &Path, records: &mut [Record]) {
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

struct Reading {
    format: Option<Format>,
    is_in_folder: bool,
    records: Vec<Record>,
    problems: Vec<Problem>,
    /// The first input that could not be used, with why.
    first: Option<EngineError>,
}

impl Reading {
    fn path(&mut self, path: &Path) -> Result<(), EngineError> {
        let failed = |source| EngineError::File { path: path.to_owned(), source };
        let about = std::fs::metadata(path).map_err(failed)?;
        if !about.is_dir() {
            return self.file(path);
        }
        let files = hardwon_readers::files_in(path).map_err(failed)?;
        if files.is_empty() {
            let reason = "the folder holds no .jsonl, .ndjson, .json, .sarif or .xml file";
            self.refuse(path.display().to_string(), reason.to_owned(), None);
        }
        self.is_in_folder = true;
        for file in files {
            self.file(&file)?;
        }
        self.is_in_folder = false;
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), EngineError> {
        let failed = |source| EngineError::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        self.stream(&without_control(&path.display().to_string()), Box::new(file));
        Ok(())
    }

    fn stream(&mut self, name: &str, stream: Box<dyn Read>) {
        match hardwon_readers::read(name, stream, self.format) {
            Ok(record) => {
                self.problems.extend(record.problems.iter().cloned());
                self.records.push(record);
            }
            // A file that only lies beside the records.
            Err(source) if self.is_in_folder && source.is_nothing_to_learn() => {}
            Err(source) => self.refuse(name.to_owned(), source.to_string(), Some(source)),
        }
    }

    fn refuse(&mut self, input: String, reason: String, source: Option<ReadError>) {
        self.problems.push(Problem::new(&input, reason.clone()));
        self.first.get_or_insert(match source {
            Some(source) => EngineError::Input { input, source },
            None => EngineError::NoUsableInput(format!("{input}: {reason}")),
        });
    }

    fn finish(self) -> Result<(Vec<Record>, Vec<Problem>), EngineError> {
        let has_events = self.records.iter().any(|record| !record.events.is_empty());
        if has_events {
            return Ok((self.records, self.problems));
        }
        Err(self.first.unwrap_or_else(|| {
            let first = self.problems.first();
            let why = match first {
                Some(problem) => format!("{}: {}", problem.at, problem.reason),
                None if self.records.is_empty() => "nothing was given".to_owned(),
                None => "no line says anything about a run in that format".to_owned(),
            };
            let n_more = self.problems.len().saturating_sub(1);
            let more = if n_more > 0 { format!(" (and {n_more} more)") } else { String::new() };
            EngineError::NoUsableInput(format!("no usable input: {why}{more}"))
        }))
    }
}
