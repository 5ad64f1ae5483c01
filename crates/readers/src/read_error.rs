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
    /// One JSON document where lines were expected.
    #[error("{input} {}", not_read_document(*seems))]
    Document { input: String, seems: Option<&'static str> },
    #[error("{input} {}", not_read(problem, *seems))]
    Unknown { input: String, problem: Option<Problem>, seems: Option<&'static str> },
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
    /// The same of a file that lies in a folder that was named: nobody chose it, so there is no
    /// format to name for it.
    pub fn in_short(&self) -> String {
        match self {
            ReadError::Empty { .. } => "it is empty".to_owned(),
            ReadError::Binary { byte, seems, .. } => match seems {
                Some(seems) => format!("it is not text but {seems}"),
                None => format!("it is not text: it has a NUL byte at byte {byte}"),
            },
            ReadError::Unknown { problem: Some(problem), seems: None, .. } => {
                format!("it cannot be read: {}", problem.reason)
            }
            ReadError::Unknown { seems: Some(seems), .. }
            | ReadError::Document { seems: Some(seems), .. } => {
                format!("it looks like {seems}, which is none of the formats that are read")
            }
            ReadError::Unknown { .. } | ReadError::Document { .. } => {
                "it is in none of the formats that are read".to_owned()
            }
            ReadError::Index { .. } | ReadError::Io { .. } => self.to_string(),
        }
    }
}

fn not_text(byte: usize, seems: Option<&str>) -> String {
    match seems {
        Some(seems) => format!(" but {seems}."),
        None => format!(": it has a NUL byte at byte {byte}. Unpack it, or save it as UTF-8 text."),
    }
}

fn not_read_document(seems: Option<&str>) -> String {
    match seems {
        Some(seems) => named(seems),
        None => format!(
            "is a single JSON document in none of the formats that are read ({}), or too large \
             or too deep for one. Write one JSON object per line (jq -c '.[]' does that for a \
             list), or name the format with --format.",
            Format::words()
        ),
    }
}

fn not_read(problem: &Option<Problem>, seems: Option<&str>) -> String {
    match seems {
        Some(seems) => named(seems),
        None => format!(
            "is in none of the formats that are read ({}){}. If it should be, name the format \
             with --format and look at the problems.",
            Format::words(),
            problem.as_ref().map_or(String::new(), |it| {
                format!(" (first problem: {}: {})", it.at, it.reason)
            })
        ),
    }
}

/// What it looks like says more than a list of what it is not.
fn named(seems: &str) -> String {
    format!(
        "looks like {seems}. That is none of the formats that are read. If it should be one, \
         name the format with --format and look at the problems."
    )
}
