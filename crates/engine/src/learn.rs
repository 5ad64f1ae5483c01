//! Learn from the records of runs: findings, matching, credit, regressions and decay,
//! one run after the other, each written whole or not at all.

mod credit;
mod decay;
mod header;
mod step;

use hardwon_core::answer::{Answer, Learned, Named, RunLearned};
use hardwon_core::effect::Effect;
use hardwon_core::event::{Problem, Record};
use hardwon_core::find::{Found, FoundRun, find};
use hardwon_core::ids::{OperationId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_readers::Format;

use crate::error::EngineError;
use crate::input::{Input, read_all};
use crate::runs::silent_record;
use crate::write::{Command, Written};
use crate::{Engine, compare};

/// What to learn from.
#[derive(Default)]
pub struct LearnRequest {
    pub inputs: Vec<Input>,
    /// The run that records without a name of their own belong to.
    pub run: Option<RunId>,
    /// Read as this format instead of looking at the content.
    pub format: Option<Format>,
}

impl LearnRequest {
    /// Learn from one input that says itself what it is.
    pub fn of(input: Input) -> Self {
        LearnRequest { inputs: vec![input], ..LearnRequest::default() }
    }
}

impl Engine {
    /// Reads all inputs, then applies their runs in the order in which they started.
    /// Idempotent: what is known changes nothing.
    pub fn learn(&mut self, request: LearnRequest) -> Result<Answer<Learned>, EngineError> {
        self.learn_with(request, &mut |_, _| {})
    }

    /// The same, telling how far it has come: runs done, runs in all.
    pub fn learn_with(
        &mut self,
        request: LearnRequest,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Answer<Learned>, EngineError> {
        let (records, mut problems) = read_all(request.inputs, request.format)?;
        let Found { runs, problems: more } = self.find(&records, request.run.as_ref());
        problems.extend(more);
        let mut learned = Learned::default();
        for (index, run) in runs.iter().enumerate() {
            progress(index, runs.len());
            let (operation, answer) = self.learn_run(run, learned.operation)?;
            learned.operation = operation;
            let (mut run, run_problems) = answer;
            if index + 1 == runs.len() {
                // Findings put aside while reading belong to no run for certain; they
                // are counted once, with the last.
                let n_put_aside: u64 = records.iter().map(|record| record.n_put_aside).sum();
                run.n_read += n_put_aside;
                run.n_rejected += n_put_aside;
            }
            problems.extend(run_problems);
            learned.runs.push(run);
        }
        let is_known = learned.runs.iter().all(|run| run.is_known);
        Ok(Answer::of(learned, problems).or_empty(is_known && runs.is_empty()))
    }

    fn find(&self, records: &[Record], run: Option<&RunId>) -> Found {
        let policy = &self.policy.matching;
        let is_same_text = |a: &str, b: &str| compare::is_same_text(a, b, policy);
        find(records, run, &is_same_text)
    }

    fn learn_run(
        &mut self,
        found: &FoundRun,
        continues: Option<OperationId>,
    ) -> Result<Written<(RunLearned, Vec<Problem>)>, EngineError> {
        let command = Command { continues, ..Command::new("learn") };
        self.write(&command, &mut |engine, status| {
            let mut step = step::Step::begin(engine, status, found)?;
            step.take_findings()?;
            step.credit()?;
            step.decay()?;
            Ok(step.finish())
        })
    }
}

/// A lesson by name, for answers.
pub(crate) fn named(lesson: &Lesson) -> Named {
    Named { id: lesson.id.clone(), text: lesson.text.as_str().to_owned() }
}

/// The effects of a known run, derived anew and recorded.
pub(crate) fn rederive(engine: &mut Engine, run: &RunId) -> Result<Vec<Effect>, EngineError> {
    let found = silent_record(run);
    let (_, effects) = engine.write(&Command::new("check"), &mut |engine, status| {
        let mut step = step::Step::begin(engine, status, &found)?;
        step.credit()?;
        let effects = step.header.tree.effects.clone();
        let (changes, _) = step.finish();
        Ok((changes, effects))
    })?;
    Ok(effects)
}
