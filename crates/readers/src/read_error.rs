//! Why is an input of no use as a whole? In a full sentence, with what to do.

use std::io;

use hardwon_core::event::Problem;

use crate::detect::Format;

/// Why an input is of no use as a whole. A bad line is never an error, only a problem
/// in the record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(
        "{input} is empty. Give a record with at least one line; a run that found nothing \
         is one \"run\" line that lists its \"detectors\"."
    )]
    Empty { input: String },
    #[error("{input} is not text{}", not_text(*byte, *seems))]
    Binary { input: String, byte: usize, seems: Option<&'static str> },
    /// ArcheFlow's list of finished runs: nothing to learn, and nothing wrong with it.
    #[error(
        "{input} is ArcheFlow's index of finished runs and holds no findings. Give the \
         event log of a run, which stands beside it."
    )]
    Index { input: String },
    /// In none of the formats that are read, or not in the one that was named.
    #[error("{input} {}", not_read(*named, *shows, *seems, problem.as_ref()))]
    Unknown {
        input: String,
        named: Option<Format>,
        shows: Option<Format>,
        seems: Option<&'static str>,
        problem: Option<Problem>,
    },
    /// The input could not be read to its end; nothing of it was used.
    #[error("{input} could not be read: {source}. Check that it exists and may be read.")]
    Io { input: String, source: io::Error },
}

impl ReadError {
    /// Whether there is simply nothing to learn from this input: to be passed over in
    /// silence when it was met in a folder.
    pub fn is_nothing_to_learn(&self) -> bool {
        matches!(self, ReadError::Index { .. })
    }
}

impl ReadError {
    /// The same where the input is named beside it.
    pub fn in_short(&self) -> String {
        let (ReadError::Empty { input }
        | ReadError::Binary { input, .. }
        | ReadError::Index { input }
        | ReadError::Unknown { input, .. }
        | ReadError::Io { input, .. }) = self;
        format!("it{}", self.to_string().trim_start_matches(input))
    }
}

fn not_text(byte: usize, seems: Option<&str>) -> String {
    match seems {
        Some(seems) => format!(" but {seems}."),
        None => format!(": it has a NUL byte at byte {byte}. Unpack it, or save it as UTF-8 text."),
    }
}

/// What would read it, or what it looks like, says more than a list of what it is not.
fn not_read(
    named: Option<Format>,
    shows: Option<Format>,
    seems: Option<&str>,
    problem: Option<&Problem>,
) -> String {
    let which = named.map_or("is in none of the formats that are read".to_owned(), |named| {
        format!("is not in the format {named}, which was named for it")
    });
    match (shows, seems) {
        (Some(shows), _) => {
            format!("{which}. It looks like {shows}: pass --format {shows}, or leave --format out.")
        }
        (None, Some(seems)) => format!("{which}. It looks like {seems}."),
        (None, None) => {
            let hint = "If it should be one, name that one with --format and look at the problems.";
            match problem.map(|Problem { at, reason }| format!(" (first problem: {at}: {reason})"))
            {
                Some(first) if first.contains("ends too early") => format!("{which}{first}."),
                first => format!("{which}{}. {hint}", first.unwrap_or_default()),
            }
        }
    }
}
