//! Learn from the records of runs: findings, matching, credit, regressions and decay,
//! one run after the other, each written whole or not at all.

mod credit;
mod decay;
mod header;
mod step;

use std::collections::BTreeMap;

use hardwon_core::answer::{Answer, Learned, Named, RunLearned};
use hardwon_core::digest::sha256;
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
use header::Told;

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
        let given = request.run.map(|run| self.safe_run(&run));
        let Found { runs, problems: more } = self.find(&records, given.as_ref());
        problems.extend(more);
        let parents = stated_parents(&runs, &mut problems);
        let trees = by_tree(&runs, &parents);
        let mut learned = Learned::default();
        for found in trees.iter().flatten() {
            progress(learned.runs.len(), runs.len());
            let is_last = trees.iter().any(|tree| tree.last().is_some_and(|l| l.id == found.id));
            let told = Told { found, parents: &parents, is_last_of_tree: is_last };
            let (operation, (run, run_problems)) = self.learn_run(&told, learned.operation)?;
            learned.operation = operation;
            problems.extend(run_problems);
            learned.runs.push(run);
        }
        if let Some(last) = learned.runs.last_mut() {
            // Findings put aside while reading belong to no run for certain; they are
            // counted once, with the last.
            let n_put_aside: u64 = records.iter().map(|record| record.n_put_aside).sum();
            last.n_read += n_put_aside;
            last.n_rejected += n_put_aside;
        }
        let is_empty = learned.runs.is_empty();
        Ok(Answer::of(learned, problems).or_empty(is_empty))
    }

    fn find(&self, records: &[Record], run: Option<&RunId>) -> Found {
        let policy = &self.policy.matching;
        let likeness = |a: &str, b: &str| compare::same_text(a, b, policy);
        let mut found = find(records, run, &likeness);
        for run in &mut found.runs {
            run.id = self.safe_run(&run.id);
        }
        found
    }

    /// A run id as it may be stored: one that looks like a secret is known by its
    /// digest, here and wherever else it is named.
    pub(crate) fn safe_run(&self, run: &RunId) -> RunId {
        match self.gate.word(run.as_str()) {
            Some(word) if word == run.as_str() => run.clone(),
            _ => RunId::derived(&sha256(&[run.as_str()])),
        }
    }

    fn learn_run(
        &mut self,
        told: &Told<'_>,
        continues: Option<OperationId>,
    ) -> Result<Written<(RunLearned, Vec<Problem>)>, EngineError> {
        let command = Command { continues, ..Command::new("learn") };
        self.write(&command, &mut |engine, status| {
            let mut step = step::Step::begin(engine, status, told)?;
            step.take_findings()?;
            if told.is_last_of_tree {
                step.credit()?;
                step.decay()?;
            }
            Ok(step.finish())
        })
    }
}

/// Who is whose parent, by the records of this call.
fn stated_parents(runs: &[FoundRun], problems: &mut Vec<Problem>) -> BTreeMap<RunId, RunId> {
    let mut parents = BTreeMap::new();
    for run in runs {
        let Some(text) = run.stated.parent.as_deref() else { continue };
        match RunId::parse(text) {
            Ok(parent) if parent != run.id => drop(parents.insert(run.id.clone(), parent)),
            Ok(_) => {
                let reason = "a run cannot be its own parent; ignored";
                problems.push(Problem::new(&run.source, reason));
            }
            Err(reason) => {
                problems.push(Problem::new(&run.source, format!("parent: {reason}; ignored")));
            }
        }
    }
    parents
}

/// Runs of one tree together, trees in the order of their first run: what a root run
/// taught is concluded once, when all that this call says about it is known.
fn by_tree<'a>(runs: &'a [FoundRun], parents: &BTreeMap<RunId, RunId>) -> Vec<Vec<&'a FoundRun>> {
    let mut trees: Vec<(RunId, Vec<&FoundRun>)> = Vec::new();
    for run in runs {
        let top = topmost(&run.id, parents);
        match trees.iter_mut().find(|(root, _)| *root == top) {
            Some((_, tree)) => tree.push(run),
            None => trees.push((top, vec![run])),
        }
    }
    trees.into_iter().map(|(_, tree)| tree).collect()
}

fn topmost(run: &RunId, parents: &BTreeMap<RunId, RunId>) -> RunId {
    let mut top = run;
    // A cycle ends after as many steps as there are parents.
    for _ in 0..parents.len() {
        match parents.get(top) {
            Some(parent) => top = parent,
            None => break,
        }
    }
    top.clone()
}

/// A lesson by name, for answers.
pub(crate) fn named(lesson: &Lesson) -> Named {
    Named { id: lesson.id.clone(), text: lesson.text.as_str().to_owned() }
}

/// The effects of a known run, derived anew and recorded.
pub(crate) fn rederive(engine: &mut Engine, run: &RunId) -> Result<Vec<Effect>, EngineError> {
    let found = silent_record(run);
    let parents = BTreeMap::new();
    let told = Told { found: &found, parents: &parents, is_last_of_tree: false };
    let (_, effects) = engine.write(&Command::new("check"), &mut |engine, status| {
        let mut step = step::Step::begin(engine, status, &told)?;
        step.credit()?;
        let effects = step.header.tree.effects.clone();
        let (changes, _) = step.finish();
        Ok((changes, effects))
    })?;
    Ok(effects)
}
