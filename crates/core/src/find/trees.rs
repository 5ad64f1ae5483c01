//! How do runs stand to each other? Which tree a run belongs to by what its records state, which
//! stated parent can be believed, and whether a run comes late.

use std::collections::{BTreeMap, BTreeSet};

use super::FoundRun;
use crate::event::Problem;
use crate::ids::RunId;
use crate::reflect::{Scenario, scenario_stated};
use crate::run::{Outcome, Run};
use crate::time::Timestamp;

/// Parents that the records of one call state, and where they lead. Every run is followed upwards
/// only once: a chain of many runs costs as many steps as it has runs.
#[derive(Clone, Debug, Default)]
pub struct Parents {
    stated: BTreeMap<RunId, RunId>,
    /// The topmost run above each; none for a run above which there is a circle.
    tops: BTreeMap<RunId, Option<RunId>>,
}

impl Parents {
    pub const NONE: &'static Parents = &Parents { stated: BTreeMap::new(), tops: BTreeMap::new() };

    pub fn of(stated: BTreeMap<RunId, RunId>) -> Self {
        let mut tops: BTreeMap<RunId, Option<RunId>> = BTreeMap::new();
        for run in stated.keys() {
            let mut path: Vec<&RunId> = Vec::new();
            let mut on_path: BTreeSet<&RunId> = BTreeSet::new();
            let mut at = run;
            let top = loop {
                if let Some(known) = tops.get(at) {
                    break known.clone();
                }
                let Some(parent) = stated.get(at) else { break Some(at.clone()) };
                if !on_path.insert(at) {
                    break None;
                }
                path.push(at);
                at = parent;
            };
            tops.extend(path.into_iter().map(|run| (run.clone(), top.clone())));
        }
        Parents { stated, tops }
    }

    /// As the records of these runs state them.
    pub fn of_runs(runs: &[FoundRun]) -> Self {
        let stated = |run: &FoundRun| {
            let parent = RunId::named(run.stated.parent.as_deref()?)?;
            (parent != run.id).then(|| (run.id.clone(), parent))
        };
        Parents::of(runs.iter().filter_map(stated).collect())
    }

    /// The topmost run above this one; itself if there is none, or if a circle is above it.
    pub fn top<'a>(&'a self, run: &'a RunId) -> &'a RunId {
        self.tops.get(run).and_then(Option::as_ref).unwrap_or(run)
    }

    fn is_below_circle(&self, run: &RunId) -> bool {
        self.tops.get(run).is_some_and(Option::is_none)
    }
}

/// Runs of one tree together, trees in the order of their first run: what a root run
/// taught is concluded once, when everything this call says about it is known.
pub fn by_tree<'a>(runs: &'a [FoundRun], parents: &Parents) -> Vec<Vec<&'a FoundRun>> {
    let mut trees: Vec<Vec<&FoundRun>> = Vec::new();
    let mut places: BTreeMap<&RunId, usize> = BTreeMap::new();
    for run in runs {
        let place = *places.entry(parents.top(&run.id)).or_insert(trees.len());
        match trees.get_mut(place) {
            Some(tree) => tree.push(run),
            None => trees.push(vec![run]),
        }
    }
    trees
}

/// The scenario of a tree: how its topmost run ended.
pub fn scenario_of_tree(tree: &[&FoundRun], parents: &Parents) -> Scenario {
    let top = tree.iter().find(|found| !parents.stated.contains_key(&found.id)).or(tree.first());
    let stated = top.map(|found| &found.stated);
    scenario_stated(stated.and_then(|run| run.kind), stated.and_then(|run| run.outcome))
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
    let stated = parents.stated.get(&found.id)?;
    if known == Some(stated) {
        return known.cloned();
    }
    let reason = if parents.is_below_circle(&found.id) {
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
/// as it likes, and was there once. A name that belongs to another session is no name for it.
pub fn in_one_session(
    runs: &mut [FoundRun],
    session: &RunId,
    is_anothers: &dyn Fn(&RunId) -> bool,
) {
    for run in runs {
        if is_anothers(&run.id) {
            run.id = session.clone();
        }
        run.stated.parent = (run.id != *session).then(|| session.to_string());
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: impl std::fmt::Display) -> RunId {
        RunId::parse(&name.to_string()).unwrap()
    }

    fn parents(stated: &[(&str, &str)]) -> Parents {
        Parents::of(stated.iter().map(|(below, above)| (run(below), run(above))).collect())
    }

    #[test]
    fn the_top_of_a_tree_is_found_from_everywhere() {
        let parents = parents(&[("b", "a"), ("c", "b"), ("d", "b"), ("y", "x")]);
        for (from, top) in [("a", "a"), ("b", "a"), ("c", "a"), ("d", "a"), ("y", "x"), ("q", "q")]
        {
            assert_eq!(parents.top(&run(from)), &run(top), "{from}");
        }
    }

    #[test]
    fn a_circle_has_no_top_and_neither_has_what_is_below_it() {
        let parents = parents(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("f", "e")]);
        for name in ["a", "b", "c", "d"] {
            assert!(parents.is_below_circle(&run(name)), "{name}");
            assert_eq!(parents.top(&run(name)), &run(name));
        }
        assert!(!parents.is_below_circle(&run("f")) && !parents.is_below_circle(&run("e")));
    }

    /// Followed upwards from each of them, 100,000 runs are five thousand million steps.
    #[test]
    fn a_long_chain_is_followed_once() {
        let stated = (1..100_000u32).map(|n| (run(format!("r{n}")), run(format!("r{}", n - 1))));
        let parents = Parents::of(stated.collect());
        assert!((0..100_000).all(|n| parents.top(&run(format!("r{n}"))) == &run("r0")));
    }
}
