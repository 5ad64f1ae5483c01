//! What `init`, `install` and `uninstall` say: which hosts were found, and what is done or
//! would be done to which file.

use hardwon_core::vocabulary;
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Word, clean, ids};
use super::{Learned, Named};

vocabulary! {
    /// What happens to a file.
    FileStep {
        Create = "create",
        Change = "change",
        /// It gets the very bytes that it had before us.
        Restore = "restore",
        Delete = "delete",
        /// Everything is as it should be already.
        Keep = "unchanged",
        /// It cannot be used; the reason says why.
        Leave = "left_alone",
    }
}

impl FileStep {
    /// Whether the file is not the same afterwards.
    pub fn is_write(self) -> bool {
        match self {
            FileStep::Create | FileStep::Change | FileStep::Restore | FileStep::Delete => true,
            FileStep::Keep | FileStep::Leave => false,
        }
    }
}

/// A program that we can be plugged into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Host")]
pub struct HostSeen {
    /// As it is typed, e.g. `claude`.
    pub name: &'static str,
    pub title: &'static str,
    /// What shows that it is here; null if nothing does.
    #[serde(serialize_with = "clean")]
    pub sign: Option<String>,
    /// Conversations that it kept.
    #[serde(rename = "transcripts")]
    pub n_transcripts: u64,
}

/// One file of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "File")]
pub struct HostFile {
    pub host: &'static str,
    /// `hooks` or `mcp`.
    pub purpose: &'static str,
    #[serde(serialize_with = "clean")]
    pub path: String,
    pub step: Word<FileStep>,
    /// Why it is left alone, or what to know about the step.
    #[serde(serialize_with = "clean")]
    pub reason: Option<String>,
    /// As a unified diff; empty if nothing changes.
    pub diff: String,
}

/// What was found, and what is done about it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Installation {
    pub hosts: Vec<HostSeen>,
    pub files: Vec<HostFile>,
    /// Whether `files` were written; else it is what would be done.
    #[serde(rename = "done")]
    pub is_done: bool,
    /// What is left to do by hand, one sentence each.
    #[serde(serialize_with = "clean")]
    pub by_hand: Vec<String>,
    /// Conversations of this project that hosts kept; null if nobody looked for them.
    pub conversations: Option<Conversations>,
}

/// What the conversations of a project taught, or how many could.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Conversations {
    #[serde(rename = "found")]
    pub n_found: u64,
    /// The newest, which are read.
    #[serde(rename = "read")]
    pub n_read: u64,
    /// Whether they were read; else they could be.
    #[serde(rename = "done")]
    pub is_done: bool,
    /// Runs with something in them.
    #[serde(rename = "runs")]
    pub n_runs: u64,
    /// Runs in which nothing new was.
    #[serde(rename = "already_known")]
    pub n_known: u64,
    #[serde(rename = "findings")]
    pub n_findings: u64,
    /// Lessons that were started.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub new: Vec<Named>,
    /// Lessons that are shown to later runs from now on.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<String>")]
    pub promoted: Vec<Named>,
    /// What `undo` takes back; null if nothing was written.
    pub operation: Option<u64>,
}

impl Conversations {
    /// What was learned from the newest of those that were found.
    pub fn new(n_found: u64, n_read: u64, learned: &Learned) -> Conversations {
        let new = learned.runs.iter().flat_map(|run| run.new.iter().cloned());
        let promoted = learned.runs.iter().flat_map(|run| run.promoted.iter().cloned());
        Conversations {
            n_found,
            n_read,
            is_done: true,
            n_runs: learned.runs.len() as u64,
            n_known: learned.runs.iter().filter(|run| run.is_known).count() as u64,
            n_findings: learned.runs.iter().map(|run| run.findings.n_used).sum(),
            new: new.collect(),
            promoted: promoted.collect(),
            operation: learned.operation,
        }
    }
}

impl Installation {
    /// Files that are not the same afterwards.
    pub fn n_writes(&self) -> usize {
        self.files.iter().filter(|file| file.step.is_write()).count()
    }
}
