//! What other systems keep, as plain data: `readers` make it from their files, `render`
//! writes it back, `engine` translates it to lessons and from lessons. Nothing in here
//! has passed the gate.

mod geas;
mod openagents;

pub use geas::{GeasForm, GeasHeader, GeasIndexRow, GeasLog, GeasMemory, GeasReview, GeasSignals};
pub use openagents::{OpenagentsEpisode, OpenagentsEvidence, OpenagentsLesson, importance_scale};

use crate::time::Timestamp;

/// One line of ArcheFlow's `lessons.jsonl` or `archive.jsonl`, as far as it is known;
/// what a line leaves out has ArcheFlow's own default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArcheflowLesson {
    /// `m-NNN`, or whatever stands there; empty if nothing does.
    pub id: String,
    pub ts: Option<Timestamp>,
    pub run_id: String,
    /// ArcheFlow's `type`.
    pub kind: String,
    pub source: String,
    pub description: String,
    pub frequency: u32,
    pub severity: String,
    pub domain: String,
    pub tags: Vec<String>,
    pub archetype: Option<String>,
    pub last_seen_run: String,
    pub runs_since_last_seen: u32,
}

impl Default for ArcheflowLesson {
    fn default() -> Self {
        ArcheflowLesson {
            id: String::new(),
            ts: None,
            run_id: String::new(),
            kind: "pattern".to_owned(),
            source: "unknown".to_owned(),
            description: String::new(),
            frequency: 1,
            severity: "warning".to_owned(),
            domain: "general".to_owned(),
            tags: Vec::new(),
            archetype: None,
            last_seen_run: String::new(),
            runs_since_last_seen: 0,
        }
    }
}

/// One line of ArcheFlow's `audit.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArcheflowAudit {
    /// Lessons were put into a prompt.
    Injection {
        ts: Option<Timestamp>,
        run_id: String,
        domain: String,
        archetype: String,
        lessons: Vec<String>,
    },
    /// It was looked at whether one of them helped.
    Check {
        ts: Option<Timestamp>,
        run_id: String,
        lesson_id: String,
        lesson_desc: String,
        is_helpful: bool,
        overlap_pct: u32,
    },
}

/// A file of one record a line, with the bytes of every line: what is not changed is
/// written back as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignFile<T> {
    pub lines: Vec<ForeignLine<T>>,
    /// Whether the last line ends as a line does.
    pub has_end: bool,
}

/// One line of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignLine<T> {
    /// Without its newline.
    pub raw: Vec<u8>,
    /// What it states; nothing if it is blank or cannot be used.
    pub record: Option<T>,
}
