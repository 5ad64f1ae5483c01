//! What `init`, `install` and `uninstall` say: which hosts were found, and what is done or
//! would be done to which file.

use super::{Learned, Named, RunLearned};
use hardwon_core::ids::OperationId;
use hardwon_core::vocabulary;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSeen {
    /// As it is typed.
    pub name: &'static str,
    pub title: &'static str,
    /// What shows that it is here; `None` if nothing does.
    pub sign: Option<String>,
    /// Files with conversations that it kept, here and now.
    pub n_transcripts: usize,
}

/// One file of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFile {
    pub host: &'static str,
    /// What our entry in it is for: `hooks` or `mcp`.
    pub purpose: &'static str,
    pub path: String,
    pub step: FileStep,
    /// Why it is left alone, or what to know about the step.
    pub reason: Option<String>,
    /// As a unified diff.
    pub diff: String,
}

/// What was found, and what is done about it.
#[derive(Clone, Debug, Default)]
pub struct Installation {
    pub hosts: Vec<HostSeen>,
    pub files: Vec<HostFile>,
    /// Whether the files are written; else it is what would be done.
    pub is_done: bool,
    /// What is left to do by hand, one sentence each.
    pub by_hand: Vec<String>,
    /// Conversations that hosts kept of this project; `None` if nobody looked.
    pub conversations: Option<Conversations>,
}

/// What the conversations of a project taught, or how many could.
#[derive(Clone, Debug, Default)]
pub struct Conversations {
    pub n_found: usize,
    /// Those that are read: the newest.
    pub n_read: usize,
    /// Whether they were; else it is what could be done.
    pub is_done: bool,
    /// Runs with something in them, and how many of those were known already.
    pub n_runs: usize,
    pub n_known: usize,
    pub n_findings: u64,
    /// Lessons that were started.
    pub new: Vec<Named>,
    /// Lessons that are shown to later runs from now on.
    pub promoted: Vec<Named>,
    /// What `undo` takes back.
    pub operation: Option<OperationId>,
}

impl Conversations {
    /// What was learned from the newest of those that were found.
    pub fn of(n_found: usize, n_read: usize, learned: &Learned) -> Conversations {
        let new = learned.runs.iter().flat_map(|run| run.new.iter().cloned());
        let promoted = learned.runs.iter().flat_map(RunLearned::promoted);
        Conversations {
            n_found,
            n_read,
            is_done: true,
            n_runs: learned.runs.len(),
            n_known: learned.runs.iter().filter(|run| run.is_known).count(),
            n_findings: learned.runs.iter().map(|run| run.n_used).sum(),
            new: new.collect(),
            promoted: promoted.map(|(named, _)| named.clone()).collect(),
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
