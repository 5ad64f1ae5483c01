//! All that was tried in the runs that a reflection reads, oldest first, by the shape of the
//! commands: what every pattern is searched in.

use std::collections::{BTreeMap, BTreeSet};

use super::shape::{core, shape};
use super::{Context, quote};
use crate::command::shape::{Sort, sort};
use crate::command::trouble::class_of;
use crate::episode::{ErrorClass, REJECTED, Step, StepKind, StepResult};
use crate::lesson::Origin;
use crate::run::Run;

pub(super) struct History<'a> {
    /// Oldest first, each once.
    pub runs: Vec<RunView<'a>>,
}

pub(super) struct RunView<'a> {
    pub run: &'a Run,
    /// Whether it is of the tree that is reflected upon.
    pub is_own: bool,
    /// The commands that it ran.
    pub steps: Vec<TriedStep<'a>>,
}

/// A command that was run, and what it is known by.
pub(super) struct TriedStep<'a> {
    pub step: &'a Step,
    /// The command without what surrounds it.
    pub core: String,
    /// What it is known by.
    pub shape: String,
    /// Which sort of command it is; asked often, so worked out once.
    pub sort: Sort,
}

/// Commands that were parsed already: runs do the same things again and again.
type Parsed<'a> = BTreeMap<&'a str, (String, String, Sort)>;

fn parse(action: &str) -> (String, String, Sort) {
    let core = core(action);
    let shape = shape(&core);
    let sort = sort(&shape);
    (core, shape, sort)
}

/// Everything that one run did of one shape.
pub(super) struct Trial<'h> {
    pub view: &'h RunView<'h>,
    pub steps: Vec<&'h TriedStep<'h>>,
}

impl<'a> History<'a> {
    pub fn new(context: &Context<'a>) -> History<'a> {
        let mut tree: Vec<&Run> = std::iter::once(context.run).chain(context.below).collect();
        tree.sort_by_key(|run| (run.started.unwrap_or(run.recorded_at), &run.id));
        let mut ids = BTreeSet::new();
        tree.retain(|run| ids.insert(&run.id));
        let mut others: Vec<&Run> =
            context.others.iter().filter(|run| ids.insert(&run.id)).collect();
        others.reverse();
        let all = others.into_iter().map(|run| (run, false));
        let all = all.chain(tree.into_iter().map(|run| (run, true)));
        let mut parsed = BTreeMap::new();
        History { runs: all.map(|(run, is_own)| RunView::new(run, is_own, &mut parsed)).collect() }
    }

    /// Whether what is reflected upon is what an agent did, by its own word or its host's.
    pub fn is_session(&self) -> bool {
        let mut own = self.runs.iter().filter(|view| view.is_own);
        own.any(|view| view.run.episode.told_by == Some(Origin::Agent))
    }

    /// Commands by what they are known by, each with its runs, oldest first.
    pub fn commands(&'a self) -> BTreeMap<&'a str, Vec<Trial<'a>>> {
        let mut trials: BTreeMap<&str, Vec<Trial<'a>>> = BTreeMap::new();
        for view in &self.runs {
            let mut by_shape: BTreeMap<&str, Vec<&TriedStep<'a>>> = BTreeMap::new();
            for tried in &view.steps {
                by_shape.entry(&tried.shape).or_default().push(tried);
            }
            for (shape, steps) in by_shape {
                trials.entry(shape).or_default().push(Trial { view, steps });
            }
        }
        trials
    }
}

impl<'a> RunView<'a> {
    /// What a failed step of this run printed, if it may be quoted, after the form in which it is
    /// recognized. In an agent's own conversation anyone can make a tool print anything.
    pub fn line(&self, tried: &TriedStep<'_>) -> Option<(String, String)> {
        let is_told_by_agent = self.run.episode.told_by == Some(Origin::Agent);
        let error = tried.step.error.as_ref().filter(|_| !is_told_by_agent)?;
        quote::steady_line(&error.line).zip(quote::line(&error.line))
    }

    fn new(run: &'a Run, is_own: bool, parsed: &mut Parsed<'a>) -> RunView<'a> {
        let steps = run.episode.trail.iter().filter(|step| step.kind == StepKind::Command);
        let steps = steps.filter(|step| step.tool != REJECTED);
        let steps = steps.map(|step| TriedStep::new(step, parsed)).collect();
        RunView { run, is_own, steps }
    }
}

impl<'a> TriedStep<'a> {
    fn new(step: &'a Step, parsed: &mut Parsed<'a>) -> TriedStep<'a> {
        let known = parsed.entry(&step.action).or_insert_with(|| parse(&step.action));
        let (core, shape, sort) = known.clone();
        TriedStep { step, core, shape, sort }
    }

    pub fn has_failed(&self) -> bool {
        self.step.result == StepResult::Failed
    }

    pub fn is_ok(&self) -> bool {
        self.step.result == StepResult::Ok
    }

    pub fn trouble(&self) -> Option<ErrorClass> {
        self.step.error.as_ref().and_then(class_of)
    }
}

impl<'h> Trial<'h> {
    /// How it went in the end; `None` if that is unknown.
    pub fn is_ok_at_last(&self) -> Option<bool> {
        let known = self.steps.iter().filter(|tried| tried.has_failed() || tried.is_ok());
        known.max_by_key(|tried| tried.step.last).map(|tried| tried.is_ok())
    }

    /// The last time that it failed.
    pub fn failure(&self) -> Option<&'h TriedStep<'h>> {
        let failed = self.steps.iter().filter(|tried| tried.has_failed());
        failed.max_by_key(|tried| tried.step.last).copied()
    }
}

/// In how many trees of runs.
pub(super) fn n_roots<'r>(runs: impl IntoIterator<Item = &'r Run>) -> usize {
    runs.into_iter().map(|run| &run.root).collect::<BTreeSet<_>>().len()
}

/// All trials of a shape are of one sort.
pub(super) fn sort_of(trials: &[Trial<'_>]) -> Sort {
    let first = trials.first().and_then(|trial| trial.steps.first());
    first.map_or(Sort::default(), |tried| tried.sort)
}

/// What is there most often; of several the first in order.
pub(super) fn most_common<T: Ord + Clone>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    all.into_iter().for_each(|one| *counts.entry(one).or_default() += 1);
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, n)| *n == most).map(|(one, _)| one)
}

/// A command as it was typed if it was always typed the same, else its shape.
pub(super) fn worded<'t, 'h: 't>(
    shape: &str,
    trials: impl IntoIterator<Item = &'t Trial<'h>>,
) -> String {
    let steps = trials.into_iter().flat_map(|trial| &trial.steps);
    only(steps.map(|tried| tried.core.as_str())).unwrap_or(shape).to_owned()
}

pub(super) fn only<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut all = all.into_iter();
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}
