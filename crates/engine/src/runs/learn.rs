//! Learn from the records of runs: findings, matching, credit, regressions and decay,
//! one run after the other, each written whole or not at all.

mod account;
mod conversations;
mod credit;
mod decay;
mod fixed;
mod header;
mod recognize;
pub(super) mod reflect;
mod step;
mod suggest;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hardwon_core::effect::{Effect, EffectKind};
use hardwon_core::event::{Problem, Record, RunStated, Source};
use hardwon_core::find::{FoundRun, FoundRuns, find};
use hardwon_core::ids::{LessonId, OperationId, RunId};
use hardwon_core::lesson::{Lesson, Origin};
use hardwon_core::prose;
use hardwon_core::reflect::Scenario;
use hardwon_core::run::Run;
use hardwon_readers::Format;
use hardwon_render::answer::{Answer, Learned, Named, RunLearned};

use crate::call::Call;
use crate::error::EngineError;
use crate::events::scenario_told;
use crate::memory::Memory;
use crate::runs::input::{Input, agree, read_all, relative_to};
use crate::runs::voice;
use crate::write::{Command, Written, write};
use crate::{compare, events};
pub use conversations::{ConversationStage, learn_conversations};
use header::RunInput;
pub(crate) use reflect::{LookBack, Taken};

/// What to learn from.
#[derive(Default)]
pub struct LearnRequest {
    pub inputs: Vec<Input>,
    /// The run that records without a name of their own belong to.
    pub run: Option<RunId>,
    /// Read as this format instead of looking at the content.
    pub format: Option<Format>,
    /// Absolute paths below this folder are taken as relative to it.
    pub folder: Option<PathBuf>,
    pub steps: Steps,
}

/// How much of learning is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Findings, credit, regressions, decay.
    #[default]
    All,
    /// Findings only, each run taken for the newest: credit and decay are asked for
    /// apart, as ArcheFlow does.
    Findings,
}

impl LearnRequest {
    /// Learn from one input that says itself what it is.
    pub fn of(input: Input) -> Self {
        LearnRequest { inputs: vec![input], ..LearnRequest::default() }
    }
}

/// Reads all inputs, then applies their runs in the order in which they started.
/// Idempotent: what is known changes nothing.
pub fn learn(
    memory: &mut Memory,
    call: &Call,
    request: LearnRequest,
) -> Result<Answer<Learned>, EngineError> {
    learn_with(memory, call, request, &mut |_, _| {})
}

