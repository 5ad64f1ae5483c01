//! How do hosts call us? Their events in their own dialects, as one event in our words.

pub mod event;
pub mod hosts;
pub mod lean;

use hardwon_engine::ids::RunId;
use hardwon_engine::session_run;

use crate::install::hosts::HOSTS;

/// The run of the host's session in which this process was started, if the host tells: the
/// same that its hooks name, so that what is said there and here has one witness.
pub fn run_of_process() -> Option<RunId> {
    HOSTS.iter().find_map(|host| {
        let session = std::env::var(host.session?).ok().filter(|session| !session.is_empty())?;
        RunId::parse(&session_run(host.name, &session, None)).ok()
    })
}
