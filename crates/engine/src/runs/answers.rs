//! What agents answered, what they found and what was tried, to be looked up. Reads only.

use std::collections::BTreeMap;

use hardwon_core::attempt::tell::repeated;
use hardwon_core::deliberation::DeliberationFilter;
pub use hardwon_core::deliberation::search::DeliberationsRequest;
use hardwon_core::event::issue_name;
use hardwon_core::finding::life;
pub use hardwon_core::finding::life::FindingsRequest;
use hardwon_core::ids::RunId;
use hardwon_core::meaning::Table;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{
    Answer, DeliberationLine, DeliberationShown, Deliberations, FindingLine, FindingStory,
    FindingsListed, Tried,
};
use hardwon_store::{About, FindingQuery, RunQuery, Search};

use crate::call::Call;
use crate::error::EngineError;
use crate::lookup;
use crate::memory::Memory;
use crate::runs::episodes::N_LISTED;

/// What agents answered: the newest first, or what answers a search best.
pub fn deliberations(
    memory: &Memory,
    call: &Call,
    request: &DeliberationsRequest,
) -> Result<Answer<Deliberations>, EngineError> {
    let limit = request.limit.unwrap_or(N_LISTED);
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    let about = About::Deliberations(DeliberationFilter { run, ..request.filter(call.now) });
    let Some(terms) = request.terms() else {
        return Ok(Answer::of(Deliberations::default(), Vec::new()).or_empty(true));
    };
    let search = Search { terms, about, limit: request.n_read(limit), ..Search::default() };
    let found = memory.store.search(&call.project, &search)?;
    let is_semantic = memory.settings.switch("semantic") != Some(false);
    let table = is_semantic.then(Table::built_in);
    let placed = request.answer(&found.deliberations, &found.corpus, table);
    let shown = placed.iter().take(limit);
    let line = |(at, score): &(usize, _)| DeliberationLine::new(&found.deliberations[*at], *score);
    let has_more = placed.len() > limit;
    let body = Deliberations { deliberations: shown.map(line).collect(), has_more };
    Ok(Answer::of(body, Vec::new()).or_empty(placed.is_empty()))
}

/// One of them with its response; the name is any unique beginning of its id.
pub fn deliberation(
    memory: &Memory,
    call: &Call,
    name: &str,
) -> Result<Answer<DeliberationShown>, EngineError> {
    let filter = DeliberationFilter { id: Some(name.to_owned()), ..DeliberationFilter::default() };
    let about = About::Deliberations(filter);
    let search = Search { about, limit: 2, ..Search::default() };
    let found = memory.store.search(&call.project, &search)?.deliberations;
    match &found[..] {
        [one] if !name.is_empty() => Ok(Answer::of(one.into(), Vec::new())),
        _ => Err(EngineError::NotFound { what: "deliberation", name: name.to_owned() }),
    }
}

/// Findings of all runs, the newest first.
pub fn findings_list(
    memory: &Memory,
    call: &Call,
    request: &FindingsRequest,
) -> Result<Answer<FindingsListed>, EngineError> {
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    let request = &FindingsRequest { run, ..request.clone() };
    let query = FindingQuery::InState(request.state.into_iter().collect());
    let mut findings = memory.store.findings(&call.project, &query)?;
    findings.retain(|it| request.admits(it));
    let times = times(memory, call)?;
    let shown = findings.iter().rev().take(request.limit.unwrap_or(N_LISTED));
    let shown: Vec<FindingLine> =
        shown.map(|it| FindingLine::new(it, times.get(&it.run).copied())).collect();
    let n_more = (findings.len() - shown.len()) as u64;
    let body = FindingsListed { findings: shown, n_more };
    Ok(Answer::of(body, Vec::new()).or_empty(findings.is_empty()))
}

/// One finding, and where it was opened, closed and came back.
pub fn findings_show(
    memory: &Memory,
    call: &Call,
    name: &str,
) -> Result<Answer<FindingStory>, EngineError> {
    let all = memory.store.findings(&call.project, &FindingQuery::InState(Vec::new()))?;
    let unknown = || EngineError::NotFound { what: "finding", name: name.to_owned() };
    let (newest, life) = life::named(&all, name).ok_or_else(unknown)?;
    let times = times(memory, call)?;
    let at = |run: &RunId| times.get(run).copied();
    Ok(Answer::of(FindingStory::new(newest, &life, &at), Vec::new()))
}

/// What was tried at an issue; with a text or a diff also whether that was tried before.
pub fn tried(
    memory: &Memory,
    call: &Call,
    issue: &str,
    is: Option<&str>,
) -> Result<Answer<Tried>, EngineError> {
    let attempts = lookup::attempts(memory, call, issue)?;
    let repeated = is.map_or(Vec::new(), |text| repeated(&attempts, text));
    let name = memory.gate.word(&issue_name(issue)).unwrap_or_default();
    let body = Tried::new(&name, &attempts, &repeated);
    Ok(Answer::of(body, Vec::new()).or_empty(attempts.is_empty()))
}

/// When each run took place.
fn times(memory: &Memory, call: &Call) -> Result<BTreeMap<RunId, Timestamp>, EngineError> {
    let runs = memory.store.runs(&call.project, &RunQuery::default())?;
    Ok(runs.into_iter().map(|run| (run.id.clone(), run.began())).collect())
}
