//! What is there to read? Files, folders, standard input or text become records; what cannot be
//! read is a problem, and hides nothing else.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hardwon_core::event::{Problem, Record};
use hardwon_core::gate::without_control;

use crate::folder::{files_in, reviews_in};
use crate::input::read_by;
use crate::jkz::in_time;
use crate::{Format, ReadError};

/// Why nothing at all could be used.
#[derive(Debug)]
pub enum InputError {
    /// A file or folder that cannot be opened.
    File {
        path: PathBuf,
        source: io::Error,
    },
    /// The first input that is of no use.
    Input {
        input: String,
        source: ReadError,
    },
    Nothing(String),
}

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

/// Reads everything. Fails only if nothing at all could be used. Reviews in Markdown are by this
/// author, if one is named.
pub fn read_all(
    inputs: Vec<Input>,
    format: Option<Format>,
    author: Option<String>,
) -> Result<(Vec<Record>, Vec<Problem>), InputError> {
    let mut reading = Reading {
        format,
        author,
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

struct Reading {
    format: Option<Format>,
    author: Option<String>,
    is_in_folder: bool,
    records: Vec<Record>,
    problems: Vec<Problem>,
    /// The first input that could not be used, with why.
    first: Option<InputError>,
}

impl Reading {
    fn path(&mut self, path: &Path) -> Result<(), InputError> {
        let failed = |source| InputError::File { path: path.to_owned(), source };
        let about = std::fs::metadata(path).map_err(failed)?;
        if !about.is_dir() {
            return self.file(path);
        }
        let list = if self.format == Some(Format::Review) { reviews_in } else { files_in };
        let files = list(path).map_err(failed)?;
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

    fn file(&mut self, path: &Path) -> Result<(), InputError> {
        let failed = |source| InputError::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        self.stream(&without_control(&path.display().to_string()), Box::new(file));
        Ok(())
    }

    fn stream(&mut self, name: &str, stream: Box<dyn Read>) {
        match read_by(name, stream, self.format, self.author.as_deref()) {
            Ok(record) => {
                self.problems.extend(record.problems.iter().cloned());
                self.records.push(record);
            }
            // A file that only lies beside the records.
            Err(source) if self.is_in_folder && source.is_nothing_to_learn() => {}
            Err(source) => {
                let is_chosen = !self.is_in_folder;
                let reason = if is_chosen { source.to_string() } else { source.in_short() };
                self.refuse(name.to_owned(), reason, Some(source));
            }
        }
    }

    fn refuse(&mut self, input: String, reason: String, source: Option<ReadError>) {
        self.problems.push(Problem::new(&input, reason.clone()));
        self.first.get_or_insert(match source {
            Some(source) => InputError::Input { input, source },
            None => InputError::Nothing(format!("{input}: {reason}")),
        });
    }

    fn finish(mut self) -> Result<(Vec<Record>, Vec<Problem>), InputError> {
        in_time(&mut self.records);
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
            InputError::Nothing(format!("no usable input: {why}{more}"))
        }))
    }
}
