//! All that was tried in the runs a reflection looks at, oldest first, by what it is
//! known by: the ground on which every pattern is looked for.

use std::collections::{BTreeMap, BTreeSet};

use super::known::is_usual;
use super::{Context, quote};
use crate::command::shape::{Sort, core, shape, sort};
use crate::command::trouble::class_of;
use crate::episode::{ErrorClass, MAX_STEPS, Step, StepKind, StepResult};
use crate::ids::RunId;
use crate::lesson::Origin;
use crate::list;
use crate::run::Run;

/// Tools that hand work to somebody else, who may change anything.
const DELEGATING: &[&str] = list!("programs.txt", "delegating");

/// The runs, oldest first, each once.
pub(super) struct History<'a> {
    pub runs: Vec<Seen<'a>>,
}

/// One of them.
pub(super) struct Seen<'a> {
    pub run: &'a Run,
    /// Whether it is of the tree that is reflected upon.
    pub is_own: bool,
    /// Whether other runs of its tree worked beside it: what they changed is not in its
    /// trail.
    pub has_company: bool,
    pub steps: Vec<Tried<'a>>,
}

/// A step, and what it is known by.
pub(super) struct Tried<'a> {
    pub step: &'a Step,
    /// The command without what surrounds it; any other action as it is.
    pub core: String,
    /// What a command is known by; any other action as it is.
    pub shape: String,
    /// Which sort of command it is; asked often, so worked out once.
    pub sort: Sort,
}

/// Commands that were read already: runs do the same things again and again.
type Known<'a> = BTreeMap<&'a str, (String, String, Sort)>;

fn read(action: &str) -> (String, String, Sort) {
    let core = core(action);
    let shape = shape(&core);
    let sort = sort(&shape);
    (core, shape, sort)
}

/// Everything that one run did of one shape.
pub(super) struct Trial<'h> {
    pub seen: &'h Seen<'h>,
    pub steps: Vec<&'h Tried<'h>>,
}

impl<'a> History<'a> {
    pub fn of(context: &Context<'a>) -> History<'a> {
        let mut tree: Vec<&Run> = std::iter::once(context.run).chain(context.below).collect();
        tree.sort_by_key(|run| (run.started.unwrap_or(run.recorded_at), &run.id));
        let mut known: BTreeSet<&RunId> = tree.iter().map(|run| &run.id).collect();
        let others = context.others.iter().filter(|run| known.insert(&run.id)).collect::<Vec<_>>();
        let others = others.into_iter().rev().map(|run| (run, false));
        let mut own = BTreeSet::new();
        tree.retain(|run| own.insert(&run.id));
        let tree = tree.into_iter().map(|run| (run, true));
        let mut known = Known::new();
        let mut runs: Vec<Seen<'a>> =
            others.chain(tree).map(|(run, is_own)| Seen::of(run, is_own, &mut known)).collect();
        let mut n_by_root: BTreeMap<&RunId, usize> = BTreeMap::new();
        runs.iter().for_each(|seen| *n_by_root.entry(&seen.run.root).or_default() += 1);
        for seen in &mut runs {
            seen.has_company = n_by_root.get(&seen.run.root).is_some_and(|n| *n > 1);
        }
        History { runs }
    }

    /// Steps of one kind by what they are known by, each with its runs, oldest first.
    pub fn trials(&'a self, kind: StepKind) -> BTreeMap<&'a str, Vec<Trial<'a>>> {
        let mut trials: BTreeMap<&str, Vec<Trial<'a>>> = BTreeMap::new();
        for seen in &self.runs {
            let mut by_shape: BTreeMap<&str, Vec<&Tried<'a>>> = BTreeMap::new();
            for tried in seen.steps.iter().filter(|tried| tried.step.kind == kind) {
                by_shape.entry(&tried.shape).or_default().push(tried);
            }
            for (shape, steps) in by_shape {
                trials.entry(shape).or_default().push(Trial { seen, steps });
            }
        }
        trials
    }
}

impl<'a> Seen<'a> {
    /// What a failed step of this run said, if its words may be given back. In an agent's
    /// own conversation anybody can make a tool say anything.
    pub fn line(&self, tried: &Tried<'_>) -> Option<String> {
        let is_told_by_agent = self.run.episode.told_by == Some(Origin::Agent);
        let error = tried.step.error.as_ref().filter(|_| !is_told_by_agent)?;
        quote::line(&error.line)
    }

