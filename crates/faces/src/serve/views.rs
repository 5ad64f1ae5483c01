//! What pages and API both show of several use cases.

use hardwon_engine::answer::{Answer, Event, Overview, SessionShown};
use hardwon_engine::listen::{Listener, Wanted};
use hardwon_engine::{Call, EngineError, Environment, Memory, blocks, history, overview, runs};

/// The newest messages of the overview.
const N_EVENTS: usize = 12;

/// Memory at a glance.
pub fn overview(
    environment: &Environment,
    memory: &Memory,
    call: &Call,
) -> Result<Answer<Overview>, EngineError> {
    let wanted = Wanted { project: Some(call.project.clone()), since: None };
    let mut messages = Listener::new(environment, wanted)?.next_messages();
    messages.drain(..messages.len().saturating_sub(N_EVENTS));
    let events = history::with_lessons(memory, messages)?;
    overview::overview(memory, call, events.iter().map(Event::from).collect())
}

/// What the runs of a session did and taught.
pub fn session(
    memory: &Memory,
    call: &Call,
    session: &str,
) -> Result<Answer<SessionShown>, EngineError> {
    let shown = SessionShown {
        session: session.to_owned(),
        tree: runs::session_nodes(memory, call, session)?,
        panel: runs::learned_in_session(memory, call, session)?,
        blocks: blocks::shown_in_session(memory, call, session)?,
    };
    let is_empty = shown.tree.is_empty();
    Ok(Answer::of(shown, Vec::new()).or_empty(is_empty))
}
