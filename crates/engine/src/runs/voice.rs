//! In whose name does an agent speak? Its words are one voice, however they come.

use hardwon_core::find::FoundRun;

use hardwon_core::voice::{Speaker, Voice};

use crate::memory::{Call, Memory};
use crate::place::Environment;

/// The name under which an agent speaks, whichever way its words come: what it says
/// here and what it reports through a tool must not count as two voices.
pub(crate) fn own_voice(memory: &Memory, call: &Call, agent: &str) -> String {
    let named = || Environment { speaker: Speaker::agent(agent), ..Environment::default() };
    match call.speaker.voice {
        Voice::Agent => call.actor.clone(),
        Voice::Person | Voice::Script => {
            memory.gate.word(&named().actor()).unwrap_or_else(|| "agent".to_owned())
        }
    }
}

/// Attributes a conversation to the agent that took part in it.
pub(crate) fn attribute(memory: &Memory, call: &Call, run: &mut FoundRun) {
    let own = run.stated.agent.as_deref().map(|agent| own_voice(memory, call, agent));
    run.attribute(&own.unwrap_or_default());
}
