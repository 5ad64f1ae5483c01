//! What waits for a person: lessons, settings that an agent would change, better words.

use hardwon_engine::answer::{Answer, ProposedSetting, Queue, Status};
use hardwon_engine::settings::proposed;
use hardwon_engine::{Call, EngineError, Environment, Memory, lessons};
use hardwon_foreign::ask::reword;

/// All that waits, the most urgent lessons first.
pub fn review_queue(
    environment: &Environment,
    memory: &Memory,
    call: &Call,
) -> Result<Answer<Queue>, EngineError> {
    let mut answer = lessons::review_queue(memory, call)?;
    answer.body.settings = proposed_settings(environment);
    answer.body.words = reword::proposed(memory, call, &[])?.proposals;
    if !answer.body.words.is_empty() && answer.status == Status::Empty {
        answer.status = Status::Ok;
    }
    Ok(answer)
}

/// Settings that an agent would change.
pub(crate) fn proposed_settings(environment: &Environment) -> Vec<ProposedSetting> {
    let settings = proposed::proposed(environment).into_iter();
    settings.map(|(name, value)| ProposedSetting { name, value }).collect()
}
