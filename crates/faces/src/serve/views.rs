//! What pages and API both show of several use cases.

use hardwon_engine::answer::{
    Answer, BlockShown, Event, LessonsLearned, Overview, SessionShown, TreeNode,
};
use hardwon_engine::ids::RunId;
use hardwon_engine::listen::{Listener, Wanted};
use hardwon_engine::overview;
use hardwon_engine::{Call, Memory, blocks, history, lessons, runs};

use super::desk::Lent;
use super::house::House;
use super::trouble::Trouble;

/// The newest messages of the overview.
const N_EVENTS: usize = 12;

/// Memory at a glance.
pub fn overview(house: &House, open: &mut Lent<'_>) -> Result<Answer<Overview>, Trouble> {
    let (memory, call) = open.parts();
    let wanted = Wanted { project: Some(call.project.clone()), since: None };
    let mut messages = Listener::new(&house.desk.environment, wanted)?.next_messages();
    messages.drain(..messages.len().saturating_sub(N_EVENTS));
    let events = history::with_lessons(memory, messages)?;
    Ok(overview::overview(memory, call, events.iter().map(Event::from).collect())?)
}

/// How many lessons wait for a review.
pub fn n_waiting(open: &mut Lent<'_>) -> Result<usize, Trouble> {
    let (memory, call) = open.parts();
    Ok(usize::try_from(lessons::waiting(memory, call, 0)?.0).unwrap_or(usize::MAX))
}

/// What surrounds a run.
pub struct TreeView {
    pub tree: Vec<TreeNode>,
    pub blocks: Vec<BlockShown>,
    pub panel: LessonsLearned,
}

pub fn tree(memory: &Memory, call: &Call, run: &RunId) -> Result<TreeView, Trouble> {
    Ok(TreeView {
        tree: runs::tree_nodes(memory, call, run)?,
        blocks: blocks::shown_blocks(memory, call, run)?,
        panel: runs::learned(memory, call, std::slice::from_ref(run))?,
    })
}

/// What the runs of a session did and taught.
pub fn session(open: &mut Lent<'_>, session: &str) -> Result<Answer<SessionShown>, Trouble> {
    let (memory, call) = open.parts();
    let shown = SessionShown {
        session: session.to_owned(),
        tree: runs::session_nodes(memory, call, session)?,
        panel: runs::learned_in_session(memory, call, session)?,
        blocks: blocks::shown_in_session(memory, call, session)?,
    };
    let is_empty = shown.tree.is_empty();
    Ok(Answer::of(shown, Vec::new()).or_empty(is_empty))
}
