//! What waits for a person: lessons, and settings that an agent would change.

use hardwon_engine::answer::{Answer, ProposedSetting, Queue};
use hardwon_engine::settings::proposed;
use hardwon_engine::{Call, EngineError, Environment, Memory, lessons};

/// All that waits, the most urgent lessons first.
pub fn review_queue(
    environment: &Environment,
    memory: &Memory,
    call: &Call,
) -> Result<Answer<Queue>, EngineError> {
    let mut answer = lessons::review_queue(memory, call)?;
    answer.body.settings = proposed_settings(environment);
    Ok(answer)
}

/// Settings that an agent would change.
pub(crate) fn proposed_settings(environment: &Environment) -> Vec<ProposedSetting> {
    let settings = proposed::proposed(environment).into_iter();
    settings.map(|(name, value)| ProposedSetting { name, value }).collect()
}
