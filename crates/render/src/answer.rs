//! What the use cases say: plain data that every face shows, as text or as JSON. The
//! reasons in here are the ones that the decisions were made by.

mod doctor;
mod install;
mod messages;
mod reflect;

use std::collections::BTreeMap;

pub use doctor::{Health, HealthCheck, HealthStatus, KeptSecret, SKIPPED};
use hardwon_core::change::Entry;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::effect::{Effect, EffectCounts, Injection};
use hardwon_core::event::Problem;
use hardwon_core::finding::{Finding, Severity};
use hardwon_core::ids::{LessonId, OperationId, RunId};
use hardwon_core::lesson::{Decision, Lesson, Review, State};
pub use hardwon_core::lifecycle::{Transition, Waiting};
use hardwon_core::lift::Lift;
use hardwon_core::reflect::Scenario;
use hardwon_core::run::{Outcome, Run};
use hardwon_core::time::Timestamp;
use hardwon_core::vocabulary;
pub use install::{Conversations, FileStep, HostFile, HostSeen, Installation};
pub use messages::{Heard, Message, MessageKind, Said};
pub use reflect::{Considered, Looked, Reflected, RunLine, RunStory, Runs};

vocabulary! {
    /// The four answers, never mixed.
    Status {
        /// Done, all of it.
        Ok = "ok",
        /// Done, and there was nothing.
        Empty = "empty",
        /// Done in part: some of the input or of the store could not be used.
        Degraded = "degraded",
        /// Not done.
        Failed = "failed",
    }
}

/// An answer with what went wrong on the way.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    pub status: Status,
    pub problems: Vec<Problem>,
    pub body: T,
}

impl<T> Answer<T> {
    /// `ok`, or `degraded` if there are problems.
    pub fn of(body: T, problems: Vec<Problem>) -> Self {
        let status = if problems.is_empty() { Status::Ok } else { Status::Degraded };
        Answer { status, problems, body }
    }

    /// The same answer, `empty` if nothing else is to be said.
    pub fn or_empty(mut self, is_empty: bool) -> Self {
        if is_empty && self.status == Status::Ok {
            self.status = Status::Empty;
        }
        self
    }
}

/// A lesson by id, with enough text to know it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub id: LessonId,
    pub text: String,
}

/// What `learn` did.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    pub runs: Vec<RunLearned>,
    /// What `undo` takes back.
    pub operation: Option<OperationId>,
}

/// What one run taught.
#[derive(Clone, Debug)]
pub struct RunLearned {
    pub run: RunId,
    /// Nothing new was in it.
    pub is_known: bool,
    pub is_backfill: bool,
    pub n_read: u64,
    pub n_used: u64,
    pub n_rejected: u64,
    /// Lessons that were started.
    pub new: Vec<Named>,
    /// Lessons that were seen again.
    pub matched: Vec<Named>,
    pub transitions: Vec<(Named, Transition)>,
    pub effects: Vec<(Named, Effect)>,
    pub regressions: Vec<Regression>,
    /// What looking back on it came to, if it was worth it.
    pub reflection: Option<LookedBack>,
    /// Findings that look like a lesson but not enough to be one: new lesson, old one,
    /// likeness.
    pub similar: Vec<(Named, Named, f64)>,
}

impl RunLearned {
    /// A run that taught nothing so far.
    pub fn nothing(run: RunId) -> Self {
        RunLearned {
            run,
            is_known: false,
            is_backfill: false,
            n_read: 0,
            n_used: 0,
            n_rejected: 0,
            new: Vec::new(),
            matched: Vec::new(),
            transitions: Vec::new(),
            effects: Vec::new(),
            regressions: Vec::new(),
            reflection: None,
            similar: Vec::new(),
        }
    }

    /// Lessons that became active.
    pub fn promoted(&self) -> impl Iterator<Item = &(Named, Transition)> {
        let is_promotion = |(_, t): &&(Named, Transition)| t.to.is_active() && !t.from.is_active();
        self.transitions.iter().filter(is_promotion)
    }
}

