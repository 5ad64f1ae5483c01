//! Everything that a reflection looks at, for callers who want to see it first or reflect
//! themselves.

use hardwon_core::episode::{Episode, Usage};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::propose;
use hardwon_core::reflect::{self, Scenario};
use hardwon_core::run::Run;
use hardwon_render::answer::{Answer, Looked};
use hardwon_store::{LessonQuery, RunQuery};

use super::{About, ReflectRequest};
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::runs::learn::reflect::runs_before;
use crate::runs::reflect::progress::progress;
use crate::runs::reflect::{roots_of, scenario_of};

/// Most related runs that are listed.
const N_RELATED: usize = 8;
/// Most runs of the same session.
const N_SESSION: usize = 20;
/// Most lessons that are known already.
const N_LESSONS: usize = 20;

/// What a reflection on the newest of these runs would look at.
pub fn reflection_context(
    memory: &Memory,
    call: &Call,
    request: &ReflectRequest,
) -> Result<Answer<Looked>> {
    let roots = roots_of(memory, call, &request.about)?;
    let Some(run) = roots.last().cloned() else {
        let name = match &request.about {
            About::Session(session) => session.clone(),
            About::Run(run) => run.to_string(),
            About::Newest | About::Days(_) => "newest".to_owned(),
        };
        return Err(EngineError::UnknownRun { name });
    };
    let scenario = request.scenario.unwrap_or_else(|| scenario_of(&roots));
    let mut problems = Vec::new();
    let progress = progress(memory, request, &mut problems).map(|(_, text)| text);
    let looked = looked(memory, call, scenario, run, progress)?;
    Ok(Answer::of(looked, problems))
}

fn looked(
    memory: &Memory,
    call: &Call,
    scenario: Scenario,
    run: Run,
    progress: Option<String>,
) -> Result<Looked> {
    let tree = memory.store.tree(&call.project, &run.id)?;
    let below: Vec<Run> = tree.runs.into_iter().filter(|other| other.id != run.id).collect();
    let usage = below.iter().fold(run.episode.usage, |all: Usage, run| all.plus(run.episode.usage));
    let told = |run: Run| {
        let summary = Some(reflect::summary(&run));
        Run { episode: Episode { summary, ..run.episode.clone() }, ..run }
    };
    let related = related(memory, call, &run)?.into_iter();
    Ok(Looked {
        scenario,
        related: related.map(|(run, why)| (told(run), why)).collect(),
        session: session_of(memory, call, &run)?,
        lessons: lessons_about(memory, call, &run)?,
        findings: tree.findings,
        run: told(run),
        below: below.into_iter().map(told).collect(),
        progress,
        usage,
    })
}

/// Runs that have something in common with this one, and what.
pub(crate) fn related(memory: &Memory, call: &Call, run: &Run) -> Result<Vec<(Run, Vec<String>)>> {
    let others = runs_before(memory, call, run)?;
    let related = reflect::related(run, &others);
    let told = related.into_iter().take(N_RELATED);
    Ok(told
        .map(|related| {
            (related.run.clone(), related.reasons.iter().map(ToString::to_string).collect())
        })
        .collect())
}

fn session_of(memory: &Memory, call: &Call, run: &Run) -> Result<Vec<Run>> {
    let Some(session) = run.episode.session.clone() else { return Ok(Vec::new()) };
    let limit = Some(N_SESSION);
    let query = RunQuery { session: Some(session), limit, ..RunQuery::default() };
    let mut runs = memory.store.runs(&call.project, &query)?;
    runs.retain(|other| other.root != run.root);
    Ok(runs)
}

/// Lessons that speak of what this run was about.
fn lessons_about(memory: &Memory, call: &Call, run: &Run) -> Result<Vec<Lesson>> {
    let episode = &run.episode;
    let words = [&episode.summary, &episode.error_class, &run.task].into_iter().flatten();
    let steps = episode.trail.iter().map(|step| &step.action);
    let said: Vec<&str> = words.chain(steps).map(String::as_str).collect();
    let terms = propose::terms_of_text(&said.join("\n"), &run.paths.iter().collect::<Vec<_>>());
    let mut lessons = lookup::proposals(memory, call, terms, false, N_LESSONS)?.lessons;
    if lessons.is_empty() {
        let query = LessonQuery { limit: Some(N_LESSONS), ..LessonQuery::default() };
        lessons = memory.store.lessons(&call.project, &query)?;
    }
    lessons.retain(|lesson| !lesson.state.is_put_away() && lesson.state != State::Quarantined);
    Ok(lessons)
}
