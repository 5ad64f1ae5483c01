//! Looking back on runs: one, those of a session, or those of some days. The patterns are
//! found in `core`; what they teach is taken like any finding, so the same reflection
//! twice changes nothing.

mod context;
mod progress;

use std::collections::BTreeSet;
use std::path::PathBuf;

use hardwon_core::event::Problem;
use hardwon_core::ids::{LessonId, OperationId, RunId};
use hardwon_core::reflect::{self, ReflectionPolicy, Scenario};
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{Answer, Considered, Reflected};
use hardwon_store::RunQuery;

use crate::events;
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::runs::learn::{AppliedReflection, LookBack, rederive, reflect_on};
pub use context::reflection_context;
pub(crate) use context::related;

const MS_PER_DAY: i64 = 86_400_000;

/// Most root runs that one call looks back on.
const MAX_RUNS: usize = 500;

/// Which runs to look back on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The newest run that was learned.
    Newest,
    Run(RunId),
    Session(String),
    /// All runs of the last days.
    Days(u32),
}

impl About {
    /// The session or the run that is named.
    fn names(&self) -> (Option<&str>, Option<&RunId>) {
        match self {
            About::Session(session) => (Some(session), None),
            About::Run(run) => (None, Some(run)),
            About::Newest | About::Days(_) => (None, None),
        }
    }
}

/// What to look back on, and why.
#[derive(Clone, Debug)]
pub struct ReflectRequest {
    pub about: About,
    /// What caused it; by default what follows from how the run ended.
    pub scenario: Option<Scenario>,
    /// The project's progress file; by default that of the settings.
    pub progress: Option<PathBuf>,
    /// The project's folder, in which the setting's file is looked for.
    pub folder: Option<PathBuf>,
    /// Whether the lessons are noted in that file.
    pub appends: bool,
}

impl ReflectRequest {
    /// Look back on this.
    pub fn of(about: About) -> Self {
        ReflectRequest { about, scenario: None, progress: None, folder: None, appends: false }
    }
}

/// Looks back on runs, and learns from how they went.
pub fn reflect(
    memory: &mut Memory,
    call: &Call,
    request: &ReflectRequest,
) -> Result<Answer<Reflected>> {
    let roots = roots_of(memory, call, &request.about)?;
    let scenario = request.scenario.unwrap_or_else(|| scenario_of(&roots));
    if roots.is_empty() {
        let reason = "no learned run matches; `hardwon list runs` shows what there is";
        return Ok(Reflected::skipped(scenario, reason).answer(Vec::new()));
    }
    let mut problems = Vec::new();
    let progress = progress::progress(memory, request, &mut problems);
    let text = progress.as_ref().map(|(_, text)| text.as_str());
    let (session, run) = request.about.names();
    events::tell_start(memory, call, scenario, session, run);
    let mut reflected = Reflected::skipped(scenario, "nothing to look back on");
    for root in &roots {
        reflect_on_root(memory, call, root, request.scenario, &mut reflected)?;
    }
    reflected.summarize();
    if let Some(text) = text {
        progress::add_noted(memory, text, &mut reflected);
    }
    let noted = progress.filter(|_| request.appends && reflected.skipped.is_none());
    if let Some((path, _)) = noted {
        let named = reflected.created.iter().chain(&reflected.updated).map(|it| it.id.0.clone());
        // What was learned before and is known by its words.
        let known = reflected.candidates.iter().filter(|it| it.refused.is_none());
        let id_of = |it: &Considered| {
            LessonId::derive(Some(&call.project), it.kind.0.word(), &it.text, |_| false)
        };
        let ids = named.chain(known.map(id_of)).collect();
        let learned = lookup::lessons_with(memory, &call.project, ids)?;
        let noted = progress::note_lessons(memory, request, &path, &learned);
        problems.extend(noted.err().map(|reason| Problem::new(path.display(), reason)));
    }
    let n_updated = reflected.updated.len();
    events::tell_complete(memory, call, reflected.scenario.0, &reflected.created, n_updated);
    Ok(reflected.answer(problems))
}

fn reflect_on_root(
    memory: &mut Memory,
    call: &Call,
    root: &Run,
    scenario: Option<Scenario>,
    all: &mut Reflected,
) -> Result<()> {
    let continues = all.operation.map(OperationId);
    let (operation, (learned, looked)) = reflect_on(memory, call, root, scenario, continues)?;
    all.operation = operation.map(|operation| operation.0);
    match looked {
        LookBack::Skipped(reason) => all.skip(reason),
        LookBack::Applied(AppliedReflection { reflection, considered }) => {
            all.add(&root.id, learned, reflection, considered);
            // A pattern that came back may have been shown to this run.
            rederive(memory, call, &root.id)?;
        }
    }
    Ok(())
}

/// The root runs in question, oldest first, by their ids.
pub fn reflected_roots(memory: &Memory, call: &Call, about: &About) -> Result<Vec<RunId>> {
    Ok(roots_of(memory, call, about)?.into_iter().map(|run| run.id).collect())
}

/// The root runs in question, oldest first.
fn roots_of(memory: &Memory, call: &Call, about: &About) -> Result<Vec<Run>> {
    let query = match about {
        About::Run(run) => return Ok(vec![root_of(memory, call, run)?]),
        About::Newest => RunQuery { limit: Some(MAX_RUNS), ..RunQuery::default() },
        About::Session(session) => {
            RunQuery { session: Some(session.clone()), ..RunQuery::default() }
        }
        About::Days(days) => {
            let since = call.now.0.saturating_sub(i64::from(*days) * MS_PER_DAY);
            RunQuery { since: Some(Timestamp(since)), ..RunQuery::default() }
        }
    };
    let runs = memory.store.runs(&call.project, &query)?;
    let mut seen = BTreeSet::new();
    let mut roots = Vec::new();
    for run in runs.into_iter().filter(|run| run.is_learned) {
        if !seen.insert(run.root.clone()) {
            continue;
        }
        roots.push(if run.root == run.id { run } else { root_of(memory, call, &run.root)? });
        if *about == About::Newest || roots.len() == MAX_RUNS {
            break;
        }
    }
    roots.reverse();
    Ok(roots)
}

/// What brings it about, by how the runs ended.
fn scenario_of(roots: &[Run]) -> Scenario {
    match roots {
        [run] => {
            let wanting = ReflectionPolicy::default();
            reflect::scenario_of(run, &wanting).unwrap_or(Scenario::SessionComplete)
        }
        [] => Scenario::SessionComplete,
        _ => Scenario::PatternDetected,
    }
}

/// The root run of a run's tree. Without a known root, the first run of it.
fn root_of(memory: &Memory, call: &Call, run: &RunId) -> Result<Run> {
    let run = &memory.safe_run(run);
    let tree = memory.store.tree(&call.project, run)?;
    let learned: Vec<Run> = tree.runs.into_iter().filter(|run| run.is_learned).collect();
    let root = learned.iter().find(|known| known.id == known.root).or(learned.first());
    root.cloned().ok_or_else(|| EngineError::UnknownRun { name: run.to_string() })
}
