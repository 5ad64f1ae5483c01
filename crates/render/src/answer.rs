//! The answers of the use cases. Each is one plain type that is shown as text and as JSON, and
//! from which its published schema is made. It owns every field: how memory stores a thing is
//! not how it is shown. What only the text shows is not serialized.

mod asked;
mod backtest;
mod compared;
mod deliberation;
mod doctor;
mod episodes;
mod erase;
mod events;
mod faces;
pub(crate) mod fields;
mod geas;
mod geas_tree;
mod inject;
mod install;
mod journal;
mod lesson;
pub(crate) mod lift;
mod messages;
mod notes;
mod overview;
mod patterns;
pub(crate) mod policy;
mod project;
mod reflect;
mod report;
mod review;
mod runs;
mod settings;
pub(crate) mod steps;
mod store;
mod story;
mod team;
mod transfer;
pub(crate) mod value;

use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
pub use hardwon_core::lifecycle::Waiting;
use hardwon_core::vocabulary;
use schemars::JsonSchema;
use serde::Serialize;

pub use asked::{
    AskAnswered, Asked, AskedOutcome, Cost, ModelUsage, ModelUsed, PromptPrinted, RunCost,
    SpentNow, UsageBy, UsageRow, WouldAsk, price_word,
};
pub use backtest::{Backtested, ForewarnedBy, Share};
pub use compared::{Compared, UnderPolicy};
pub use deliberation::{
    AttemptLine, DeliberationLine, DeliberationShown, Deliberations, FindingLine, FindingStep,
    FindingStory, FindingsListed, Repeat, Tried,
};
pub use doctor::{Health, HealthCheck, HealthStatus, KeptSecret, SKIPPED};
pub use episodes::{
    AccountShown, Done, Ended, Related, Run, RunLine, RunStory, Runs, Shown, Usage,
};
pub use erase::{Erased, Forgotten, KnownCopy, Residue};
pub use events::{Event, EventDetail, EventLesson, Events, kept_event, parse_event};
pub use faces::{ForeignWords, Served, Serving, Tool};
pub use geas::{GeasNotebook, GeasPacket, GeasPacketLesson, GeasRule, GeasRules};
pub use geas_tree::{
    GeasCollected, GeasEvolved, GeasFault, GeasIndexed, GeasLogged, GeasLogs, GeasValidated,
    GeasWaiting,
};
pub use inject::{Injected, InjectedLesson, LeftOut};
pub use install::{Conversations, FileStep, HostFile, HostSeen, Installation};
pub use journal::{Entry, Field, History, LessonVersion, LessonVersions, Undone};
pub use lesson::{Effects, Hit, Hits, Lesson, Lessons, Lift, NoteHit, OneLesson, Scope};
pub use messages::{Message, MessageBody, MessageKind, MessageWithLessons};
pub use notes::{
    AuditedFact, FileChanged, NoteLine, NotePromotion, NoteShown, NoteToPromote, NoteToRewrite,
    NotesAudit, NotesChecked, NotesFault, NotesListed, NotesProposal, NotesProposals, NotesReview,
    NotesStatus, NotesWritten, Overlap, PromotionPart, RedundantNote, StaleNote,
};
pub use overview::{
    BlockShown, Choice, Concern, LessonsLearned, Overview, PromptTotals, RunPoint, SessionShown,
    TreeNode,
};
pub use patterns::{ForeignAnswers, Pattern, PatternChanged};
pub use project::{MergedProjects, ProjectLine, ProjectShown, Projects};
pub use reflect::{AdviceTaken, Considered, Looked, Reflected, ReflectionContext};
pub use report::{Counts, Report, RunSummary, Stats};
pub use review::{Guarded, Near, NearPairs, ProposedSetting, Queue, Queued};
pub use runs::{
    Checked, Conclusion, Effect, FindingCounts, Learned, LookedBack, Regression, Regressions,
    RunEnded, RunLearned, Similar, Swept, Transition,
};
pub use settings::{Difference, Policy, PolicyDiff, Setting, Settings};
pub use store::{CopiedStore, KeptCopy, Migrated};
pub use story::{
    Evidence, InformedBy, LessonFacts, LessonPage, LessonStory, Review, RunBrief, RunEffect,
    Showing, Step,
};
pub use team::{ApprovedLessons, MemberLine, Shared, TeamShown, TokenLine, TokenMade};
pub use transfer::{
    Exported, ForeignFolder, Imported, OpposedLesson, SimilarLesson, TrustStanding, Unplaced,
};
pub use value::{Decimal, Id, Time, Word};

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

    /// The same answer with another body.
    pub fn map<U>(self, body: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { status: self.status, problems: self.problems, body: body(self.body) }
    }

    /// The same answer, `empty` if it was `ok` and this holds.
    pub fn empty_if(self, is_empty: impl FnOnce(&T) -> bool) -> Self {
        let is_empty = is_empty(&self.body);
        self.or_empty(is_empty)
    }

    /// The same answer, `empty` if it was `ok` and there was nothing.
    pub fn or_empty(mut self, is_empty: bool) -> Self {
        if is_empty && self.status == Status::Ok {
            self.status = Status::Empty;
        }
        self
    }
}

/// A lesson by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    pub id: Id<LessonId>,
    /// Enough to know it by.
    pub text: String,
}

impl Named {
    pub fn new(id: LessonId, text: impl Into<String>) -> Self {
        Named { id: Id(id), text: text.into() }
    }
}
