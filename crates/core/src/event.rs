//! One raw fact inside a run, as its source reported it. Readers yield these; nothing in
//! them has been cleaned, judged or believed yet.

use serde::{Deserialize, Serialize};

use crate::effect::EffectKind;
use crate::episode::{Episode, StepKind};
use crate::finding::{FindingState, Grade};
use crate::fixed::Reach;
use crate::heard::Heard;
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
    /// One call of an agent, with all that it answered.
    Deliberation(DeliberationStated),
    /// One try at repairing an issue.
    Attempt(AttemptStated),
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
}

/// A compiler, linter or test program looked at the code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolLook {
    pub tool: String,
    /// Nothing if it found nothing.
    pub findings: Vec<FindingStated>,
}

/// What a record says about a finding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindingStated {
    /// What its source calls it, `A1`: by this a verdict of the same run may name it. Looked at,
    /// never kept.
    pub id: Option<String>,
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
    /// Findings that were ruled false: their ids, or their words.
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
    /// Where in its document it stands: `memory_candidates[3]`.
    pub position: String,
}

/// What a record says about one call of an agent. All texts are raw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeliberationStated {
    /// The part that was played: `judge`.
    pub role: String,
    /// When it was answered.
    pub at: Option<Timestamp>,
    /// In lower case: `pass`, `fail`, a doctor's `fixed`, `partial` or `blocked`, or another word
    /// that its source uses. Work that failed with nothing that must be fixed is `pass`.
    pub verdict: Option<String>,
    /// How strong the evidence in the answer is. Readers leave it open; `find` reads it off the
    /// response, and it is reasoning for what an agent hands in.
    pub grade: Option<Grade>,
    /// As given; what stands in its place, if nothing was, is decided where it is stored.
    pub summary: Option<String>,
    /// What was answered, at most [`MAX_RESPONSE_BYTES`].
    pub response: Option<String>,
    /// Whether the call itself came to an end, in the source's own word: `completed`.
    pub status: Option<String>,
    pub model: Option<String>,
    pub endpoint: Option<String>,
    /// As [`issue_name`] spells it.
    pub issue: Option<String>,
    /// The number of the pull request.
    pub pr: Option<String>,
    pub phase: Option<String>,
    pub command: Option<String>,
    /// Read and written together.
    pub tokens: Option<u64>,
    pub duration_ms: Option<u64>,
}

/// Most bytes of an answer that are kept.
pub const MAX_RESPONSE_BYTES: usize = 64 << 10;

vocabulary! {
    /// What came of an attempt.
    AttemptResult {
        Worked = "worked",
        /// Some of it is repaired.
        Partial = "partial",
        Failed = "failed",
    }
}

/// What a record says about one try at repairing an issue. All texts are raw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttemptStated {
    /// Who tried: `doctor`.
    pub role: Option<String>,
    /// As [`issue_name`] spells it; never empty.
    pub issue: String,
    /// Which try it was, from 1.
    pub iteration: Option<u32>,
    /// What was done.
    pub approach: String,
    /// Which files it touched.
    pub files: Vec<String>,
    /// `None` if it is not known what came of it.
    pub result: Option<AttemptResult>,
    /// Why it came to that: what failed, and the cause that was found.
    pub why: Option<String>,
    /// What to try next.
    pub next: Option<String>,
    pub at: Option<Timestamp>,
}

/// One spelling for the name of an issue: whoever asks for it and whoever tells about it write
/// `12`, `#12`, `issue-12`, `Issue #12` or its address. Empty if it names none.
///
/// ```
/// use hardwon_core::event::issue_name;
///
/// for spelled in ["12", " #12", "issue-12", "Issue #12", "https://h.example/o/r/issues/12"] {
///     assert_eq!(issue_name(spelled), "12", "{spelled}");
/// }
/// assert_eq!(issue_name("CORE-12"), "CORE-12");
/// assert_eq!(issue_name(" # "), "");
/// ```
pub fn issue_name(text: &str) -> String {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let number = lower.rsplit_once("/issues/").map_or(lower.as_str(), |(_, number)| number);
    let number = number.strip_prefix("issue").unwrap_or(number);
    let number = number.trim_matches(|c: char| matches!(c, '#' | '-' | '_' | '/' | ':' | ' '));
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    text.trim_matches(['#', ' ']).to_owned()
}

/// What was asked of a session: first, and last if that is something else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    #[serde(default)]
    pub first: Option<String>,
    #[serde(default)]
    pub last: Option<String>,
}

impl Asked {
    /// This was asked.
    pub fn hear(&mut self, typed: &str) {
        let is_first = self.first.is_none();
        let place = if is_first { &mut self.first } else { &mut self.last };
        *place = Some(typed.to_owned()).filter(|typed| !typed.trim().is_empty());
    }
}

/// The facts of one input, in order, with what was put aside.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub events: Vec<Sourced>,
    pub problems: Vec<Problem>,
    /// How many findings were put aside while reading.
    pub n_put_aside: u64,
    /// True if something is missing: its end, what a limit left out, or all of its findings.
    pub is_cut: bool,
    /// The channel, which sets the origin of everything in it.
    pub channel: Option<Origin>,
    /// True where a task is one run: it names the run if nothing else does.
    pub is_run_by_task: bool,
    /// True for a tool's report: a run that it names is the one it belongs to only if the
    /// caller names none.
    pub is_report: bool,
    /// True for a review in Markdown, of which the caller may know the author.
    pub is_review: bool,
    /// For a session: what was asked of it. Looked at when it is compacted, never learned.
    pub asked: Asked,
    /// For a session: its messages, each with the line it stands in (see `message`).
    pub messages: Vec<(u64, String)>,
    /// Of a session: what was said and done in it.
    pub heard: Vec<Heard>,
}
