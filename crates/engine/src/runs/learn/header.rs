//! Which run is this, where does it stand in its tree, and what is known of it?

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::event::Problem;
use hardwon_core::find::FoundRun;
use hardwon_core::gate::Gate;
use hardwon_core::ids::RunId;
use hardwon_core::reflect::AUTHOR;
use hardwon_core::run::{Judgement, Run, RunKind};
use hardwon_core::time::Timestamp;
use hardwon_store::{ProjectStatus, Tree};

use super::{Steps, account};
use crate::call::{Call, Voice};
use crate::error::EngineError;
use crate::memory::Memory;

/// A run that ends this much after the present has a wrong clock: a day, for those who
/// only differ by their time zone.
const MAX_AHEAD_MS: i64 = 86_400_000;

/// A run as stated now, cleaned, with what was known before.
pub(super) struct Header {
    /// Everything that is known after this record.
    pub run: Run,
    /// The run as it was known, if it was.
    pub before: Option<Run>,
    /// Its root run's tree as stored.
    pub tree: Tree,
    /// It ended before the newest learned run: evidence only.
    pub is_backfill: bool,
    /// Number of the project's newest run before this record.
    pub newest_number: u64,
}

/// One run of a call, and what the call says about the others.
pub(super) struct RunInput<'a> {
    pub found: &'a FoundRun,
    /// Parents that the records of this call state.
    pub parents: &'a BTreeMap<RunId, RunId>,
    /// No other run of the same tree follows in this call.
    pub is_last_of_tree: bool,
    pub steps: Steps,
}

impl RunInput<'_> {
    /// Whether this is where the root run is judged and counted.
    pub fn concludes(&self) -> bool {
        self.is_last_of_tree && self.steps == Steps::All
    }
}

impl Header {
    pub fn read(
        memory: &Memory,
        call: &Call,
        status: &ProjectStatus,
        told: &RunInput<'_>,
        problems: &mut Vec<Problem>,
    ) -> Result<Header, EngineError> {
        let found = told.found;
        let mut tree = memory.store.tree(&call.project, &found.id)?;
        let before = tree.runs.iter().find(|run| run.id == found.id).cloned();
        let parent = parent(told, &tree, before.as_ref(), problems);
        let root = match &parent {
            Some(parent) => root_of(memory, call, parent, told.parents)?,
            None => before.as_ref().map_or(found.id.clone(), |before| before.root.clone()),
        };
        if tree.runs.iter().all(|run| run.root != root) {
            // What was shown to a run before anybody knew its parent stays with it.
            let own = std::mem::replace(&mut tree, memory.store.tree(&call.project, &root)?);
            tree.injections.extend(own.injections);
            tree.effects.extend(own.effects.into_iter().filter(|effect| effect.root != root));
        }
        let mut run = cleaned(memory, call, found, parent, root, problems);
        let number = tree.runs.iter().find_map(|run| run.number);
        let is_learned = tree.runs.iter().any(|run| run.is_learned);
        let is_late = is_backfill(&run, status, number, is_learned);
        let is_backfill = is_late && told.steps == Steps::All;
        run.number = number.or((!is_backfill).then_some(status.run_number + 1));
        let is_counted = tree.runs.iter().any(|run| run.is_counted);
        run.is_counted = told.concludes() && !is_counted && !is_backfill;
        keep_outcome(&mut run, before.as_ref(), found, problems);
        let run = before.as_ref().map_or(run.clone(), |before| before.merged(&run));
        Ok(Header { run, before, is_backfill, tree, newest_number: status.run_number })
    }

    /// Whether this run is the one with which its root run is counted for decay.
    pub fn counts_now(&self) -> bool {
        self.run.is_counted && !self.tree.runs.iter().any(|run| run.is_counted)
    }
}

/// How a run ended is said once; who wants to correct it says so.
fn keep_outcome(
    run: &mut Run,
    before: Option<&Run>,
    found: &FoundRun,
    problems: &mut Vec<Problem>,
) {
    let Some(known) = before.and_then(|before| before.outcome) else { return };
    if let Some(stated) = run.outcome.filter(|stated| *stated != known) {
        let reason = format!(
            "the run ended as {known} already; `hardwon outcome {} {stated} --correct` changes that",
            run.id
        );
        problems.push(Problem::new(&found.source, reason));
        run.outcome = Some(known);
    }
}

