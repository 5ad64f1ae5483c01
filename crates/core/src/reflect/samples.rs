//! Runs for the tests of reflection.

use crate::episode::{Step, StepKind, StepResult, trail};
use crate::event::StepStated;
use crate::ids::RunId;
use crate::run::{Outcome, Run};
use crate::time::Timestamp;

use super::archivist::Occurrence;
use super::history::History;
use super::{Candidate, Context, ReflectionPolicy};
use crate::command::trouble::trouble;

pub type Find = fn(&History<'_>, &ReflectionPolicy) -> Vec<Occurrence>;

pub fn run(id: &str) -> Run {
    let mut run = Run::stub(RunId::parse(id).unwrap(), Timestamp(0));
    run.is_learned = true;
    run.outcome = Some(Outcome::Failed);
    run
}

impl Run {
    pub fn with(mut self, done: Vec<Step>) -> Run {
        self.episode.trail = trail(done);
        self
    }

    pub fn by(self, agent: &str) -> Run {
        Run { agent: Some(agent.to_owned()), ..self }
    }
}

impl StepStated {
    pub(crate) fn done(kind: StepKind, action: &str, is_ok: Option<bool>, output: &str) -> Self {
        let (tool, action, output) =
            ("bash".to_owned(), action.to_owned(), Some(output.to_owned()));
        StepStated { kind, tool, action, is_ok, output, duration_ms: None, looks: Vec::new() }
    }
}

fn done(kind: StepKind, action: &str, result: StepResult) -> Step {
    let tool = match kind {
        StepKind::Edit => "edit",
        StepKind::Look => "read",
        StepKind::Command | StepKind::Test | StepKind::Correction => "bash",
    };
    let (tool, action) = (tool.to_owned(), action.to_owned());
    Step::once(kind, tool, action, result)
}

pub fn ok(command: &str) -> Step {
    done(StepKind::Command, command, StepResult::Ok)
}

pub fn failed(command: &str, output: &str) -> Step {
    Step { error: trouble(output), ..done(StepKind::Command, command, StepResult::Failed) }
}

pub fn edit(path: &str) -> Step {
    done(StepKind::Edit, path, StepResult::Ok)
}

pub fn look(path: &str) -> Step {
    done(StepKind::Look, path, StepResult::Ok)
}

pub fn passes(test: &str) -> Step {
    done(StepKind::Test, test, StepResult::Ok)
}

pub fn fails(test: &str) -> Step {
    done(StepKind::Test, test, StepResult::Failed)
}

pub fn corrected(text: &str) -> Step {
    done(StepKind::Correction, text, StepResult::Unknown)
}

/// What one pattern finds in the last of these runs, which are given oldest first.
pub fn found(find: Find, runs: &[Run]) -> Vec<Candidate> {
    found_with(find, runs, &ReflectionPolicy::default())
}

pub fn found_with(find: Find, runs: &[Run], policy: &ReflectionPolicy) -> Vec<Candidate> {
    let (own, earlier) = runs.split_last().unwrap();
    let others: Vec<Run> = earlier.iter().rev().cloned().collect();
    let context = Context { run: own, below: &[], findings: &[], others: &others };
    let found = find(&History::new(&context), policy);
    found.into_iter().map(|found| found.candidate).collect()
}

pub fn texts(find: Find, runs: &[Run]) -> Vec<String> {
    found(find, runs).into_iter().map(|candidate| candidate.text).collect()
}