/// What looking back on a run did to lessons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookedBack {
    pub scenario: Scenario,
    pub created: Vec<Named>,
    pub updated: Vec<Named>,
}

/// A finding that had been fixed and is back.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    pub run: RunId,
    pub text: String,
    pub author: String,
    /// `None` when its own record says so and no fix is known here.
    pub fixed_in: Option<RunId>,
}

/// What `inject` gives.
#[derive(Clone, Debug)]
pub struct Injected {
    /// Zero bytes when there is nothing to say.
    pub block: String,
    /// In the order of the block.
    pub lessons: Vec<InjectedLesson>,
    pub left_out: Vec<LeftOut>,
    /// Lessons that chance kept out.
    pub held_out: Vec<LessonId>,
    pub n_tokens: u32,
    /// `sha256:` of the block.
    pub digest: String,
    pub run: Option<RunId>,
    /// The block had been served before and is served again.
    pub is_repeat: bool,
    /// How many blocks for this need in this run came before it and do not hold any more.
    pub n_served: u32,
}

impl Injected {
    /// Whether it says anything new about a run: what was shown, or held out.
    pub fn is_worth_recording(&self) -> bool {
        !self.is_repeat && (!self.block.is_empty() || !self.held_out.is_empty())
    }
}

/// The empty block.
impl Default for Injected {
    fn default() -> Self {
        Injected {
            block: String::new(),
            lessons: Vec::new(),
            left_out: Vec::new(),
            held_out: Vec::new(),
            n_tokens: 0,
            digest: sha256_of_bytes(b""),
            run: None,
            is_repeat: false,
            n_served: 0,
        }
    }
}

/// One lesson of a block, with its score.
#[derive(Clone, Debug)]
pub struct InjectedLesson {
    pub lesson: Lesson,
    pub score: f64,
    pub parts: Vec<(&'static str, f64)>,
    /// Chance could have held it out.
    pub is_randomised: bool,
}

/// One candidate that is not in the block, with the reason.
#[derive(Clone, Debug)]
pub struct LeftOut {
    pub id: LessonId,
    pub text: String,
    pub reason: String,
    /// Present if it came as far as being scored.
    pub score: Option<f64>,
    pub parts: Vec<(&'static str, f64)>,
}

/// Lessons, in order.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    pub lessons: Vec<Lesson>,
    /// What showing them is worth, where it is known.
    pub lifts: BTreeMap<LessonId, Lift>,
    /// Whether a limit cut the list.
    pub has_more: bool,
}

/// Everything about one lesson.
#[derive(Clone, Debug)]
pub struct LessonStory {
    pub lesson: Lesson,
    /// Findings that support it, oldest first.
    pub evidence: Vec<Finding>,
    /// The runs that these findings and effects come from.
    pub runs: BTreeMap<RunId, Run>,
    /// Where it was shown.
    pub injections: Vec<Injection>,
    pub effects: Vec<Effect>,
    /// What was done to it, oldest first.
    pub history: Vec<Entry>,
    /// Why it is not shown to anybody, if it is not.
    pub excluded: Option<String>,
    /// What showing it is worth; `None` while that is not known.
    pub lift: Option<Lift>,
}

/// The effects of one run.
#[derive(Clone, Debug)]
pub struct Checked {
    pub run: RunId,
    pub n_shown: usize,
    pub effects: Vec<(Named, Effect)>,
}

/// A run and how it ended.
#[derive(Clone, Debug)]
pub struct RunEnded {
    pub run: RunId,
    pub outcome: Outcome,
}

/// Transitions of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Swept {
    pub transitions: Vec<(Named, Transition)>,
}

/// What an undo took back.
#[derive(Clone, Debug)]
pub struct Undone {
    pub operation: OperationId,
    pub command: String,
    pub lessons: Vec<LessonId>,
}

/// Journal entries, newest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub entries: Vec<Entry>,
}

