//! What waits for a person: lessons, and settings that an agent would change.

use hardwon_engine::answer::{Answer, Queue};
use hardwon_engine::settings::proposed::proposed;
use hardwon_engine::{Call, EngineError, Environment, Memory, lessons};

/// All that waits, the most urgent lessons first.
pub fn review_queue(
    environment: &Environment,
    memory: &Memory,
    call: &Call,
) -> Result<Answer<Queue>, EngineError> {
    let mut answer = lessons::review_queue(memory, call)?;
    answer.body.settings = proposed(environment);
    Ok(answer)
}
