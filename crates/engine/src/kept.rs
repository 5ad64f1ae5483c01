//! What an open memory keeps from one question to the next, until something is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use hardwon_core::ids::{LessonId, OperationId, ProjectId};
use hardwon_core::lesson::Lesson;
use hardwon_core::lifecycle::Waiting;
use hardwon_core::matching::Corpus;
use hardwon_core::rank::Counted;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{Injected, Named, Overview};
use hardwon_store::{Kept, Revision};

/// Needs whose lessons are kept, each perhaps a tenth of a megabyte, and blocks.
const N_NEEDS: usize = 8;
const N_BLOCKS: usize = 32;

/// Answers that take long to work out and are asked for with every page, or by every agent of a
/// pipeline.
#[derive(Debug)]
pub(crate) struct Views {
    /// Whether needs are kept: in a process that serves many.
    pub keeps_needs: bool,
    /// What is at hand for a need, spelled out.
    pub needs: Kept<(ProjectId, String), Revision, Arc<Candidates>>,
    /// The block of a request without a run, spelled out: until something is written, or the
    /// minute is over by which dates are looked at.
    pub blocks: Kept<(ProjectId, String), (Revision, i64), Injected>,
    /// The line of those that wait for a review; in a team it is another one.
    pub line: Kept<(ProjectId, bool), Revision, Line>,
    /// Memory at a glance, without messages. Blocks leave the revision as it is, so that their
    /// number is looked at as well.
    pub overview: Kept<ProjectId, (Revision, u64), Overview>,
}

impl Default for Views {
    fn default() -> Self {
        Views {
            keeps_needs: false,
            needs: Kept::at_most(N_NEEDS),
            blocks: Kept::at_most(N_BLOCKS),
            line: Kept::default(),
            overview: Kept::default(),
        }
    }
}

/// All that wait, the most urgent first, and how far the journal was read for it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub until: Option<OperationId>,
    pub waits: Arc<[Waits]>,
}

/// A lesson in that line, with what its place follows from.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    pub waits: Waiting,
    pub deadline: Option<Timestamp>,
    pub lesson: Named,
}

/// Lessons to rank, how common their words are, and how often they came up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub lessons: Vec<Lesson>,
    pub corpus: Corpus,
    pub counted: Counted,
    /// Lines that stand above the lessons.
    pub above: Vec<String>,
    /// What the run was shown already, where only news are wanted.
    pub known: BTreeSet<LessonId>,
}
