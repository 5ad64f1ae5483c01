//! Where memory is kept. One narrow, blocking trait, three implementations (`memory`,
//! `sqlite`, `postgres`) and one conformance suite that all pass.
//!
//! A store fetches, filters and *proposes*; it never ranks, decays or decides. All
//! state changes go through [`Store::apply`], which appends to the journal and updates
//! the tables in one transaction. Every read names a project and sees that project's
//! rows and the global ones, never another project's.
#![forbid(unsafe_code)]

// The suite is part of three programs and calls this crate by its name in each.
#[cfg(test)]
extern crate self as hardwon_store;

mod asked;
mod cell;
pub mod checkout;
#[cfg(test)]
#[path = "../tests/conformance/mod.rs"]
mod conformance;
pub mod copy;
mod error;
mod every_text;
pub mod files;
pub mod history;
mod kept;
mod memory;
mod narrow;
mod postgres;
mod query;
pub mod queue;
mod rebuilt;
pub mod remains;
mod replay;
mod rows;
mod settle;
mod sqlite;
mod sums;
pub mod system;
mod terms;
mod tree;
pub mod turn;
pub mod versions;
pub mod working_tree;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::PathBuf;

use hardwon_core::attempt::Attempt;
use hardwon_core::change::{Batch, Change, Entry, Tombstone};
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::{Deliberation, DeliberationFilter};
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::{Finding, FindingKey, FindingState};
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::{Arms, Kind, Lesson, State};
use hardwon_core::matching::Corpus;
use hardwon_core::project::{Mark, Project};
use hardwon_core::run::{Outcome, Run, RunKind};
use hardwon_core::scope::Scope;
use hardwon_core::tally::{Counts, Facet};
use hardwon_core::time::Timestamp;
use hardwon_core::totals::Totals;

pub use error::{Result, StoreError};
pub use every_text::{KeptText, Visit};
pub use kept::Kept;
pub use memory::{JournalLine, MemoryStore};
pub use narrow::{Narrow, each_narrowed};
pub use postgres::{PostgresStore, Standing};
pub use query::each_page;
pub use rebuilt::{Doubted, Rebuilt};
pub use sqlite::{Access, Copy, DailyBackup, Examined, Restored, SchemaFound, SqliteStore};
pub use tree::{KeptTree, Tree, TreeCounts};
pub use turn::Turn;

/// What every store can do. It may move to another thread: a server asks it on one that may wait.
pub trait Store: Send {
    /// Where the project stands: what to expect when writing, and how far its runs
    /// have come.
    fn status(&self, project: &ProjectId) -> Result<ProjectStatus>;

    /// Its revision alone: whether what somebody keeps of the project still holds.
    fn revision(&self, project: &ProjectId) -> Result<Revision> {
        Ok(self.status(project)?.revision)
    }

    /// Lessons of the project and global ones, in a total order. Missing ids are not
    /// an error: they are missing in the answer.
    fn lessons(&self, project: &ProjectId, query: &LessonQuery) -> Result<Vec<Lesson>>;

    /// What those lessons amount to.
    fn totals(&self, project: &ProjectId) -> Result<Totals> {
        Ok(Totals::of(&self.lessons(project, &LessonQuery::default())?))
    }

    /// The scopes of lessons that are not put away, and how many have each.
    fn scopes(&self, project: &ProjectId) -> Result<Vec<(Scope, u64)>> {
        let lessons = self.lessons(project, &LessonQuery::not_put_away())?;
        let mut scopes: BTreeMap<Scope, u64> = BTreeMap::new();
        for lesson in lessons {
            *scopes.entry(lesson.scope).or_default() += 1;
        }
        Ok(scopes.into_iter().collect())
    }