    fn of(run: &'a Run, is_own: bool, known: &mut Known<'a>) -> Seen<'a> {
        let is_believed = run.episode.told_by != Some(Origin::Agent);
        let steps = run.episode.trail.iter().map(|step| Tried::of(step, known));
        let steps =
            steps.filter(|tried| is_believed || is_usual(tried.step, &tried.core)).collect();
        Seen { run, is_own, has_company: false, steps }
    }

    /// Whether its trail may have lost steps that went well.
    pub fn is_cut(&self) -> bool {
        self.run.episode.trail.len() >= MAX_STEPS
    }

    /// Whether anything may have changed the code strictly between two places.
    pub fn is_changed_between(&self, from: u32, to: u32) -> bool {
        self.has_company
            || self.steps.iter().any(|tried| tried.changes_code() && tried.may_be_between(from, to))
    }
}

impl<'a> Tried<'a> {
    fn of(step: &'a Step, known: &mut Known<'a>) -> Tried<'a> {
        let (core, shape, sort) = match step.kind {
            StepKind::Command => {
                known.entry(&step.action).or_insert_with(|| read(&step.action)).clone()
            }
            StepKind::Edit | StepKind::Look | StepKind::Test | StepKind::Correction => {
                let action = step.action.trim();
                let action = action.strip_prefix("./").unwrap_or(action).to_owned();
                (action.clone(), action, Sort::default())
            }
        };
        Tried { step, core, shape, sort }
    }

    pub fn has_failed(&self) -> bool {
        self.step.result == StepResult::Failed
    }

    pub fn is_ok(&self) -> bool {
        self.step.result == StepResult::Ok
    }

    /// Whether the code may be another one afterwards.
    pub fn changes_code(&self) -> bool {
        match self.step.kind {
            StepKind::Edit => !self.has_failed(),
            StepKind::Command => !self.sort.is_look && !self.sort.is_test,
            StepKind::Look => DELEGATING.contains(&self.step.tool.as_str()),
            StepKind::Test | StepKind::Correction => false,
        }
    }

    /// Whether it was done strictly between two places, as far as is known: of what was
    /// done more than twice only the first and the last place are.
    pub fn may_be_between(&self, from: u32, to: u32) -> bool {
        let Step { first, last, n, .. } = *self.step;
        let is_inside = |place: u32| from < place && place < to;
        is_inside(first) || is_inside(last) || n > 2 && first < to && last > from
    }

    /// What sort of trouble a failed command tells of.
    pub fn trouble(&self) -> Option<ErrorClass> {
        self.step.error.as_ref().and_then(class_of)
    }
}

impl<'h> Trial<'h> {
    /// All steps of a trial are of one shape.
    pub fn sort(&self) -> Sort {
        self.steps.first().map_or(Sort::default(), |tried| tried.sort)
    }

    pub fn has_failed(&self) -> bool {
        self.steps.iter().any(|tried| tried.has_failed())
    }

    /// How it went in the end; `None` if nobody said.
    pub fn is_ok_at_last(&self) -> Option<bool> {
        let told = self.steps.iter().filter(|tried| tried.has_failed() || tried.is_ok());
        told.max_by_key(|tried| tried.step.last).map(|tried| tried.is_ok())
    }

    /// The last time that it failed.
    pub fn failure(&self) -> Option<&'h Tried<'h>> {
        let failed = self.steps.iter().filter(|tried| tried.has_failed());
        failed.max_by_key(|tried| tried.step.last).copied()
    }

    pub fn run_id(&self) -> RunId {
        self.seen.run.id.clone()
    }
}

/// In how many trees of runs.
pub(super) fn n_roots<'r>(runs: impl IntoIterator<Item = &'r Run>) -> usize {
    runs.into_iter().map(|run| &run.root).collect::<BTreeSet<_>>().len()
}

/// Which sort of command they try.
pub(super) fn sort_of(trials: &[Trial<'_>]) -> Sort {
    trials.first().map_or(Sort::default(), Trial::sort)
}

/// What is there most often; of several the first in order.
pub(super) fn most_common<T: Ord + Clone>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    all.into_iter().for_each(|one| *counts.entry(one).or_default() += 1);
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, n)| *n == most).map(|(one, _)| one)
}

/// The words for a command: as it was typed if it was always typed the same, else its
/// shape.
pub(super) fn worded(shape: &str, trials: &[&Trial<'_>]) -> String {
    let typed = trials.iter().flat_map(|trial| &trial.steps).map(|tried| tried.core.as_str());
    let typed: BTreeSet<&str> = typed.collect();
    match (typed.first(), typed.len()) {
        (Some(only), 1) => (*only).to_owned(),
        _ => shape.to_owned(),
    }
}