/// Numbers about a project's memory.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub n_lessons: u64,
    pub by_state: BTreeMap<State, u64>,
    pub by_kind: BTreeMap<hardwon_core::lesson::Kind, u64>,
    pub by_severity: BTreeMap<Severity, u64>,
    pub n_global: u64,
    pub n_pinned: u64,
    pub n_runs: u64,
    pub effects: EffectCounts,
}

/// What is being learned, and what it is worth.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub counts: Counts,
    /// Lessons that were put to the test, those that helped most first.
    pub proven: Vec<Lesson>,
    /// Lessons that were shown and came back all the same.
    pub failing: Vec<Lesson>,
    /// Lessons that had proved themselves, and failed in one of the newest runs.
    pub regressed: Vec<Lesson>,
    /// Confirmed lessons that no run has put to the test yet.
    pub untested: Vec<Lesson>,
    /// The newest runs, newest first, with how many of their findings were repeats.
    pub runs: Vec<RunSummary>,
    /// What all lessons together are worth; `None` while that is not known.
    pub lift: Option<Lift>,
    /// The same of single lessons, where it is known.
    pub lifts: BTreeMap<LessonId, Lift>,
}

/// One line about a run.
#[derive(Clone, Debug)]
pub struct RunSummary {
    pub run: Run,
    pub n_findings: u64,
    /// Findings of a lesson that an earlier run had already reported.
    pub n_repeats: u64,
    pub n_regressions: u64,
    pub n_shown: u64,
    pub n_helped: u64,
}

/// One setting as it is in force, and where that value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: String,
    /// `default`, `user file`, `project file`, the variable or the flag.
    pub set_by: String,
}

/// Something that the other layout has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplaced {
    /// What it is, in a few words.
    pub what: String,
    pub n: u64,
    /// Where it is kept instead, or that it stays behind.
    pub kept: &'static str,
}

/// What `import` did.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The system whose files were read.
    pub from: String,
    /// Lessons that were there to read.
    pub n_read: u64,
    /// Lessons that are new here.
    pub added: Vec<LessonId>,
    /// Of those, the ones that wait until somebody vouches for them.
    pub quarantined: Vec<LessonId>,
    /// Lessons that had waited and that were vouched for since.
    pub released: Vec<LessonId>,
    /// Lessons that were here and whose record says something else now.
    pub updated: Vec<LessonId>,
    /// Lessons that were here already.
    pub n_known: u64,
    /// Records that could not be used.
    pub n_rejected: u64,
    pub n_runs: u64,
    pub unplaced: Vec<Unplaced>,
    /// What was there to read, by kind and by state.
    pub by_kind: BTreeMap<hardwon_core::lesson::Kind, u64>,
    pub by_state: BTreeMap<State, u64>,
    /// New lessons that are much like one that is here: new, known, likeness.
    pub similar: Vec<(LessonId, LessonId, f64)>,
    /// New lessons that say the opposite of one that is here: new, known.
    pub opposed: Vec<(LessonId, LessonId)>,
    /// Texts and words that the gate changed.
    pub n_cleaned: u64,
    /// Lessons that had been forgotten for good and stay so.
    pub n_forgotten: u64,
    /// Marks of forgotten lessons that were taken over.
    pub n_tombstones: u64,
}

/// What `export` wrote.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The system whose layout was written.
    pub to: String,
    pub folder: String,
    /// Lessons that are in use there.
    pub n_active: u64,
    /// Lessons that were put away.
    pub n_archived: u64,
    /// Lessons that were there and were brought up to date.
    pub n_updated: u64,
    pub n_runs: u64,
    pub unplaced: Vec<Unplaced>,
    /// `sha256:` at the end of a file of ours.
    pub digest: Option<String>,
}

/// A foreign folder, and whether somebody vouched for what is in it.
#[derive(Clone, Debug)]
pub struct ForeignFolder {
    pub system: String,
    pub folder: String,
    /// Of everything in it that would be used.
    pub digest: String,
    pub standing: TrustStanding,
    pub lessons: Vec<Lesson>,
}

