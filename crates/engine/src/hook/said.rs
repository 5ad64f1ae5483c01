//! What did a reviewer say last? The findings of its message are learned as claims of an
//! agent, in the name of its role: the host says who spoke, the words are the agent's own.

use hardwon_core::answer::{Answer, Learned};
use hardwon_core::event::{Event, Record, RunStated, Source, Sourced};
use hardwon_core::find::find;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::Origin;
use hardwon_core::run::RunKind;
use hardwon_readers::{Reviewer, is_reviewer, review_text};

use crate::error::EngineError;
use crate::learn::Steps;
use crate::{Engine, compare};

/// The last message of an agent.
#[derive(Clone, Debug)]
pub struct Said<'a> {
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

impl Said<'_> {
    /// Whether there is anything to learn: tells without a store.
    pub fn is_review(&self) -> bool {
        !review_text(self.message, self.reviewer()).is_empty()
    }

    fn reviewer(&self) -> Reviewer<'_> {
        let name = self.role.unwrap_or(self.agent);
        let is_reviewer = self.role.is_some_and(is_reviewer);
        Reviewer { name, is_reviewer, folder: self.folder }
    }
}

impl Engine {
    /// Learns the findings of a message; nothing if it is no review.
    pub fn learn_said(&mut self, said: &Said<'_>) -> Result<Option<Answer<Learned>>, EngineError> {
        let name = said.role.unwrap_or(said.agent);
        let by =
            Reviewer { name, is_reviewer: said.role.is_some_and(is_reviewer), folder: said.folder };
        let review = review_text(said.message, by);
        if review.is_empty() || self.is_relayed(said)? {
            return Ok(None);
        }
        let stated = RunStated {
            id: Some(said.run.as_str().to_owned()),
            parent: said.parent.as_ref().map(|run| run.as_str().to_owned()),
            kind: Some(if said.parent.is_some() { RunKind::Subagent } else { RunKind::Session }),
            role: said.role.map(str::to_owned),
            agent: Some(said.agent.to_owned()),
            ..RunStated::default()
        };
        let findings = review.findings.into_iter().map(Event::Finding);
        let verdict = review.verdict.map(Event::Verdict);
        let source = Source { input: format!("{} said", said.agent), line: 0 };
        let events = [Event::Run(stated)].into_iter().chain(verdict).chain(findings);
        let events = events.map(|event| Sourced { source: source.clone(), event }).collect();
        let channel = Some(Origin::Agent);
        self.learn_claims(&[Record { events, channel, ..Record::default() }]).map(Some)
    }

    /// Whether the main agent only passes on what its reviewers found: that is no second
    /// voice.
    fn is_relayed(&self, said: &Said<'_>) -> Result<bool, EngineError> {
        if said.role.is_some() || said.parent.is_some() {
            return Ok(false);
        }
        let tree = self.store.tree(&self.project, &self.safe_run(&said.run))?;
        Ok(tree.findings.iter().any(|finding| finding.author != said.agent))
    }

    /// Learns records that are an agent's word, with the authors they name: silence in them
    /// proves nothing, and no verdict in them judges.
    pub(crate) fn learn_claims(
        &mut self,
        records: &[Record],
    ) -> Result<Answer<Learned>, EngineError> {
        let likeness = |a: &str, b: &str| compare::same_text(a, b, &self.policy.matching);
        let mut found = find(records, None, &likeness);
        for run in &mut found.runs {
            run.id = self.safe_run(&run.id);
            run.origin = Origin::Agent;
            run.reasoned_only.clone_from(&run.detectors);
            run.judgements.clear();
        }
        // A severity that a reviewer left out is no trouble of the user's.
        let mut problems: Vec<_> = records.iter().flat_map(|r| r.problems.clone()).collect();
        let learned = self.learn_found(&found.runs, Steps::All, &mut problems, &mut |_, _| {})?;
        let is_empty = learned.runs.is_empty();
        Ok(Answer::of(learned, problems).or_empty(is_empty))
    }
}
