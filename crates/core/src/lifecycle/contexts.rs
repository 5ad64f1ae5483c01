//! In how many different contexts was a lesson seen? What holds up on two tasks says more than
//! what comes up twice on one.

use std::collections::{BTreeMap, BTreeSet};

use super::{Transition, step};
use crate::finding::Finding;
use crate::ids::RunId;
use crate::lesson::{Lesson, State};
use crate::policy::PromotionPolicy;
use crate::run::Run;

/// The contexts in which a lesson was seen: the task of a run, or else its labels with the top
/// folder of the place. A run that says nothing of the kind is no context.
pub fn contexts<'a>(
    sightings: impl IntoIterator<Item = &'a Finding>,
    runs: &[Run],
) -> BTreeSet<String> {
    let runs: BTreeMap<&RunId, &Run> = runs.iter().map(|run| (&run.id, run)).collect();
    let seen = sightings.into_iter().filter(|finding| finding.is_sighting);
    seen.filter_map(|finding| context(runs.get(&finding.run)?, finding, &runs)).collect()
}

fn context(run: &Run, finding: &Finding, runs: &BTreeMap<&RunId, &Run>) -> Option<String> {
    // A part of a run works on what the whole does.
    let whole = runs.get(&run.root).and_then(|root| root.task.as_ref());
    if let Some(task) = run.task.as_ref().or(whole) {
        return Some(task.clone());
    }
    let top = finding.place.as_ref().and_then(|place| place.path.split_once('/'));
    let folder = top.map(|(folder, _)| format!("{folder}/"));
    let labels = run.tags.iter().cloned().chain(folder).collect::<Vec<_>>();
    (!labels.is_empty()).then(|| labels.join(" "))
}

/// Whether a lesson rises because it was seen in so many contexts.
pub fn verified(
    lesson: &Lesson,
    contexts: &BTreeSet<String>,
    policy: &PromotionPolicy,
) -> Option<Transition> {
    let needed = policy.stable_contexts as usize;
    if lesson.state != State::Provisional || needed == 0 || contexts.len() < needed {
        return None;
    }
    let names: Vec<&str> = contexts.iter().map(String::as_str).take(needed).collect();
    let (n, named) = (contexts.len(), names.join(", "));
    step(lesson, State::Stable, format!("seen in {n} contexts: {named}"))
}
