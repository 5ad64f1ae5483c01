//! One raw fact inside a run, as its source reported it. Readers yield these; nothing in
//! them has been cleaned, judged or believed yet.

use crate::effect::EffectKind;
use crate::episode::{Episode, StepKind};
use crate::finding::{FindingState, Grade};
use crate::fixed::Reach;
use crate::ids::RunId;
use crate::lesson::Origin;
use crate::run::{Outcome, RunKind};
use crate::time::Timestamp;
use crate::vocabulary::vocabulary;

/// Where in the input something stands: `run-r7.jsonl:12`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// File name as the user gave it, or `-`.
    pub input: String,
    /// Line, from 1; 0 = the input as a whole.
    pub line: u64,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.input),
            line => write!(f, "{}:{line}", self.input),
        }
    }
}

/// Something that was wrong with the input, and where. Never holds the input's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Place, setting or store it concerns.
    pub at: String,
    pub reason: String,
}

impl Problem {
    pub fn new(at: impl ToString, reason: impl Into<String>) -> Self {
        Problem { at: at.to_string(), reason: reason.into() }
    }
}

/// One fact and where it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced {
    pub source: Source,
    pub event: Event,
}

/// One raw fact.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a record has one run and many facts about it")]
pub enum Event {
    /// A run begins, or more is said about the current one: what follows belongs to it.
    Run(RunStated),
    Finding(FindingStated),
    /// A reviewer's judgement. Who judged also looked, so this names a detector.
    Verdict(VerdictStated),
    /// Something was repaired.
    Fix(FixStated),
    /// A reviewer or user says what a lesson did.
    Effect(EffectStated),
    /// A suggestion of what should be remembered.
    Suggestion(SuggestionStated),
    /// Something was done in the run.
    Step(StepStated),
}

/// What a record says about a run. Empty fields were left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunStated {
    pub id: Option<String>,
    pub parent: Option<String>,
    pub kind: Option<RunKind>,
    pub role: Option<String>,
    pub agent: Option<String>,
    pub task: Option<String>,
    pub domain: Option<String>,
    pub started: Option<Timestamp>,
    pub finished: Option<Timestamp>,
    pub outcome: Option<Outcome>,
    /// `None` = not listed: the authors seen in the record are the detectors.
    pub detectors: Option<Vec<String>>,
    pub paths: Vec<String>,
    pub tools: Vec<String>,
    pub tags: Vec<String>,
    /// What the run tells about itself, still in its own words; its trail is made of
    /// step events.
    pub episode: Episode,
}

/// What a record says about one thing that was done.
#[derive(Clone, Debug, PartialEq)]
pub struct StepStated {
    pub kind: StepKind,
    pub tool: String,
    /// The command, the file, the name of the test, or what the user said.
    pub action: String,
    /// `None` = the record does not say.
    pub is_ok: Option<bool>,
    /// What it said when it failed. Looked at; one line of it is kept.
    pub output: Option<String>,
    pub duration_ms: Option<u64>,
    /// Which tools looked at the code in it, and what they reported. Looked at, never kept.
    pub looks: Vec<ToolLook>,
    /// For an edit: what it did to the file. Looked at, never kept.
    pub change: Option<TextChange>,
}

/// A compiler, linter or test program looked at the code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolLook {
    pub tool: String,
    /// Nothing if it found nothing.
    pub findings: Vec<FindingStated>,
}

/// What an edit took away and what it put there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextChange {
    pub removed: String,
    pub added: String,
}

/// What a record says about a finding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindingStated {
    pub author: Option<String>,
    /// The source's own word.
    pub severity: Option<String>,
    pub category: Option<String>,
    pub rule: Option<String>,
    pub text: String,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub grade: Option<Grade>,
    /// What is to show it: output, or words from the place. Looked at, never kept.
    pub evidence: Option<String>,
    /// What its author says to do about it, or what ended it.
    pub repair: Option<String>,
    pub state: Option<FindingState>,
    /// A fingerprint that the tool itself made; it wins over ours.
    pub fingerprint: Option<String>,
    /// For one that was read out of a reviewer's prose: all that stands there about it.
    /// Looked at, never kept.
    pub prose: Option<String>,
    /// Reported only because it had been there before: it was not seen in this run.
    pub is_gone: bool,
    /// Said by somebody who is not part of this project: believed as a file from outside is.
    pub is_foreign: bool,
    /// Said by a person, as far as the record tells: people put things in their own words.
    pub is_persons: bool,
    /// Where a later run showed that it was fixed. Only our own history says that.
    pub fixed_in: Option<RunId>,
}

/// What a record says about a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictStated {
    pub author: String,
    /// Whether the work passed; `None` if it does not say, or in unknown words.
    pub is_pass: Option<bool>,
    pub grade: Option<Grade>,
    /// What is to show it. Looked at, never kept.
    pub evidence: Option<String>,
    /// Texts of findings that were ruled false.
    pub false_positives: Vec<String>,
    /// For the report of a tool: how far it looked.
    pub reach: Reach,
    /// The user had the host itself review, apart from the agent that does the work.
    pub is_of_host: bool,
}

/// What a record says about a repair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FixStated {
    pub author: Option<String>,
    /// The finding that was repaired, in any words.
    pub text: String,
    pub path: Option<String>,
    pub line: Option<u32>,
}

/// A named cause: this lesson did that.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectStated {
    pub lesson: String,
    pub effect: EffectKind,
    pub because: String,
}

vocabulary! {
    /// Where a suggestion stood.
    SuggestionKind {
        /// In what a task's retrospective wants to keep.
        MemoryCandidate = "memory_candidate",
        /// Beside a review or a self-check.
        MemorySuggestion = "memory_suggestion",
    }
}

/// What a record says should be remembered.
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestionStated {
    pub author: String,
    pub text: String,
    pub kind: SuggestionKind,
}

/// The facts of one input, in order, with what was put aside.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub events: Vec<Sourced>,
    pub problems: Vec<Problem>,
    /// How many findings were put aside while reading.
    pub n_put_aside: u64,
    /// True if a limit cut the input short.
    pub is_cut: bool,
    /// The channel, which sets the origin of everything in it.
    pub channel: Option<Origin>,
    /// True where a task is one run: it names the run if nothing else does.
    pub is_run_by_task: bool,
    /// True for a tool's report: a run that it names is the one it belongs to only if the
    /// caller names none.
    pub is_report: bool,
}
