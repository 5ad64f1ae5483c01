//! In which order is a history played? A block is asked for when a run begins, what was found is
//! learned when it ends, and the first part is only learned.

use crate::find::FoundRun;
use crate::find::trees::{Parents, by_tree};
use crate::ids::RunId;
use crate::need::Need;
use crate::time::Timestamp;
use crate::words::sorted_unique;

/// Of a hundred root runs, so many are only learned.
const PERCENT_ONLY_LEARNED: usize = 30;

/// A root run with all that runs below it.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    pub root: RunId,
    pub runs: Vec<FoundRun>,
    /// What is known of it before it begins.
    pub need: Need,
    begins: Timestamp,
    ends: Timestamp,
}

/// What happens next; the number says to which run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Ask(usize),
    Learn(usize),
}

/// A history in order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// In the order in which they end.
    pub runs: Vec<PlannedRun>,
    pub steps: Vec<(Timestamp, Step)>,
}

/// Puts runs in order. Those that do not say when they were take the time of the one before
/// them, or `now`.
pub fn plan(found: &[FoundRun], now: Timestamp) -> Plan {
    let parents = Parents::of_runs(found);
    let times = found.iter().flat_map(|run| [run.stated.started, run.stated.finished]);
    let mut latest = times.flatten().min().unwrap_or(now);
    let mut runs = Vec::new();
    for tree in by_tree(found, &parents) {
        let root = parents.top(&tree[0].id).clone();
        let run = planned(root, &tree, latest);
        latest = run.ends;
        runs.push(run);
    }
    runs.sort_by_key(|run| run.ends);
    let n_only_learned = runs.len() * PERCENT_ONLY_LEARNED / 100;
    let mut steps = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        if index >= n_only_learned {
            steps.push((run.begins, Step::Ask(index)));
        }
        steps.push((run.ends, Step::Learn(index)));
    }
    let index_of = |step: Step| match step {
        Step::Ask(index) => (index, false),
        Step::Learn(index) => (index, true),
    };
    steps.sort_by_key(|(at, step)| (*at, index_of(*step)));
    Plan { runs, steps }
}

fn planned(root: RunId, tree: &[&FoundRun], latest: Timestamp) -> PlannedRun {
    let times = || {
        let all = tree.iter().flat_map(|run| [run.stated.started, run.stated.finished]);
        all.flatten()
    };
    let top = tree.iter().find(|run| run.id == root).unwrap_or(&tree[0]);
    let title = [&top.stated.task, &top.stated.episode.summary];
    let title: Vec<&str> = title.into_iter().flatten().map(String::as_str).collect();
    let paths = tree.iter().flat_map(|run| run.stated.paths.iter().cloned());
    let paths = sorted_unique(paths.collect());
    let text = (!title.is_empty()).then(|| title.join(" "));
    PlannedRun {
        root,
        runs: tree.iter().map(|run| (*run).clone()).collect(),
        need: Need { text, paths, ..Need::default() },
        begins: times().min().unwrap_or(latest),
        ends: times().max().unwrap_or(latest),
    }
}
