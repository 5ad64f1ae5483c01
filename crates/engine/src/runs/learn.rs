//! Learn from the records of runs: findings, matching, credit, regressions and decay,
//! one run after the other, each written whole or not at all.

mod conversations;
mod credit;
mod decay;
mod fixed;
mod header;
mod heard;
mod known;
mod linked;
mod read;
mod recognize;
pub(super) mod reflect;
pub(crate) mod reviewer;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hardwon_core::attempt::keep as attempt;
use hardwon_core::change::Change;
use hardwon_core::conversation::Join;
use hardwon_core::deliberation::{DeliberationFilter, keep};
use hardwon_core::event::{Problem, Record};
pub use hardwon_core::find::pair::Pair;
use hardwon_core::find::trees::{Parents, by_tree, in_one_session, scenario_of_tree};
use hardwon_core::find::{FoundRun, FoundRuns, find};
use hardwon_core::ids::{OperationId, RunId};
use hardwon_core::lesson::{Lesson, Origin};
use hardwon_core::matching::compare;
use hardwon_core::reflect::Scenario;
use hardwon_core::session::Digest;
use hardwon_readers::{Format, Input, agree, read_all, relative_to};
use hardwon_render::answer::{Answer, Learned, Named, RunLearned};
use hardwon_store::{About, Search, StoreError};

use crate::memory::{Call, EngineError, Memory, Result};
use crate::open::foreign_system;
use crate::write::{Command, Written, write};
use crate::{events, lookup};
use header::{Kept, RunInput};
use step::Step;

pub use conversations::{ConversationStage, learn_conversations};
pub use known::{advise, take_reading};
pub(crate) use known::{rederive, reflect_on, state_effect};
pub use read::FromModel;
pub(crate) use reflect::{AppliedReflection, LookBack};
pub use reviewer::{ReviewerMessage, learn_conversation, learn_message};

/// How often runs are written together before each is by itself.
const MAX_GROUPS: u32 = 3;

