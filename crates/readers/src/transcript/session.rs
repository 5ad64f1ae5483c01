//! What is known of a session while it is read, and who spoke in it.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::ended::Ended;
use hardwon_core::ids::RunId;
use hardwon_core::run::Outcome;
use hardwon_core::time::Timestamp;
use serde_json::Value;

use super::work::Work;
use crate::review_text::Review;

/// What is known of the session so far.
#[derive(Default)]
pub struct Session {
    pub id: Option<String>,
    pub folder: Option<String>,
    pub role: Option<String>,
    pub task: Option<String>,
    pub started: Option<Timestamp>,
    /// How it ended, where its record says more than that it did.
    pub outcome: Option<Outcome>,
    /// Who cut it short.
    pub ended: Option<Ended>,
    pub error_class: Option<String>,
    pub summary: Option<String>,
    /// Sub-agents by the call that started them.
    pub agents: BTreeMap<String, String>,
    /// Calls that stand in several lines, and were read.
    pub seen: BTreeSet<String>,
}

/// Where what a line says is kept.
pub struct Kept<'a> {
    pub session: &'a mut Session,
    pub work: &'a mut Work,
}

impl Kept<'_> {
    /// The main agent calls a tool.
    pub fn call(
        &mut self,
        line: u64,
        at: Option<Timestamp>,
        id: &str,
        tool: &str,
        arguments: &Value,
    ) {
        self.work.in_folder(self.session.folder.as_deref());
        self.work.call(line, at, None, id, tool, arguments);
    }
}

/// A message, and who spoke.
#[derive(Clone, Debug, Default)]
pub struct Spoken {
    /// The sub-agent's id, if it is known.
    pub agent: Option<String>,
    pub role: Option<String>,
    /// It reviews here, without a role for it.
    pub reviewer: Option<&'static str>,
    /// The user had the host itself review.
    pub is_of_host: bool,
    pub message: String,
}

/// What an agent found, and where it stands.
pub struct Statement {
    pub line: u64,
    pub agent: Option<String>,
    pub role: Option<String>,
    pub review: Review,
}

/// The run of a session, and of a sub-agent in it: the same that its hooks name.
pub fn session_run(host: &str, session: &str, agent: Option<&str>) -> String {
    let name = match agent {
        Some(agent) => format!("{host}-{session}/{agent}"),
        None => format!("{host}-{session}"),
    };
    RunId::named(&name).map_or(name, |run| run.as_str().to_owned())
}