    /// What chance showed of lessons that were both shown and held out: each that there is, and
    /// of how many lessons.
    fn arms(&self, project: &ProjectId) -> Result<Vec<(Arms, u64)>> {
        let query = LessonQuery { pick: Pick::Shown, ..LessonQuery::default() };
        let arms = self.lessons(project, &query)?.into_iter().map(|lesson| lesson.arms);
        let both = arms.filter(|arms| arms.n_shown > 0 && arms.n_held_out > 0);
        Ok(both.map(|arms| (arms, 1)).collect())
    }

    /// How many blocks were recorded in the project, and how many tokens they have.
    fn block_totals(&self, project: &ProjectId) -> Result<BlockTotals>;

    /// Whether a new lesson of the project cannot have this id, since another has it: one of any
    /// project, as far as whoever asks may see that. Says nothing else about it.
    fn is_taken(&self, project: &ProjectId, id: &LessonId) -> Result<bool>;

    /// Lessons that share terms with the search, best first by the weight of the
    /// shared terms, and how common those terms are. The same in every store. Or deliberations
    /// or attempts, as [`About`] says.
    fn search(&self, project: &ProjectId, search: &Search) -> Result<Proposals>;

    /// What was counted that bears on some facets, about the lessons that it concerns.
    fn counts(&self, project: &ProjectId, query: &CountQuery) -> Result<Counts>;

    /// Everything about the root run of this run: its runs, findings, injections and
    /// effects. A run that is not recorded yet may have injections; an unknown id gives an
    /// empty tree.
    fn tree(&self, project: &ProjectId, run: &RunId) -> Result<Tree>;

    /// Learned runs with a number in `from..=to`, by number and id. All runs of one
    /// tree, children too, have their root's number.
    fn numbered_runs(&self, project: &ProjectId, from: u64, to: u64) -> Result<Vec<Run>>;

    /// Runs of the project, whatever is known of them, newest first (by stated start, else
    /// stated end, else when they were recorded), then by id, the last first.
    fn runs(&self, project: &ProjectId, query: &RunQuery) -> Result<Vec<Run>>;

    /// How many these are.
    fn n_runs(&self, project: &ProjectId, query: &RunQuery) -> Result<u64> {
        Ok(self.runs(project, query)?.len() as u64)
    }

    /// Findings of all runs of the project, oldest run first (by its stated start, else
    /// its stated end, else when it was recorded), then by run and key.
    fn findings(&self, project: &ProjectId, query: &FindingQuery) -> Result<Vec<Finding>>;

    /// Effects of these lessons, ordered by lesson, run number and root run: those of
    /// this project, and of every project for a global lesson, whose confidence is one.
    /// Each with its project: two projects may have runs of the same name.
    fn effects(
        &self,
        project: &ProjectId,
        lessons: &[LessonId],
    ) -> Result<Vec<(ProjectId, Effect)>>;

    /// Where a lesson was shown in this project, ordered by time, run, role and need.
    /// (In sqlite an indexed lookup by lesson.)
    fn injections(&self, project: &ProjectId, lesson: &LessonId) -> Result<Vec<Injection>>;

    /// Journal entries of the project, and changes of global lessons by whatever
    /// project, in the order in which they were written. What another project concluded about
    /// a global lesson (its findings and effects) stays with that project.
    ///
    /// Each project counts its entries and its operations from one, whatever others do: so only
    /// project and number together name an entry or an operation.
    fn journal(&self, project: &ProjectId, query: &JournalQuery) -> Result<Vec<Entry>>;

