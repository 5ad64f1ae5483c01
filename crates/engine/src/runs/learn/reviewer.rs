//! What did a reviewer say last? The findings of its message are learned as claims of an
//! agent, in the name of its role: the host says who spoke, the words are the agent's own.

use hardwon_core::event::{Event, Record, RunStated, Source, Sourced};
use hardwon_core::find::find;
use hardwon_core::gate::Gate;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;
use hardwon_core::matching::compare;
use hardwon_core::run::RunKind;
use hardwon_readers::{Reviewer, is_reviewer, review_text};
use hardwon_render::answer::{Answer, Learned};
use serde::{Deserialize, Serialize};

use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::{Options, refuse_without_rules};
use crate::place::Environment;
use crate::runs::learn::{self, Told};
use crate::runs::voice;

/// The last message of an agent.
#[derive(Clone, Debug)]
pub struct ReviewerMessage<'a> {
    /// The run that ended with it, and the one that contains it.
    pub run: RunId,
    pub parent: Option<RunId>,
    /// The part that the agent played; none for the main one.
    pub role: Option<&'a str>,
    /// The program that hosts it.
    pub agent: &'a str,
    pub message: &'a str,
    /// Where it worked.
    pub folder: Option<&'a str>,
}

impl ReviewerMessage<'_> {
    /// Whether there is anything to learn: tells without a store.
    pub fn is_review(&self) -> bool {
        !review_text(self.message, self.reviewer()).is_empty()
    }

    /// The same as it may lie in a file for a while: without its secrets. Refused where what
    /// is to be redacted cannot be read.
    pub fn kept(&self, environment: &Environment, options: &Options) -> Result<KeptMessage> {
        let settings = options.settings(environment);
        refuse_without_rules(&settings)?;
        let gate = Gate::standard().redacting(settings.wishes());
        Ok(KeptMessage {
            run: self.run.as_str().to_owned(),
            parent: self.parent.as_ref().map(|run| run.as_str().to_owned()),
            role: self.role.map(|role| gate.redacted(role)),
            agent: self.agent.to_owned(),
            message: gate.redacted(self.message),
            cwd: self.folder.map(str::to_owned),
        })
    }

    fn reviewer(&self) -> Reviewer<'_> {
        let name = self.role.unwrap_or(self.agent);
        let is_reviewer = self.role.is_some_and(is_reviewer);
        Reviewer { name, is_reviewer, folder: self.folder }
    }
}

/// A message that waits to be learned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptMessage {
    pub run: String,
    #[serde(default)]
    pub parent: Option<String>,
    #[serde(default)]
    pub role: Option<String>,
    pub agent: String,
    pub message: String,
    #[serde(default)]
    pub cwd: Option<String>,
}

impl KeptMessage {
    /// The message again; nothing if its runs are none.
    pub fn message(&self) -> Option<ReviewerMessage<'_>> {
        Some(ReviewerMessage {
            run: RunId::parse(&self.run).ok()?,
            parent: self.parent.as_deref().map(RunId::parse).transpose().ok()?,
            role: self.role.as_deref(),
            agent: &self.agent,
            message: &self.message,
            folder: self.cwd.as_deref(),
        })
    }

    /// Neither a sub-agent nor an agent with a role.
    pub fn is_of_main_agent(&self) -> bool {
        self.role.is_none() && self.parent.is_none()
    }
}

/// Learns the findings of a message; nothing if it is not a review.
pub fn learn_message(
    memory: &mut Memory,
    call: &Call,
    message: &ReviewerMessage<'_>,
) -> Result<Option<Answer<Learned>>> {
    let review = review_text(message.message, message.reviewer());
    if review.is_empty() || is_relayed(memory, call, message)? {
        return Ok(None);
    }
    let stated = RunStated {
        id: Some(message.run.as_str().to_owned()),
        parent: message.parent.as_ref().map(|run| run.as_str().to_owned()),
        kind: Some(if message.parent.is_some() { RunKind::Subagent } else { RunKind::Session }),
        role: message.role.map(str::to_owned),
        agent: Some(message.agent.to_owned()),
        ..RunStated::default()
    };
    let findings = review.findings.into_iter().map(Event::Finding);
    let verdict = review.verdict.map(Event::Verdict);
    let source = Source { input: format!("{} said", message.agent), line: 0 };
    let events = [Event::Run(stated)].into_iter().chain(verdict).chain(findings);
    let events = events.map(|event| Sourced { source: source.clone(), event }).collect();
    let channel = Some(Origin::Agent);
    let record = Record { events, channel, ..Record::default() };
    learn_claims(memory, call, &[record], false, &mut |_, _| {}).map(Some)
}

/// Whether the main agent only passes on what its reviewers found: that is not a second
/// voice.
fn is_relayed(memory: &Memory, call: &Call, message: &ReviewerMessage<'_>) -> Result<bool> {
    if message.role.is_some() || message.parent.is_some() {
        return Ok(false);
    }
    let tree = memory.store.tree(&call.project, &memory.safe_run(&message.run))?;
    let own = voice::own_voice(memory, call, message.agent);
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
        Ok(record) => learn_claims(memory, call, &[record], true, &mut |_, _| {}),
        Err(error) => Err(EngineError::NoUsableInput(error.to_string())),
    }
}

/// Learns records that are an agent's word, with the authors they name: silence in them
/// proves nothing, and no verdict in them judges.
pub(crate) fn learn_claims(
    memory: &mut Memory,
    call: &Call,
    records: &[Record],
    is_witnessed: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<Learned>> {
    let likeness = |a: &str, b: &str| compare::same_text(a, b, &memory.policy.matching);
    let mut found = find(records, None, &likeness);
    for run in &mut found.runs {
        run.id = memory.safe_run(&run.id);
        voice::attribute(memory, call, run);
        run.witness(is_witnessed);
    }
    // A severity that a reviewer left out is not a problem for the user.
    let mut problems: Vec<_> = records.iter().flat_map(|r| r.problems.clone()).collect();
    let told = Told::all(&found.runs);
    let learned = learn::learn_told(memory, call, told, &mut problems, progress)?;
    Ok(Answer::of(learned, problems).empty_if(|it| it.runs.is_empty()))
}
