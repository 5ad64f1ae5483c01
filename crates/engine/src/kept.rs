//! What an open memory keeps from one question to the next, until something is written.

use std::sync::Arc;

use hardwon_core::ids::ProjectId;
use hardwon_core::lifecycle::Waiting;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{Named, Overview};
use hardwon_store::{Kept, Revision};

/// Answers that take long to work out and are asked for with every page.
#[derive(Debug, Default)]
pub(crate) struct Views {
    /// The line of those that wait for a review; in a team it is another one.
    pub line: Kept<(ProjectId, bool), Revision, Arc<[Waits]>>,
    /// Memory at a glance, without messages. Blocks leave the revision as it is, so that their
    /// number is looked at as well.
    pub overview: Kept<ProjectId, (Revision, u64), Overview>,
}

/// A lesson in that line, with what its place follows from.
#[derive(Debug)]
pub(crate) struct Waits {
    pub waits: Waiting,
    pub deadline: Option<Timestamp>,
    pub lesson: Named,
}
