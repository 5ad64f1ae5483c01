//! In whose name stands what an agent said? Whichever way its words come, they are one voice.

use hardwon_core::find::FoundRun;
use hardwon_core::lesson::Origin;

use crate::call::{Call, Voice};
use crate::memory::Memory;
use crate::place::Environment;

/// The name under which an agent speaks, whichever way its words come: what it says
/// here and what it reports through a tool must not count as two voices.
pub(crate) fn own_voice(memory: &Memory, call: &Call, agent: &str) -> String {
    let named = || Environment { agent: Some(agent.to_owned()), ..Environment::default() };
    match call.voice {
        Voice::Agent => call.actor.clone(),
        Voice::Person => memory.gate.word(&named().actor()).unwrap_or_else(|| "agent".to_owned()),
    }
}

/// In a run of an agent, what the agent itself said is said in its own name.
fn name_speakers(memory: &Memory, call: &Call, run: &mut FoundRun) {
    let Some(agent) = run.stated.agent.clone() else { return };
    let own = own_voice(memory, call, &agent);
    if run.detectors.remove(&agent) {
        run.detectors.insert(own.clone());
    }
    let said = run.findings.iter_mut().map(|finding| &mut finding.author);
    said.filter(|author| **author == agent).for_each(|author| author.clone_from(&own));
}

/// What stands in a conversation is an agent's word, by the authors that are named there.
pub(crate) fn take_as_said(memory: &Memory, call: &Call, run: &mut FoundRun) {
    run.origin = Origin::Agent;
    name_speakers(memory, call, run);
    run.reasoned_only.clone_from(&run.detectors);
    run.judgements.clear();
}