/// Lessons that may say the same.
#[derive(Clone, Debug, Default)]
pub struct NearPairs {
    pub pairs: Vec<Near>,
}

/// Two lessons that may say the same; the base would stay.
#[derive(Clone, Debug)]
pub struct Near {
    pub base: Lesson,
    pub other: Lesson,
    pub likeness: f64,
}

/// The answer to a guard.
#[derive(Clone, Debug)]
pub struct Guarded {
    pub what: String,
    pub is_met: bool,
    /// What is missing, each with the command that gives it.
    pub missing: Vec<String>,
}

/// Lessons that wait for somebody.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    pub items: Vec<Queued>,
    pub is_team: bool,
}

/// One lesson that waits, and for whom.
#[derive(Clone, Debug)]
pub struct Queued {
    pub lesson: Lesson,
    pub waits: Waiting,
    pub authority: String,
    /// Who may decide: those bound to that authority, or who can give the last approval.
    pub people: Vec<String>,
    /// When time decides if nobody does.
    pub deadline: Option<Timestamp>,
    pub decisions: Vec<Decision>,
    /// The reason of its last step, or how it came to be.
    pub because: Option<String>,
    /// Approvals that are given and wait for another.
    pub approvals: Vec<Review>,
}

vocabulary! {
    /// Whether a folder is vouched for.
    TrustStanding {
        /// Somebody vouched for exactly this content.
        Trusted = "trusted",
        /// Somebody vouched for it, and it is another content now.
        Changed = "changed",
        /// Nobody did.
        Unknown = "unknown",
    }
}

/// Recorded history beside the same history under another policy.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// The policy it was replayed under.
    pub policy: String,
    /// Root runs that were replayed.
    pub n_runs: u64,
    pub happened: HistoryCounts,
    pub replayed: HistoryCounts,
    /// Texts of lessons that were shown, and would not have been.
    pub only_happened: Vec<String>,
    /// Texts of lessons that were not shown, and would have been.
    pub only_replayed: Vec<String>,
    /// What to keep in mind, one sentence each.
    pub notes: Vec<String>,
}

/// What a history amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryCounts {
    /// Lessons in blocks, each time one was shown.
    pub n_shown: u64,
    /// Shown where it could have come back, and did not.
    pub n_prevented: u64,
    /// Shown, and came back.
    pub n_repeated: u64,
    /// Lessons that became active.
    pub n_promoted: u64,
    /// Lessons that faded.
    pub n_decayed: u64,
}

/// A lesson that was forgotten for good, and what was proved about it.
#[derive(Clone, Debug)]
pub struct Forgotten {
    /// As it was, without its words.
    pub lesson: Lesson,
    pub erased: Erased,
}

/// What was erased, and where something of it was looked for afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Rows and journal entries that held something of it.
    pub n_rows: u64,
    pub n_files_scanned: u64,
    /// Where something of it was found.
    pub residues: Vec<Residue>,
    /// What could not be shown, one sentence each.
    pub not_proved: Vec<String>,
    /// Copies of the store that stand beside it.
    pub backups: Vec<KnownCopy>,
    /// Exports that were written since this is remembered, and are still there.
    pub exports: Vec<KnownCopy>,
    /// What an erasure leaves, one phrase each.
    pub kept: Vec<&'static str>,
    /// It was erased before: the files were written anew, but not searched for words
    /// that nobody has any more.
    pub is_again: bool,
}

impl Erased {
    /// Whether nothing of it is left, as far as anybody can look.
    pub fn is_proved(&self) -> bool {
        self.residues.is_empty() && self.not_proved.is_empty()
    }
}

/// Something that is left of an erased text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    /// A file, or a row that is somebody else's.
    pub place: String,
    /// `the text`, or `a piece of it`.
    pub what: &'static str,
}

/// A copy of memory that we know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCopy {
    pub path: String,
    pub has_text: bool,
}