#[derive(Default)]
pub struct LearnRequest {
    pub inputs: Vec<Input>,
    /// The run that records without a name of their own belong to.
    pub run: Option<RunId>,
    /// Read as this format instead of looking at the content.
    pub format: Option<Format>,
    /// Who wrote the reviews in Markdown among them.
    pub author: Option<String>,
    /// Absolute paths below this folder are taken as relative to it.
    pub folder: Option<PathBuf>,
    pub steps: Steps,
    /// Only what these two say, and only what it does to the lessons of the first.
    pub pair: Option<Pair>,
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
pub fn learn(memory: &mut Memory, call: &Call, request: LearnRequest) -> Result<Answer<Learned>> {
    learn_with(memory, call, request, &mut |_, _| {})
}

/// The same, telling how far it has come: runs done, runs in all.
pub fn learn_with(
    memory: &mut Memory,
    call: &Call,
    request: LearnRequest,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Answer<Learned>> {
    let (steps, pair) = (request.steps, request.pair.clone());
    let Found { runs: FoundRuns { mut runs, mut problems }, joins, digests } =
        found(memory, call, request, false)?;
    linked::join(memory, call, &joins)?;
    if let Some(pair) = &pair {
        runs.iter_mut().for_each(|run| run.keep_only(pair));
    }
    let told = Told { runs: &runs, steps, pair: pair.as_ref() };
    let learned = learn_told(memory, call, told, &mut problems, progress)?;
    let learned = Learned { digests, ..learned };
    Ok(Answer::of(learned, problems).empty_if(|it| it.runs.is_empty()))
}

/// What two reviewers say of a run, and what it does to the patterns of the first: penalties,
/// reinforcement and ageing. Without inputs, what is known of the run. The same again changes
/// nothing.
pub fn feedback(
    memory: &mut Memory,
    call: &Call,
    run: &RunId,
    pair: Pair,
    inputs: Vec<Input>,
) -> Result<Answer<Learned>> {
    if !inputs.is_empty() {
        let (run, pair) = (Some(run.clone()), Some(pair));
        return learn(memory, call, LearnRequest { inputs, run, pair, ..LearnRequest::default() });
    }
    let run = memory.safe_run(run);
    if memory.store.tree(&call.project, &run)?.runs.iter().all(|known| known.id != run) {
        return Err(EngineError::UnknownRun { name: run.to_string() });
    }
    let (runs, mut problems) = ([FoundRun::silent(&run)], Vec::new());
    let told = Told { pair: Some(&pair), ..Told::all(&runs) };
    let learned = learn_told(memory, call, told, &mut problems, &mut |_, _| {})?;
    Ok(Answer::of(learned, problems))
}

/// Reads all inputs: their runs, in the order in which they started. In a history every report is
/// a run, or every folder of reports.
pub(crate) fn found(
    memory: &Memory,
    call: &Call,
    request: LearnRequest,
    is_history: bool,
) -> Result<Found> {
    let (mut records, mut problems) = read_all(request.inputs, request.format, request.author)?;
    if let Some(folder) = &request.folder {
        relative_to(folder, &mut records);
    }
    if is_history {
        hardwon_readers::name_reports(&mut records);
    }
    if request.run.is_some() {
        agree(&mut records);
    }
    let given = request.run.map(|run| memory.safe_run(&run));
    let (joins, digests) = untold(memory, call, &mut records)?;
    let FoundRuns { runs, problems: more } = find_runs(memory, call, &records, given.as_ref());
    problems.extend(more);
    Ok(Found { runs: FoundRuns { runs, problems }, joins, digests })
}

/// All that was found in some inputs.
pub(crate) struct Found {
    pub runs: FoundRuns,
    /// Root runs that are one conversation.
    pub joins: Vec<Join>,
    /// Of sessions that are worth reading.
    pub digests: Digests,
}

/// Puts sessions into their conversations, and adds what their findings do not tell.
fn untold(memory: &Memory, call: &Call, records: &mut [Record]) -> Result<(Vec<Join>, Digests)> {
    let joins = linked::linked(memory, call, records)?;
    heard::recur(memory, call, records)?;
    Ok((joins, heard::digests(memory, records)))
}

type Digests = Vec<(RunId, Digest)>;

/// What was found, and how much is done with it.
pub(crate) struct Told<'a> {
    runs: &'a [FoundRun],
    steps: Steps,
    pair: Option<&'a Pair>,
}

impl<'a> Told<'a> {
    /// All of it, whoever says it.
    pub fn all(runs: &'a [FoundRun]) -> Self {
        Told { runs, steps: Steps::All, pair: None }
    }
}

/// Learns what was found, one root run after the other. It goes to the disk together, as far as the
/// store can do that. If somebody who takes no lock wrote meanwhile it is decided again, at last run
/// by run.
pub(crate) fn learn_told(
    memory: &mut Memory,
    call: &Call,
    told: Told<'_>,
    problems: &mut Vec<Problem>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Learned> {
    let n_problems = problems.len();
    for _ in 0..MAX_GROUPS {
        memory.store.begin_group();
        let learned = learn_each(memory, call, &told, problems, progress);
        match memory.store.end_group() {
            Ok(()) => return learned,
            Err(StoreError::Conflict) => problems.truncate(n_problems),
            Err(error) => return learned.and(Err(error.into())),
        }
    }
    learn_each(memory, call, &told, problems, progress)
}

fn learn_each(
    memory: &mut Memory,
    call: &Call,
    told: &Told<'_>,
    problems: &mut Vec<Problem>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Learned> {
    let Told { runs, steps, pair } = *told;
    let parents = stated_parents(memory, runs, problems);
    let mut learned = Learned::default();
    let kept = &Kept::default();
    for tree in by_tree(runs, &parents) {
        let scenario = scenario_of_tree(&tree, &parents);
        for (index, found) in tree.iter().enumerate() {
            progress(learned.runs.len(), runs.len());
            let is_last_of_tree = index + 1 == tree.len();
            let input = RunInput { found, parents: &parents, is_last_of_tree, steps, pair, kept };
            let (operation, (run, run_problems)) =
                learn_run(memory, call, &input, scenario, learned.operation.map(OperationId))?;
            learned.operation = operation.map(|operation| operation.0);
            problems.extend(run_problems);
            learned.runs.push(run);
        }
    }
    if runs.iter().any(|run| !run.deliberations.is_empty()) {
        trim(memory, call)?;
    }
    Ok(learned)
}

fn find_runs(memory: &Memory, call: &Call, records: &[Record], run: Option<&RunId>) -> FoundRuns {
    let policy = &memory.policy.matching;
    let likeness = |a: &str, b: &str| compare::same_text(a, b, policy);
    let mut found = find(records, run, &likeness);
    for run in &mut found.runs {
        run.id = lookup::run_of_task(memory, call, run);
        if memory.policy.promotion.prose_needs_evidence {
            found.problems.extend(run.doubt_prose());
        }
        match (call.origin(), run.origin) {
            (Origin::Agent, _) => run.claim_for(&call.actor),
            (_, Origin::Agent) => {
                reviewer::attribute(memory, call, run);
                // A person hands in what a program kept.
                run.witness(true);
            }
            _ => {}
        }
    }
    if let Some(session) = &call.session() {
        let is_anothers = |run: &RunId| {
            let tree = memory.store.tree(&call.project, run).unwrap_or_default();
            let mut known = tree.runs.iter().filter(|known| known.id == *run && known.is_learned);
            known.any(|known| known.root != *session)
        };
        in_one_session(&mut found.runs, session, &is_anothers);
    }
    found
}

/// The parents that the records of this call state.
fn stated_parents(memory: &Memory, runs: &[FoundRun], problems: &mut Vec<Problem>) -> Parents {
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
    Parents::of(parents)
}

fn learn_run(
    memory: &mut Memory,
    call: &Call,
    input: &RunInput<'_>,
    scenario: Scenario,
    continues: Option<OperationId>,
) -> Result<Written<(RunLearned, Vec<Problem>)>> {
    let command = Command { continues, scenario: Some(scenario), ..Command::new("learn") };
    let looks_back = input.concludes() && will_reflect(memory, call, input);
    if looks_back {
        let session = input.found.stated.episode.session.as_deref();
        events::tell_start(memory, call, scenario, session, Some(&input.found.id));
    }
    let mut is_again = false;
    let written = write(memory, call, &command, &mut |memory, status| {
        if std::mem::replace(&mut is_again, true) {
            // What was kept was not written: somebody else was faster.
            input.kept.take();
        }
        let mut step = step::Step::look(memory, call, status, input)?;
        step.begin()?;
        step.take_findings()?;
        step.close_what_is_gone()?;
        step.take_answers()?;
        if input.concludes() {
            if step.is_worth_reflecting() {
                let _ = step.reflect(None)?;
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

/// Whether a record, or what is known of its tree, tells enough for a reflection.
fn will_reflect(memory: &Memory, call: &Call, input: &RunInput<'_>) -> bool {
    let found = input.found;
    let tells = || {
        let above = found.stated.parent.as_deref().and_then(RunId::named);
        let near = above.map_or_else(|| found.id.clone(), |above| memory.safe_run(&above));
        let tree = memory.store.tree(&call.project, &near).unwrap_or_default();
        let mut about = tree.runs.iter().map(|run| &run.episode);
        about.any(|it| !it.trail.is_empty() || it.error_class.is_some())
    };
    let is_told = !found.steps.is_empty() || found.stated.episode.error_class.is_some();
    memory.policy.reflection.is_enabled && (is_told || tells())
}

/// A lesson by name, for answers.
pub(crate) fn named(lesson: &Lesson) -> Named {
    Named::new(lesson.id.clone(), lesson.text.as_str())
}

/// Megabytes of responses that a project keeps where no setting says otherwise.
const MAX_MB: u64 = 200;

/// So many are looked at to be struck at a time.
const N_STRUCK: usize = 20_000;

impl Step<'_> {
    /// Keeps every answer and attempt of the record that is not known yet.
    fn take_answers(&mut self) -> Result<()> {
        let (memory, found, run) = (self.memory, self.input.found, &self.header.run);
        let search = |about| {
            let search = Search { about, limit: usize::MAX, ..Search::default() };
            memory.store.search(&self.call.project, &search)
        };
        if !found.deliberations.is_empty() {
            let filter = DeliberationFilter { run: Some(run.id.clone()), ..Default::default() };
            let known = search(About::Deliberations(filter))?.deliberations;
            let mut known: BTreeSet<String> = known.into_iter().map(|it| it.id).collect();
            let keeps = foreign_system(&memory.settings).is_none();
            let stated = found.deliberations.iter();
            let all = stated.map(|(_, it)| keep::admitted(&memory.gate, it, run, keeps));
            let new = all.filter(|it| known.insert(it.id.clone()));
            let changes = new.map(|it| Change::AddDeliberation { deliberation: Box::new(it) });
            self.changes.extend(changes);
        }
        for it in attempt::admitted(&memory.gate, found, run) {
            let known = search(About::Attempts(it.issue.clone()))?.attempts;
            let known = known.into_iter().find(|known| known.id == it.id);
            self.changes.extend(attempt::changes(known, it));
        }
        Ok(())
    }
}

/// Strikes the oldest responses if a project has more of them than it may: an operation of its
/// own, because what is struck cannot be undone and the learning can.
fn trim(memory: &mut Memory, call: &Call) -> Result<()> {
    let stated = memory.settings.get("deliberations.max_mb");
    let max_mb = stated.and_then(|it| it.value.parse().ok()).unwrap_or(MAX_MB);
    let max_bytes = max_mb.saturating_mul(1 << 20);
    let search = |limit| {
        let filter = DeliberationFilter { oldest_kept: true, ..DeliberationFilter::default() };
        Search { about: About::Deliberations(filter), limit, ..Search::default() }
    };
    if memory.store.search(&call.project, &search(0))?.n_bytes <= max_bytes {
        return Ok(());
    }
    write(memory, call, &Command::new("trim"), &mut |memory, _| {
        let found = memory.store.search(&call.project, &search(N_STRUCK))?;
        let texts = keep::struck(&found.deliberations, found.n_bytes, max_bytes);
        let change = (!texts.is_empty()).then(|| keep::striking(texts));
        Ok((change.into_iter().collect(), ()))
    })?;
    Ok(())
}
