//! How did a session end, by the checks that were run in it?

use super::attempt::Attempt;
use crate::command::purpose::purpose;
use crate::run::Outcome;

/// The word of the last test, check or build; nothing if none was run.
pub fn outcome(attempts: &[Attempt<'_>]) -> Option<Outcome> {
    let is_verdict = |attempt: &&Attempt<'_>| {
        let purpose = purpose(&attempt.command);
        matches!(purpose.as_str(), "test" | "check" | "build") && !attempt.is_look()
    };
    let last = attempts.iter().rfind(is_verdict)?;
    Some(if last.is_ok { Outcome::Success } else { Outcome::Failed })
}
