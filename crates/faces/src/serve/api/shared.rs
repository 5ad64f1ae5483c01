//! What somebody shares with the team, and what the team approved.

use hardwon_engine::answer::{Answer, ApprovedLessons};
use hardwon_engine::transfer;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::route::{Answered, Ask};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Propose {
    /// As `hardwon export` writes it; only its lessons are taken.
    export: String,
}

pub fn approved(ask: &mut Ask<'_>) -> Answered {
    ask.reads(|memory, call| {
        let (export, n_lessons) = transfer::approved(memory, call)?;
        Ok(Answer::of(ApprovedLessons { export, n_lessons }, Vec::new()))
    })
}

pub fn propose(ask: &mut Ask<'_>) -> Answered {
    let Propose { export } = ask.json()?;
    ask.writes(|memory, call| transfer::propose(memory, call, &export))
}

/// The bodies, for the description.
#[cfg(test)]
pub fn bodies() -> Vec<(&'static str, schemars::Schema)> {
    vec![("Propose", schemars::schema_for!(Propose))]
}
