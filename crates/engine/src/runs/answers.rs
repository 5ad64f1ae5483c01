//! What agents answered, what they found and what was tried, to be looked up. Reads only.

use std::collections::BTreeMap;

use hardwon_core::attempt;
use hardwon_core::deliberation::{self, DeliberationFilter, N_COMPARED};
use hardwon_core::event::issue_name;
use hardwon_core::finding::life::{is_same, life};
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::RunId;
use hardwon_core::meaning::Table;
use hardwon_core::time::Timestamp;
use hardwon_core::words::unique_words;
use hardwon_render::answer::{
    Answer, DeliberationLine, DeliberationShown, Deliberations, FindingLine, FindingStory,
    FindingsListed, Tried,
};
use hardwon_store::{About, FindingQuery, RunQuery, Search};

use crate::call::Call;
use crate::error::EngineError;
use crate::lookup::attempts;
use crate::memory::Memory;
use crate::runs::episodes::N_LISTED;

const MS_PER_DAY: i64 = 86_400_000;

/// Which deliberations to list.
#[derive(Clone, Debug, Default)]
pub struct DeliberationsRequest {
    /// Words to search for; without them the newest come first.
    pub text: Option<String>,
    pub role: Option<String>,
    pub run: Option<RunId>,
    pub verdict: Option<String>,
    /// Only of the last days.
    pub days: Option<u32>,
    /// `None` = a page.
    pub limit: Option<usize>,
}

/// Which findings to list.
#[derive(Clone, Debug, Default)]
pub struct FindingsRequest {
    pub state: Option<FindingState>,
    /// A file, or a folder with all below it.
    pub path: Option<String>,
    pub author: Option<String>,
    pub run: Option<RunId>,
    pub limit: Option<usize>,
}

/// What agents answered: the newest first, or what answers a search best.
pub fn deliberations(
    memory: &Memory,
    call: &Call,
    request: &DeliberationsRequest,
) -> Result<Answer<Deliberations>, EngineError> {
    let since = |days: u32| Timestamp(call.now.0.saturating_sub(i64::from(days) * MS_PER_DAY));
    let filter = DeliberationFilter {
        role: request.role.clone(),
        run: request.run.as_ref().map(|run| memory.safe_run(run)),
        verdict: request.verdict.as_ref().map(|word| word.to_lowercase()),
        since: request.days.map(since),
        ..DeliberationFilter::default()
    };
    let limit = request.limit.unwrap_or(N_LISTED);
    let text = request.text.as_deref().unwrap_or_default();
    let is_search = request.text.is_some();
    let terms = unique_words(text);
    // One more than asked for shows whether there are more.
    let n_read = if is_search { N_COMPARED.max(limit) } else { limit.saturating_add(1) };
    let about = About::Deliberations(filter);
    let search = Search { terms, about, limit: n_read, ..Search::default() };
    let mut lines: Vec<DeliberationLine> = Vec::new();
    if !is_search || !search.terms.is_empty() {
        let found = memory.store.search(&call.project, &search)?;
        let all = &found.deliberations;
        if is_search {
            let is_semantic = memory.settings.switch("semantic") != Some(false);
            let table = is_semantic.then(Table::built_in);
            let hits = deliberation::order(all, text, &found.corpus, table);
            lines.extend(hits.iter().map(|hit| DeliberationLine::hit(&all[hit.index], hit.score)));
        } else {
            lines.extend(all.iter().map(DeliberationLine::from));
        }
    }
    let has_more = lines.len() > limit;
    lines.truncate(limit);
    let is_empty = lines.is_empty();
    let body = Deliberations { deliberations: lines, has_more };
    Ok(Answer::of(body, Vec::new()).or_empty(is_empty))
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
    let is_it = |exact: bool| move |id: &str| if exact { id == name } else { id.starts_with(name) };
    let one = match &found[..] {
        [one] if is_it(false)(&one.id) && !name.is_empty() => one,
        all => all
            .iter()
            .find(|it| is_it(true)(&it.id))
            .ok_or_else(|| EngineError::NotFound { what: "deliberation", name: name.to_owned() })?,
    };
    Ok(Answer::of(DeliberationShown::from(one), Vec::new()))
}

/// Findings of all runs, the newest first.
pub fn findings_list(
    memory: &Memory,
    call: &Call,
    request: &FindingsRequest,
) -> Result<Answer<FindingsListed>, EngineError> {
    let query = FindingQuery::InState(request.state.into_iter().collect());
    let mut findings = memory.store.findings(&call.project, &query)?;
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    findings.retain(|it| {
        let path = it.place.as_ref().map(|place| place.path.as_str());
        request.path.as_deref().is_none_or(|asked| path.is_some_and(|own| is_below(own, asked)))
            && request.author.as_ref().is_none_or(|author| *author == it.author)
            && run.as_ref().is_none_or(|run| *run == it.run || *run == it.root)
    });
    findings.reverse();
    let limit = request.limit.unwrap_or(N_LISTED);
    let n_more = findings.len().saturating_sub(limit);
    findings.truncate(limit);
    let times = times(memory, call)?;
    let line = |it: &Finding| FindingLine::new(it, times.get(&it.run).copied());
    let body = FindingsListed { findings: findings.iter().map(line).collect(), n_more };
    Ok(Answer::of(body, Vec::new()).empty_if(|it| it.findings.is_empty()))
}

/// One finding, and where it was opened, closed and came back.
pub fn findings_show(
    memory: &Memory,
    call: &Call,
    name: &str,
) -> Result<Answer<FindingStory>, EngineError> {
    let all = memory.store.findings(&call.project, &FindingQuery::InState(Vec::new()))?;
    let mut named: Vec<&Finding> = all.iter().filter(|it| it.key.0.starts_with(name)).collect();
    named.dedup_by_key(|it| &it.key);
    let is_one = named.windows(2).all(|two| is_same(two[0], two[1]));
    let newest = named.last().filter(|_| is_one && !name.is_empty());
    let unknown = || EngineError::NotFound { what: "finding", name: name.to_owned() };
    let newest = newest.ok_or_else(unknown)?;
    let rows: Vec<&Finding> = all.iter().filter(|it| is_same(newest, it)).collect();
    let last = rows.last().copied().unwrap_or(newest);
    let times = times(memory, call)?;
    let at = |run: &RunId| times.get(run).copied();
    Ok(Answer::of(FindingStory::new(last, &life(&rows), &at), Vec::new()))
}

/// What was tried at an issue; with a text or a diff also whether that was tried before.
pub fn tried(
    memory: &Memory,
    call: &Call,
    issue: &str,
    is: Option<&str>,
) -> Result<Answer<Tried>, EngineError> {
    let attempts = attempts(memory, call, issue)?;
    let repeated = is.map_or(Vec::new(), |text| attempt::repeated(&attempts, text));
    let body = Tried::new(&issue_name(issue), &attempts, &repeated);
    Ok(Answer::of(body, Vec::new()).or_empty(attempts.is_empty()))
}

fn is_below(path: &str, asked: &str) -> bool {
    let asked = asked.trim_start_matches("./").trim_end_matches('/');
    path.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// When each run took place.
fn times(memory: &Memory, call: &Call) -> Result<BTreeMap<RunId, Timestamp>, EngineError> {
    let runs = memory.store.runs(&call.project, &RunQuery::default())?;
    Ok(runs.into_iter().map(|run| (run.id.clone(), run.began())).collect())
}
