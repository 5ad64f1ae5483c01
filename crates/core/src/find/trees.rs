//! How do runs stand to each other? Which tree a run belongs to by what its records state, which
//! stated parent can be believed, and whether a run comes late.

use std::collections::BTreeMap;

use super::FoundRun;
use crate::event::Problem;
use crate::ids::RunId;
use crate::reflect::Scenario;
use crate::run::{Outcome, Run, RunKind};
use crate::time::Timestamp;

/// Parents that the records of one call state.
pub type Parents = BTreeMap<RunId, RunId>;

/// Runs of one tree together, trees in the order of their first run: what a root run
/// taught is concluded once, when everything this call says about it is known.
pub fn by_tree<'a>(runs: &'a [FoundRun], parents: &Parents) -> Vec<Vec<&'a FoundRun>> {
    let mut trees: Vec<Vec<&FoundRun>> = Vec::new();
    let mut places: BTreeMap<RunId, usize> = BTreeMap::new();
    for run in runs {
        let place = *places.entry(topmost(&run.id, parents)).or_insert(trees.len());
        match trees.get_mut(place) {
            Some(tree) => tree.push(run),
            None => trees.push(vec![run]),
        }
    }
    trees
}

/// The topmost run above this one, by the stated parents.
pub fn topmost(run: &RunId, parents: &Parents) -> RunId {
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

/// The scenario of a tree: how its topmost run ended.
pub fn scenario_of_tree(tree: &[&FoundRun], parents: &Parents) -> Scenario {
    let top = tree.iter().find(|found| !parents.contains_key(&found.id)).or(tree.first());
    let stated = top.map(|found| &found.stated);
    scenario_stated(stated.and_then(|run| run.kind), stated.and_then(|run| run.outcome))
}

/// The scenario that a run's kind and outcome mean.
pub fn scenario_stated(kind: Option<RunKind>, outcome: Option<Outcome>) -> Scenario {
    match (kind, outcome) {
        (Some(RunKind::Healer), _) => Scenario::HealerInvocation,
        (_, Some(Outcome::Partial | Outcome::Failed | Outcome::Aborted)) => Scenario::SessionFailed,
        (_, Some(Outcome::Success) | None) => Scenario::SessionComplete,
    }
}

/// The stated parent of a run, unless it cannot be believed: the run would be its own
/// ancestor, or its findings were already counted under another root.
pub fn believed_parent(
    found: &FoundRun,
    parents: &Parents,
    known: Option<&RunId>,
    is_tree_learned: bool,
    problems: &mut Vec<Problem>,
) -> Option<RunId> {
    let stated = parents.get(&found.id)?;
    if known == Some(stated) {
        return known.cloned();
    }
    let reason = if is_cycle(&found.id, parents) {
        "the run would be its own ancestor"
    } else if is_tree_learned {
        "the run, or one below it, was already learned without it"
    } else {
        return Some(stated.clone());
    };
    problems.push(Problem::new(&found.source, format!("parent ignored: {reason}")));
    known.cloned()
}

/// Puts the runs that an agent names below the run of its session: it can make up as many names
/// as it likes, and was there once.
pub fn in_one_session(runs: &mut [FoundRun], session: &RunId) {
    for run in runs {
        run.stated.parent = (run.id != *session).then(|| session.to_string());
    }
}

fn is_cycle(run: &RunId, parents: &Parents) -> bool {
    let mut above = parents.get(run);
    let mut n_steps = 0;
    while let Some(parent) = above {
        if parent == run || n_steps > parents.len() {
            return true;
        }
        n_steps += 1;
        above = parents.get(parent);
    }
    false
}

/// Whether a run ended, by its own account, before the newest learned one did. Runs that do not
/// say when they ended are taken as they come.
pub fn is_late(finished: Option<Timestamp>, newest: Option<Timestamp>) -> bool {
    finished.zip(newest).is_some_and(|(finished, newest)| finished < newest)
}

/// An outcome is stated once: a record that states another one does not change it.
pub fn keep_outcome(run: &mut Run, known: Outcome, found: &FoundRun, problems: &mut Vec<Problem>) {
    if let Some(stated) = run.outcome.filter(|stated| *stated != known) {
        let reason = format!(
            "the run ended as {known} already; `hardwon outcome {} {stated} --correct` changes that",
            run.id
        );
        problems.push(Problem::new(&found.source, reason));
        run.outcome = Some(known);
    }
}