/// The same, telling how far it has come: runs done, runs in all.
pub fn learn_with(
    memory: &mut Memory,
    call: &Call,
    request: LearnRequest,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<Learned>, EngineError> {
    let steps = request.steps;
    let (mut records, mut problems) = read_all(request.inputs, request.format)?;
    if let Some(folder) = &request.folder {
        relative_to(folder, &mut records);
    }
    hardwon_readers::join_trials(&mut records);
    if request.run.is_some() {
        agree(&mut records);
    }
    let given = request.run.map(|run| memory.safe_run(&run));
    let FoundRuns { runs, problems: more } = find_runs(memory, call, &records, given.as_ref());
    problems.extend(more);
    let learned = learn_found(memory, call, &runs, steps, &mut problems, progress)?;
    let is_empty = learned.runs.is_empty();
    Ok(Answer::of(learned, problems).or_empty(is_empty))
}

/// Learns records that are at hand.
pub(crate) fn learn_records(
    memory: &mut Memory,
    call: &Call,
    records: &[Record],
    steps: Steps,
) -> Result<Answer<Learned>, EngineError> {
    let FoundRuns { runs, mut problems } = find_runs(memory, call, records, None);
    let learned = learn_found(memory, call, &runs, steps, &mut problems, &mut |_, _| {})?;
    let is_empty = learned.runs.is_empty();
    Ok(Answer::of(learned, problems).or_empty(is_empty))
}

/// Learns what was found, one root run after the other.
pub(crate) fn learn_found(
    memory: &mut Memory,
    call: &Call,
    runs: &[FoundRun],
    steps: Steps,
    problems: &mut Vec<Problem>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Learned, EngineError> {
    let parents = stated_parents(memory, runs, problems);
    let mut learned = Learned::default();
    for tree in by_tree(runs, &parents) {
        let scenario = scenario_of_tree(&tree, &parents);
        for (index, found) in tree.iter().enumerate() {
            progress(learned.runs.len(), runs.len());
            let is_last_of_tree = index + 1 == tree.len();
            let told = RunInput { found, parents: &parents, is_last_of_tree, steps };
            let (operation, (run, run_problems)) =
                learn_run(memory, call, &told, scenario, learned.operation.map(OperationId))?;
            learned.operation = operation.map(|operation| operation.0);
            problems.extend(run_problems);
            learned.runs.push(run);
        }
    }
    Ok(learned)
}

fn find_runs(memory: &Memory, call: &Call, records: &[Record], run: Option<&RunId>) -> FoundRuns {
    let policy = &memory.policy.matching;
    let likeness = |a: &str, b: &str| compare::same_text(a, b, policy);
    let mut found = find(records, run, &likeness);
    for run in &mut found.runs {
        run.id = memory.safe_run(&run.id);
        if memory.policy.promotion.prose_needs_evidence {
            found.problems.extend(doubt_prose(run));
        }
        match (call.voice.origin(), run.origin) {
            (Origin::Agent, _) => take_as_claimed(call, run),
            (_, Origin::Agent) => {
                voice::take_as_said(memory, call, run);
                // A person hands in what a program kept.
                run.stated.episode.is_witnessed = !run.steps.is_empty();
            }
            _ => {}
        }
    }
    found
}

/// A record that an agent hands in is that agent's word, whatever names and evidence
/// stand in it: it could have written every line itself.
fn take_as_claimed(call: &Call, run: &mut FoundRun) {
    run.origin = Origin::Agent;
    run.detectors = BTreeSet::from([call.actor.clone()]);
    run.reasoned_only.clone_from(&run.detectors);
    run.judgements.clear();
    run.reach.clear();
    for finding in &mut run.findings {
        finding.author.clone_from(&call.actor);
        finding.stated.grade = None;
    }
    for (_, suggestion) in &mut run.suggestions {
        suggestion.author.clone_from(&call.actor);
    }
}

/// Who is whose parent, by the records of this call.
fn stated_parents(
    memory: &Memory,
    runs: &[FoundRun],
    problems: &mut Vec<Problem>,
) -> BTreeMap<RunId, RunId> {
    let mut parents = BTreeMap::new();
    for run in runs {
        let Some(text) = run.stated.parent.as_deref() else { continue };
        let Some(parent) = RunId::named(text).map(|parent| memory.safe_run(&parent)) else {
            continue;
        };
        if parent == run.id {
            let reason = "a run cannot be its own parent; ignored";
            problems.push(Problem::new(&run.source, reason));
        } else {
            parents.insert(run.id.clone(), parent);
        }
    }
    parents
}

fn learn_run(
    memory: &mut Memory,
    call: &Call,
    told: &RunInput<'_>,
    scenario: Scenario,
    continues: Option<OperationId>,
) -> Result<Written<(RunLearned, Vec<Problem>)>, EngineError> {
    let command = Command { continues, scenario: Some(scenario), ..Command::new("learn") };
    let looks_back = told.concludes() && will_reflect(memory, told.found);
    if looks_back {
        let session = told.found.stated.episode.session.as_deref();
        events::tell_start(memory, call, scenario, session, Some(&told.found.id));
    }
    let written = write(memory, call, &command, &mut |memory, status| {
        let mut step = step::Step::begin(memory, call, status, told)?;
        step.take_findings()?;
        step.close_what_is_gone()?;
        if told.concludes() {
            if step.is_worth_reflecting() {
                let _ = step.reflect(None, None)?;
            }
            step.credit()?;
            step.decay()?;
        }
        Ok(step.finish())
    })?;
    if looks_back {
        events::tell_looked_back(memory, call, scenario, &written.1.0);
    }
    Ok(written)
}

/// Whether a record tells enough to be looked back upon.
fn will_reflect(memory: &Memory, found: &FoundRun) -> bool {
    let tells = !found.steps.is_empty() || found.stated.episode.error_class.is_some();
    memory.policy.reflection.is_enabled && tells
}

/// Takes findings that show nothing for less than they claim, and says so.
fn doubt_prose(run: &mut FoundRun) -> Vec<Problem> {
    let mut problems = Vec::new();
    for finding in &mut run.findings {
        let counted = prose::severity(finding.severity, &finding.stated);
        if counted != finding.severity {
            let stated = finding.severity;
            let reason = format!("{stated} without evidence; taken as {counted}");
            problems.push(Problem::new(&finding.source, reason));
            finding.severity = counted;
        }
    }
    problems
}

/// Runs of one tree together, trees in the order of their first run: what a root run
/// taught is concluded once, when all that this call says about it is known.
fn by_tree<'a>(runs: &'a [FoundRun], parents: &BTreeMap<RunId, RunId>) -> Vec<Vec<&'a FoundRun>> {
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

/// What brings the lessons of a tree about: how its topmost run ended.
fn scenario_of_tree(tree: &[&FoundRun], parents: &BTreeMap<RunId, RunId>) -> Scenario {
    let top = tree.iter().find(|found| !parents.contains_key(&found.id)).or(tree.first());
    let stated = top.map(|found| &found.stated);
    scenario_told(stated.and_then(|run| run.kind), stated.and_then(|run| run.outcome))
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
    Named::new(lesson.id.clone(), lesson.text.as_str())
}

/// The effects of a known run, derived anew and recorded.
pub(crate) fn rederive(
    memory: &mut Memory,
    call: &Call,
    run: &RunId,
) -> Result<Vec<Effect>, EngineError> {
    let found = silent_record(run);
    let parents = BTreeMap::new();
    let steps = Steps::Findings;
    let told = RunInput { found: &found, parents: &parents, is_last_of_tree: false, steps };
    let (_, effects) = write(memory, call, &Command::new("check"), &mut |memory, status| {
        let mut step = step::Step::begin(memory, call, status, &told)?;
        step.credit()?;
        let effects = step.header.tree.effects.iter().filter(|effect| effect.was_shown());
        let effects = effects.cloned().collect();
        let (changes, _) = step.finish();
        Ok((changes, effects))
    })?;
    Ok(effects)
}

/// Records what somebody says a lesson did in a run.
pub(crate) fn state_effect(
    memory: &mut Memory,
    call: &Call,
    run: &RunId,
    lesson: &LessonId,
    kind: EffectKind,
    because: &str,
) -> Result<(), EngineError> {
    let found = silent_record(run);
    let parents = BTreeMap::new();
    let steps = Steps::Findings;
    let told = RunInput { found: &found, parents: &parents, is_last_of_tree: false, steps };
    write(memory, call, &Command::new("mark"), &mut |memory, status| {
        let mut step = step::Step::look(memory, call, status, &told)?;
        step.state(lesson, kind, because)?;
        Ok((step.finish().0, ()))
    })?;
    Ok(())
}

/// What a reflection on a known run did to lessons, and what it found or why it was
/// not done.
type LookedBack = (RunLearned, LookBack);

/// Looks back on a root run that was learned before.
pub(crate) fn reflect_on(
    memory: &mut Memory,
    call: &Call,
    root: &Run,
    scenario: Option<Scenario>,
    progress: Option<&str>,
    continues: Option<OperationId>,
) -> Result<Written<LookedBack>, EngineError> {
    // A trail that nobody answers for is an agent's word.
    let found = FoundRun { origin: Origin::Agent, ..silent_record(&root.id) };
    let parents = BTreeMap::new();
    let steps = Steps::Findings;
    let told = RunInput { found: &found, parents: &parents, is_last_of_tree: false, steps };
    let told_by = scenario.unwrap_or_else(|| scenario_told(Some(root.kind), root.outcome));
    let command = Command { continues, scenario: Some(told_by), ..Command::new("reflect") };
    write(memory, call, &command, &mut |memory, status| {
        let mut step = step::Step::look(memory, call, status, &told)?;
        let taken = step.reflect(scenario, progress)?;
        let (changes, (answer, _)) = step.finish();
        Ok((changes, (answer, taken)))
    })
}

/// A record of a known run that says nothing new.
pub(crate) fn silent_record(run: &RunId) -> FoundRun {
    FoundRun {
        id: run.clone(),
        source: Source { input: "store".to_owned(), line: 0 },
        stated: RunStated::default(),
        detectors: Default::default(),
        reasoned_only: Default::default(),
        judgements: Default::default(),
        reach: Default::default(),
        findings: Vec::new(),
        effects: Vec::new(),
        suggestions: Vec::new(),
        steps: Vec::new(),
        origin: Origin::Reviewer,
        n_put_aside: 0,
    }
}