/// A run that ended, by its own word, before the newest learned one did. Runs that
/// do not say when they ended are taken as they come.
fn is_backfill(run: &Run, status: &ProjectStatus, number: Option<u64>, is_learned: bool) -> bool {
    match number {
        Some(number) => number < status.run_number,
        None if is_learned => true,
        None => match (run.finished, status.newest_finished) {
            (Some(finished), Some(newest)) => finished < newest,
            (None, _) | (_, None) => false,
        },
    }
}

/// The parent, if it can be believed: not itself, not below itself, and not news about
/// a run whose findings were already counted under another root.
fn parent(
    told: &RunInput<'_>,
    tree: &Tree,
    before: Option<&Run>,
    problems: &mut Vec<Problem>,
) -> Option<RunId> {
    let found = told.found;
    let stated = told.parents.get(&found.id)?;
    let known = before.and_then(|run| run.parent.clone());
    if known.as_ref() == Some(stated) {
        return known;
    }
    let mut ignore = |reason: &str| {
        problems.push(Problem::new(&found.source, format!("parent ignored: {reason}")));
        known.clone()
    };
    if is_cycle(&found.id, told.parents) {
        return ignore("the run would be its own ancestor");
    }
    if tree.runs.iter().any(|run| run.is_learned) {
        return ignore("the run, or one below it, was already learned without it");
    }
    Some(stated.clone())
}

fn is_cycle(run: &RunId, parents: &BTreeMap<RunId, RunId>) -> bool {
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

/// The topmost run: as this call tells it, and from there on as the store knows it.
fn root_of(
    memory: &Memory,
    call: &Call,
    parent: &RunId,
    parents: &BTreeMap<RunId, RunId>,
) -> Result<RunId, EngineError> {
    let mut top = parent;
    for _ in 0..parents.len() {
        match parents.get(top) {
            Some(above) => top = above,
            None => break,
        }
    }
    let tree = memory.store.tree(&call.project, top)?;
    let known = tree.runs.iter().find(|run| run.id == *top);
    Ok(known.map_or(top.clone(), |run| run.root.clone()))
}

/// The run with every word passed through the gate.
fn cleaned(
    memory: &Memory,
    call: &Call,
    found: &FoundRun,
    parent: Option<RunId>,
    root: RunId,
    problems: &mut Vec<Problem>,
) -> Run {
    let gate = &memory.gate;
    let stated = &found.stated;
    let word = |raw: &Option<String>| raw.as_deref().and_then(|raw| gate.word(raw));
    let set = |raw: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
        raw.filter_map(|raw| gate.word(raw)).collect()
    };
    let episode = account::episode(gate, found, problems);
    let mut detectors = set(&mut found.detectors.iter());
    let is_believed = call.voice != Voice::Agent || episode.is_witnessed;
    let looks_back = memory.policy.reflection.is_enabled && is_believed;
    if looks_back && !episode.trail.is_empty() {
        // What was done is looked at with every run that tells of it.
        detectors.insert(AUTHOR.to_owned());
    }
    Run {
        parent,
        root,
        is_learned: true,
        kind: stated.kind.unwrap_or(RunKind::Other),
        role: word(&stated.role),
        agent: word(&stated.agent),
        task: word(&stated.task),
        domain: word(&stated.domain),
        started: stated.started,
        finished: believable(call, found, problems),
        outcome: stated.outcome,
        detectors,
        reasoned_only: set(&mut found.reasoned_only.iter()),
        judgements: {
            let named = |(name, judged): (&String, &Judgement)| Some((gate.word(name)?, *judged));
            found.judgements.iter().filter_map(named).collect()
        },
        paths: set(&mut stated.paths.iter()),
        tools: set(&mut stated.tools.iter()),
        tags: gate_tags(gate, &stated.tags),
        episode,
        ..Run::stub(found.id.clone(), call.now)
    }
}

/// When it ended, unless that is still to come: one such run would make every later one
/// a backfill.
fn believable(call: &Call, found: &FoundRun, problems: &mut Vec<Problem>) -> Option<Timestamp> {
    let finished = found.stated.finished?;
    if finished.0.saturating_sub(call.now.0) <= MAX_AHEAD_MS {
        return Some(finished);
    }
    let reason = "the run ends in the future; its end is not used";
    problems.push(Problem::new(&found.source, reason));
    None
}

fn gate_tags(gate: &Gate, tags: &[String]) -> BTreeSet<String> {
    gate.tags(tags.iter().map(String::as_str)).into_iter().collect()
}