    /// Calls `visit` with every entry of every project, each after all that it can build on, until it
    /// says false.
    fn each_entry(&self, visit: VisitEntry<'_>) -> Result<()>;

    /// The lessons that were added under the project, in the order in which each came first.
    fn added(&self, project: &ProjectId) -> Result<Vec<LessonId>> {
        let entries = self.journal(project, &JournalQuery::default())?.into_iter();
        let own = entries.filter(|entry| entry.project == *project);
        let added = own.filter_map(|entry| match entry.change {
            Change::AddLesson { lesson, .. } => Some(lesson.id),
            _ => None,
        });
        Ok(query::each_once(added))
    }

    /// What was asked of models, in every project unless one is named, the newest first, then by
    /// project and id.
    fn consultations(&self, query: &ConsultationQuery) -> Result<Vec<(ProjectId, Consultation)>>;

    /// Tombstones of erased lessons, of the project and global ones, by owner and lesson.
    fn tombstones(&self, project: &ProjectId) -> Result<Vec<Tombstone>>;

    /// Projects by id: the one read that names no project, because it finds out which one is
    /// meant. A project that was written to and has no description is bare.
    fn projects(&self, query: &ProjectQuery) -> Result<Vec<Project>>;

    /// Waits for this process's turn to write, if processes take turns here, and writes what
    /// waits in the queue. To be held from before the reads that a write is decided on until it
    /// is applied: then nobody else writes in between. `StoreError::Busy` if it does not come.
    fn take_turn(&mut self) -> Result<Turn> {
        Ok(Turn::default())
    }

    /// Leaves injections, which a busy store could not take, to the next process that takes its
    /// turn; `tree` has them at once. Written twice they are there once. False if that cannot
    /// be done with this store or this batch.
    fn leave(&mut self, _batch: &Batch) -> Result<bool> {
        Ok(false)
    }

    /// Writes a batch completely or not at all; when this returns it is durable. With an
    /// `expected` revision the batch is refused (`StoreError::Conflict`) if anything
    /// else was written to this project, or to the global lessons, since.
    ///
    /// Refused as `StoreError::Mismatch`: a change that does not fit the rows it
    /// meets, a change of another project's lesson, an edit that would move a row to
    /// another key, and the continuation of an operation that this project never
    /// began. A text without a body is filled in if the store has it; a body that is
    /// brought for a text whose body was erased is kept again.
    ///
    /// An erasure removes its texts and words from every row and every journal entry, of any
    /// project. Besides what it names it removes the text of findings that were recognized
    /// as its lesson and of blocks that showed it; it leaves a text that another lesson has.
    fn apply(&mut self, batch: &Batch, expected: Option<Revision>) -> Result<OperationId>;

    /// From here on batches may go to the disk together, which is many times faster where each
    /// is several files. What `apply` says holds for later reads of this store at once, and for
    /// everybody else once `end_group` says that it is done: before that nothing is acknowledged.
    fn begin_group(&mut self) {}

    /// Ends it: when this returns all of the group is durable. `StoreError::Conflict` if somebody
    /// who takes no lock wrote meanwhile: then some of the group's last batches are not written.
    fn end_group(&mut self) -> Result<()> {
        Ok(())
    }

    /// Removes the remains of erased texts from the files of this store: empties logs, and
    /// `deep` rewrites every page. Says which files there are, and what could not be done.
    fn scour(&mut self, deep: bool) -> Result<Scoured>;

    /// Checks for damage: the store's own integrity, text digests, and the journal
    /// replayed against the tables. Empty if none was found.
    fn check(&self) -> Result<Vec<Fault>>;

    /// Restores what follows from the journal: tables, index, counts; all of it or nothing.
    /// A damaged journal is not used.
    fn rebuild(&mut self) -> Result<Rebuilt>;

    /// Calls `visit` with every text of every project.
    fn every_text(&self, visit: Visit<'_>) -> Result<()>;

    /// For a store in another system's files: their digests when it was opened and now, if
    /// nobody but this store changed them in between.
    fn own_step(&self) -> Option<(String, String)> {
        None
    }
}

/// Called with an entry of the journal; says whether to go on.
pub type VisitEntry<'a> = &'a mut dyn FnMut(Entry) -> Result<bool>;

/// Counts the writes that touched memory: of the project, and of global lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    pub project: u64,
    pub global: u64,
}

/// Where a project stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProjectStatus {
    pub revision: Revision,
    /// Number of the newest learned root run, 0 before the first.
    pub run_number: u64,
    /// Latest stated end of a learned run; a run that ended before it is a backfill.
    pub newest_finished: Option<Timestamp>,
}

