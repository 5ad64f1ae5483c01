//! Runs for the tests of reflection.

use crate::episode::{Done, StepKind, StepResult, trail};
use crate::finding::Finding;
use crate::ids::RunId;
use crate::run::{Outcome, Run};
use crate::time::Timestamp;

use super::history::History;
use super::patterns::Find;
use super::{Candidate, Context, ReflectionPolicy, Scenario};
use crate::command::trouble::trouble;

pub fn run(id: &str) -> Run {
    let mut run = Run::stub(RunId::parse(id).unwrap(), Timestamp(0));
    run.is_learned = true;
    run.outcome = Some(Outcome::Failed);
    run
}

impl Run {
    pub fn with(mut self, done: Vec<Done>) -> Run {
        self.episode.trail = trail(done);
        self
    }

    pub fn by(self, agent: &str) -> Run {
        Run { agent: Some(agent.to_owned()), ..self }
    }
}

fn done(kind: StepKind, action: &str, result: StepResult) -> Done {
    let tool = match kind {
        StepKind::Edit => "edit",
        StepKind::Look => "read",
        StepKind::Command | StepKind::Test | StepKind::Correction => "bash",
    };
    let (tool, action) = (tool.to_owned(), action.to_owned());
    Done { kind, tool, action, result, error: None, duration_ms: None }
}

pub fn ok(command: &str) -> Done {
    done(StepKind::Command, command, StepResult::Ok)
}

pub fn failed(command: &str, output: &str) -> Done {
    Done { error: trouble(output), ..done(StepKind::Command, command, StepResult::Failed) }
}

pub fn took(command: &str, seconds: u64) -> Done {
    Done { duration_ms: Some(seconds * 1000), ..ok(command) }
}

pub fn edit(path: &str) -> Done {
    done(StepKind::Edit, path, StepResult::Ok)
}

pub fn look(path: &str) -> Done {
    done(StepKind::Look, path, StepResult::Ok)
}

pub fn passes(test: &str) -> Done {
    done(StepKind::Test, test, StepResult::Ok)
}

pub fn fails(test: &str) -> Done {
    done(StepKind::Test, test, StepResult::Failed)
}

pub fn corrected(said: &str) -> Done {
    done(StepKind::Correction, said, StepResult::Unknown)
}

/// What one pattern finds in the newest of these runs, oldest first.
pub fn found(find: Find, runs: &[Run]) -> Vec<Candidate> {
    found_with(find, runs, &ReflectionPolicy::default())
}

/// The same under these numbers.
pub fn found_with(find: Find, runs: &[Run], policy: &ReflectionPolicy) -> Vec<Candidate> {
    let (own, earlier) = runs.split_last().unwrap();
    let others: Vec<Run> = earlier.iter().rev().cloned().collect();
    let context = context(own, &[], &others);
    let found = find(&History::of(&context), policy);
    found.into_iter().map(|found| found.candidate).collect()
}

/// The texts of it.
pub fn texts(find: Find, runs: &[Run]) -> Vec<String> {
    found(find, runs).into_iter().map(|candidate| candidate.text).collect()
}

pub fn context<'a>(run: &'a Run, findings: &'a [Finding], others: &'a [Run]) -> Context<'a> {
    Context {
        scenario: Scenario::SessionFailed,
        run,
        below: &[],
        findings,
        others,
        lessons: &[],
        progress: None,
    }
}
