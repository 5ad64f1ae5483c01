//! What `reflect` and `runs` say.

use crate::answer::{Named, Transition};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::episode::Usage;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{OperationId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::reflect::{Candidate, Scenario};
use hardwon_core::run::Run;

/// What looking back came to.
#[derive(Clone, Debug)]
pub struct Reflected {
    pub scenario: Scenario,
    /// Why nothing was looked at, if nothing was.
    pub skipped: Option<String>,
    /// Root runs that were looked at, oldest first.
    pub runs: Vec<RunId>,
    pub created: Vec<Named>,
    pub updated: Vec<Named>,
    pub transitions: Vec<(Named, Transition)>,
    /// One to three sentences.
    pub summary: String,
    pub worked: Vec<String>,
    pub failed: Vec<String>,
    pub decisions: Vec<String>,
    pub candidates: Vec<Considered>,
    /// What `undo` takes back.
    pub operation: Option<OperationId>,
}

impl Reflected {
    /// Nothing was looked at, for this reason.
    pub fn skipped(scenario: Scenario, reason: &str) -> Reflected {
        Reflected {
            scenario,
            skipped: Some(reason.to_owned()),
            runs: Vec::new(),
            created: Vec::new(),
            updated: Vec::new(),
            transitions: Vec::new(),
            summary: String::new(),
            worked: Vec::new(),
            failed: Vec::new(),
            decisions: Vec::new(),
            candidates: Vec::new(),
            operation: None,
        }
    }
}

/// A candidate lesson, and whether it was taken.
#[derive(Clone, Debug)]
pub struct Considered {
    pub candidate: Candidate,
    /// Why it was not taken, if it was not.
    pub refused: Option<String>,
}

/// All that a reflection would look at.
#[derive(Clone, Debug)]
pub struct Looked {
    pub scenario: Scenario,
    pub run: Run,
    pub below: Vec<Run>,
    pub findings: Vec<Finding>,
    /// Each with what it has in common with the run, the nearest first.
    pub related: Vec<(Run, Vec<String>)>,
    /// Other runs of the same session, newest first.
    pub session: Vec<Run>,
    /// The project's progress file.
    pub progress: Option<String>,
    /// What the whole tree used up.
    pub usage: Usage,
    /// What is known already and bears on it.
    pub lessons: Vec<Lesson>,
}

/// Some runs of a project.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Newest first.
    pub runs: Vec<RunLine>,
    /// How many more there are.
    pub n_more: usize,
}

/// One run of a list.
#[derive(Clone, Debug)]
pub struct RunLine {
    pub run: Run,
    pub n_findings: usize,
    pub n_shown: usize,
    /// How deep it stands in its tree.
    pub depth: usize,
}

/// One run and all that is known of it.
#[derive(Clone, Debug)]
pub struct RunStory {
    pub run: Run,
    /// An account of it, in its own words or made from what was done.
    pub summary: String,
    /// Runs directly below it.
    pub children: Vec<RunLine>,
    pub findings: Vec<Finding>,
    pub injections: Vec<Injection>,
    pub effects: Vec<(Named, Effect)>,
    /// Lessons that this run taught.
    pub lessons: Vec<Lesson>,
    /// Each with what it has in common with the run, the nearest first.
    pub related: Vec<(Run, Vec<String>)>,
}