/// What was put into prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockTotals {
    pub n_blocks: u64,
    pub n_tokens: u64,
}

/// Which projects to read.
#[derive(Clone, Debug)]
pub enum ProjectQuery {
    All,
    /// Those with a checkout at this path or with this mark, and those with these ids.
    Near {
        path: String,
        mark: Option<Mark>,
        ids: [ProjectId; 2],
    },
}

/// Which lessons to read.
#[derive(Clone, Debug, Default)]
pub struct LessonQuery {
    pub pick: Pick,
    /// Empty = every state.
    pub states: Vec<State>,
    /// Empty = every kind.
    pub kinds: Vec<Kind>,
    /// Only what comes after this place, where lessons come by prior.
    pub after: Option<Position>,
    /// After filtering and ordering.
    pub limit: Option<usize>,
}

impl LessonQuery {
    /// All that are not put away.
    pub fn not_put_away() -> Self {
        let states = State::ALL.iter().copied().filter(|state| !state.is_put_away());
        LessonQuery { states: states.collect(), ..LessonQuery::default() }
    }
}

/// The place of a lesson among those that come by prior: where the next page begins.
#[derive(Clone, Debug)]
pub struct Position {
    pub prior: f64,
    pub id: LessonId,
}

impl Position {
    pub fn of(lesson: &Lesson) -> Self {
        Position { prior: lesson.prior(), id: lesson.id.clone() }
    }

    /// How this place and a lesson follow each other, the higher prior first.
    pub fn cmp_to(&self, lesson: &Lesson) -> Ordering {
        lesson.prior().total_cmp(&self.prior).then_with(|| self.id.cmp(&lesson.id))
    }
}

/// How lessons are picked, and in which order they come.
#[derive(Clone, Debug, Default)]
pub enum Pick {
    /// All, by `Lesson::prior` descending, then id.
    #[default]
    All,
    /// Those with these ids, by id.
    Ids(Vec<LessonId>),
    /// Those whose id starts so, or that have this alias, by id.
    Named(String),
    /// Those with exactly one of these scopes, by id.
    Scoped(Vec<Scope>),
    /// Those that `Lesson::is_injectable`, by prior descending, then id.
    Injectable,
    /// Injectable ones that are pinned or a preference, by prior descending, then id.
    Kept,
    /// Those that were ever shown in a run that is over, by prior descending, then id.
    Shown,
    /// Those about which a person may have to decide, by prior descending, then id: under review,
    /// quarantined, stable ones that helped so often, what a review or a wish is
    /// open of, and what only an agent's word speaks for.
    Waiting { n_helped: u32 },
    /// The project's own lessons (not global) whose kind decays, whose state is
    /// candidate or active, and for which
    /// `unseen.checked_at - unseen.n_runs + window <= run_number`; by that base, then id.
    DecayDue { run_number: u64, window: u64 },
}

/// Which questions to a model.
#[derive(Clone, Debug, Default)]
pub struct ConsultationQuery {
    /// Caps count what was spent in all of them.
    pub project: Option<ProjectId>,
    pub since: Option<Timestamp>,
    /// Digest of what was asked.
    pub evidence: Option<String>,
    pub limit: Option<usize>,
}

/// What to look for in the text index.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Terms as `core::propose` makes them.
    pub terms: Vec<String>,
    /// Leave out what may not be shown.
    pub only_injectable: bool,
    pub limit: usize,
    pub about: About,
}

/// What sort of thing is looked for.
#[derive(Clone, Debug, Default)]
pub enum About {
    #[default]
    Lessons,
    /// Those that share terms with the search, in no order, of very many the newest; without
    /// terms all, the newest first, then by id.
    Deliberations(DeliberationFilter),
    /// Those of this issue, the newest first, then by id. Terms are not looked at.
    Attempts(String),
}

