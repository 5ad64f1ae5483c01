//! What did a reviewer say last? The findings of its message are learned as claims of an
//! agent, in the name of its role: the host says who spoke, the words are the agent's own.

use hardwon_core::event::{Event, Record, RunStated, Source, Sourced};
use hardwon_core::find::{FoundRun, find};
use hardwon_core::gate::Gate;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;
use hardwon_core::matching::compare;
use hardwon_core::run::RunKind;
use hardwon_core::voice::{Speaker, Voice};
use hardwon_readers::{Reviewer, is_reviewer, review_text};
use hardwon_render::answer::{Answer, Learned};
use serde::{Deserialize, Serialize};

use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::{Options, refuse_without_rules};
use crate::place::Environment;
use crate::runs::learn::{self, Told, linked};

/// The last message of an agent, also as it lies in a file for a while.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewerMessage {
    /// The run that ended with it, and the one that contains it.
    pub run: String,
    #[serde(default)]
    pub parent: Option<String>,
    /// The part that the agent played; none for the main one.
    #[serde(default)]
    pub role: Option<String>,
    /// The program that hosts it.
    pub agent: String,
    pub message: String,
    /// Where it worked.
    #[serde(default)]
    pub cwd: Option<String>,
}

impl ReviewerMessage {
    /// Whether there is anything to learn: tells without a store.
    pub fn is_review(&self) -> bool {
        !review_text(&self.message, self.reviewer()).is_empty()
    }

    /// The same without its secrets. Refused where what is to be redacted cannot be read.
    pub fn redacted(&self, environment: &Environment, options: &Options) -> Result<Self> {
        let settings = options.settings(environment);
        refuse_without_rules(&settings)?;
        let gate = Gate::standard().redacting(settings.wishes());
        let role = self.role.as_ref().map(|role| gate.redacted(role));
        Ok(ReviewerMessage { role, message: gate.redacted(&self.message), ..self.clone() })
    }

    /// Whether its runs can be runs.
    pub fn names_runs(&self) -> bool {
        let mut names = [&self.run].into_iter().chain(&self.parent);
        names.all(|name| RunId::parse(name).is_ok())
    }

    /// Neither a sub-agent nor an agent with a role.
    pub fn is_of_main_agent(&self) -> bool {
        self.role.is_none() && self.parent.is_none()
    }

    fn reviewer(&self) -> Reviewer<'_> {
        let name = self.role.as_deref().unwrap_or(&self.agent);
        let is_reviewer = self.role.as_deref().is_some_and(is_reviewer);
        Reviewer { name, is_reviewer, folder: self.cwd.as_deref() }
    }
}

/// Learns the findings of a message; nothing if it is not a review.
pub fn learn_message(
    memory: &mut Memory,
    call: &Call,
    message: &ReviewerMessage,
) -> Result<Option<Answer<Learned>>> {
    let review = review_text(&message.message, message.reviewer());
    if review.is_empty() || is_relayed(memory, call, message)? {
        return Ok(None);
    }
    let stated = RunStated {
        id: Some(message.run.clone()),
        parent: message.parent.clone(),
        kind: Some(if message.parent.is_some() { RunKind::Subagent } else { RunKind::Session }),
        role: message.role.clone(),
        agent: Some(message.agent.clone()),
        ..RunStated::default()
    };
    let findings = review.findings.into_iter().map(Event::Finding);
    let verdict = review.verdict.map(Event::Verdict);
    let source = Source { input: format!("{} said", message.agent), line: 0 };
    let events = [Event::Run(stated)].into_iter().chain(verdict).chain(findings);
    let events = events.map(|event| Sourced { source: source.clone(), event }).collect();
    let channel = Some(Origin::Agent);
    let record = Record { events, channel, ..Record::default() };
    learn_claims(memory, call, vec![record], false, &mut |_, _| {}).map(Some)
}

/// Whether the main agent only passes on what its reviewers found: that is not a second
/// voice.
fn is_relayed(memory: &Memory, call: &Call, message: &ReviewerMessage) -> Result<bool> {
    let run = RunId::parse(&message.run).ok().filter(|_| message.is_of_main_agent());
    let Some(run) = run else { return Ok(false) };
    let tree = memory.store.tree(&call.project, &memory.safe_run(&run))?;
    let own = own_voice(memory, call, &message.agent);
    Ok(tree.findings.iter().any(|finding| finding.author != own))
}

/// Learns a conversation that a host kept: what was done in it the host saw itself; what
/// was said in it is the agent's word.
pub fn learn_conversation(
    memory: &mut Memory,
    call: &Call,
    name: &str,
    text: &str,
) -> Result<Answer<Learned>> {
    match hardwon_readers::transcript(name, text.as_bytes()) {
        Ok(record) => learn_claims(memory, call, vec![record], true, &mut |_, _| {}),
        Err(error) => Err(EngineError::NoUsableInput(error.to_string())),
    }
}

/// Learns records that are an agent's word, with the authors they name: silence in them
/// proves nothing, and no verdict in them judges.
pub(crate) fn learn_claims(
    memory: &mut Memory,
    call: &Call,
    mut records: Vec<Record>,
    is_witnessed: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<Learned>> {
    let (joins, digests) = learn::untold(memory, call, &mut records)?;
    linked::join(memory, call, &joins)?;
    let likeness = |a: &str, b: &str| compare::same_text(a, b, &memory.policy.matching);
    let mut found = find(&records, None, &likeness);
    for run in &mut found.runs {
        run.id = memory.safe_run(&run.id);
        attribute(memory, call, run);
        run.witness(is_witnessed);
    }
    // A severity that a reviewer left out is not a problem for the user.
    let mut problems: Vec<_> = records.iter().flat_map(|r| r.problems.clone()).collect();
    let told = Told::all(&found.runs);
    let learned = learn::learn_told(memory, call, told, &mut problems, progress)?;
    let learned = Learned { digests, ..learned };
    Ok(Answer::of(learned, problems).empty_if(|it| it.runs.is_empty()))
}

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
