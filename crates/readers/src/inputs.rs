//! What is there to read? Files, folders, standard input or text become records; what cannot be
//! read is a problem, and hides nothing else. The files of a folder are listed without opening any;
//! symbolic links, pipes and devices are never followed or opened.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hardwon_core::event::{Problem, Record};
use hardwon_core::gate::without_control;

use crate::geas::{OF_TASKS, place_order};
use crate::input::read_by;
use crate::jkz::in_time;
use crate::{Format, Limits, ReadError};

/// How many levels of folders are looked into, the given one included.
const MAX_FOLDER_DEPTH: usize = 4;

/// The same below the tasks of a geas folder: a bound for hostile trees only.
const MAX_TREE_DEPTH: usize = 32;

const MAX_FILES: usize = 10_000;

const ENDINGS: [&str; 5] = ["jsonl", "json", "ndjson", "sarif", "xml"];

/// Why nothing at all could be used.
#[derive(Debug)]
pub enum InputError {
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

pub enum Input {
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
    let mut reading = Reading { format, author, ..Reading::default() };
    for input in inputs {
        match input {
            Input::Stream(name, stream) => reading.stream(&name, stream)?,
            Input::Path(path) => reading.path(&path)?,
        }
    }
    reading.finish()
}

#[derive(Default)]
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
        self.stream(&without_control(&path.display().to_string()), Box::new(file))
    }

    fn stream(&mut self, name: &str, mut stream: Box<dyn Read>) -> Result<(), InputError> {
        let author = self.author.as_deref();
        match read_by(Limits::default(), name, &mut stream, self.format, author) {
            Ok(mut record) => {
                if author.is_some() && !record.is_review {
                    let reason = "--author is for reviews in Markdown; it is not used here";
                    record.problems.push(Problem::new(name, reason));
                }
                self.problems.extend(record.problems.iter().cloned());
                self.records.push(record);
            }
            // Whoever names a format for an input is told before anything is learned.
            Err(source @ ReadError::Unknown { named: Some(_), .. }) if !self.is_in_folder => {
                return Err(InputError::Input { input: name.to_owned(), source });
            }
            // A file that only lies beside the records.
            Err(source) if self.is_in_folder && source.is_nothing_to_learn() => {}
            Err(source) => {
                self.refuse(name.to_owned(), source.in_short(), Some(source));
            }
        }
        Ok(())
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

/// All regular files in a folder whose names end in `.jsonl`, `.json`, `.ndjson`, `.sarif`
/// or `.xml`, sorted by path, down to four levels. Empty is not an error; more
/// than 10,000 is, because a silent choice among them would be arbitrary.
pub fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    listed(folder, &ENDINGS)
}

fn reviews_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    listed(folder, &["md", "markdown"])
}

fn listed(folder: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, MAX_FOLDER_DEPTH, endings, &mut files)?;
    // The contract of a task, which lies beside its folder, comes before what ended it.
    files.sort_by_cached_key(|file| place_order(file));
    Ok(files)
}

fn collect(
    folder: &Path,
    n_levels: usize,
    endings: &[&str],
    files: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if is_geas(folder) {
        return collect_tasks(folder, endings, files);
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, file_type) = (entry.path(), entry.file_type()?);
        if file_type.is_dir() && n_levels > 1 {
            collect(&path, n_levels - 1, endings, files)?;
        } else if file_type.is_file() && has_ending(&path, endings) {
            files.push(path);
        }
        if files.len() > MAX_FILES {
            return Err(io::Error::other(format!(
                "more than {MAX_FILES} record files; give smaller folders"
            )));
        }
    }
    Ok(())
}

fn is_geas(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == ".geas")
}

/// What its missions keep of their tasks, however deep. Beside them lie memory, state and events,
/// in which nothing is found.
fn collect_tasks(tree: &Path, endings: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
    for mission in folders_in(&tree.join("missions"))? {
        for name in OF_TASKS {
            let tasks = mission.join(name);
            if tasks.symlink_metadata().is_ok_and(|about| about.is_dir()) {
                collect(&tasks, MAX_TREE_DEPTH, endings, files)?;
            }
        }
    }
    Ok(())
}

/// The folders in a folder; none if it is not there, or a link.
fn folders_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        return Ok(Vec::new());
    }
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        folders.extend(entry.file_type()?.is_dir().then(|| entry.path()));
    }
    Ok(folders)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().unwrap_or_default();
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}