/// What a store proposes.
#[derive(Clone, Debug, Default)]
pub struct Proposals {
    pub lessons: Vec<Lesson>,
    /// Frequencies of the searched terms.
    pub corpus: Corpus,
    pub deliberations: Vec<Deliberation>,
    /// How long the responses of all deliberations of the project are; only where these are asked
    /// for.
    pub n_bytes: u64,
    pub attempts: Vec<Attempt>,
}

/// How many lessons a place proposes: those that came up there most.
pub const N_AT_PLACE: usize = 20;

#[derive(Clone, Debug, Default)]
pub struct CountQuery {
    /// Sorted, each once.
    pub facets: Vec<Facet>,
    /// About these lessons, …
    pub lessons: Vec<LessonId>,
    /// … about so many that came up most of late, and about the first [`N_AT_PLACE`] of each
    /// place, if any are wanted; …
    pub n_frequent: usize,
    /// … of these two only those that may be shown.
    pub only_injectable: bool,
}

/// Which runs to read.
#[derive(Clone, Debug, Default)]
pub struct RunQuery {
    pub session: Option<String>,
    /// Only those that took place then or later.
    pub since: Option<Timestamp>,
    /// Only those that come after this one, the newest first.
    pub before: Option<RunPlace>,
    pub task: Option<String>,
    pub agent: Option<String>,
    pub kind: Option<RunKind>,
    pub outcome: Option<Outcome>,
    pub limit: Option<usize>,
}

/// The place of a run among all that come newest first.
#[derive(Clone, Debug)]
pub struct RunPlace {
    pub at: Timestamp,
    pub id: RunId,
}

impl RunPlace {
    pub fn of(run: &Run) -> Self {
        RunPlace { at: query::time_of(run), id: run.id.clone() }
    }
}

/// Which findings to read.
#[derive(Clone, Debug)]
pub enum FindingQuery {
    /// Those recognized as this lesson.
    OfLesson(LessonId),
    /// Fixed ones with this signature (the newest, if there are more than the limit),
    /// then, as far as the limit allows, those that share most with the terms. An
    /// empty signature matches nothing.
    FixedLike {
        signature: String,
        terms: Vec<String>,
        limit: usize,
    },
    /// Those in any of these states, or all if none is named.
    InState(Vec<FindingState>),
    Newest(FindingPage),
}

/// Which findings are on a page. An open field excludes nothing.
#[derive(Clone, Debug, Default)]
pub struct FindingPage {
    pub state: Option<FindingState>,
    /// Whoever reported it.
    pub author: Option<String>,
    /// A run, or a root run with all below it.
    pub run: Option<RunId>,
    /// Only what is older than this one.
    pub before: Option<FindingPlace>,
    /// Of more than these the newest; they come oldest first all the same.
    pub limit: usize,
}

/// The place of a finding among all that come oldest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FindingPlace {
    /// When its run took place; none where that was never recorded, and then it is the oldest.
    pub at: Option<Timestamp>,
    pub run: RunId,
    pub key: FindingKey,
}

/// Which part of the journal to read.
#[derive(Clone, Debug, Default)]
pub struct JournalQuery {
    /// Only what touched this lesson.
    pub lesson: Option<LessonId>,
    /// Only this operation of the project itself.
    pub operation: Option<OperationId>,
    /// Only operations that began after this one of the project itself did; all if it is 0.
    pub after: Option<OperationId>,
    /// Leave out what cannot change memory: recorded injections.
    pub only_memory: bool,
    pub newest_first: bool,
    pub limit: Option<usize>,
}

/// What was done to remove the remains of erased texts from the files of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoured {
    /// The files that it consists of now.
    pub files: Vec<PathBuf>,
    /// Copies of older states beside it.
    pub backups: Vec<PathBuf>,
    /// Why something may be left.
    pub not_done: Vec<String>,
}

/// Something inconsistent or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The check that failed: `integrity`, `texts`, `journal`, `tables`, `index`.
    pub check: &'static str,
    pub detail: String,
}
