//! What agents answered, what they found and what was tried, to be looked up. Reads only.

use std::collections::BTreeMap;

use hardwon_core::attempt::tell::repeated;
use hardwon_core::deliberation::DeliberationFilter;
pub use hardwon_core::deliberation::search::DeliberationsRequest;
use hardwon_core::deliberation::search::compared;
use hardwon_core::event::issue_name;
use hardwon_core::finding::life;
pub use hardwon_core::finding::life::FindingsRequest;
use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::ids::RunId;
use hardwon_core::search::Blend;
use hardwon_core::time::Timestamp;
use hardwon_render::answer::{
    Answer, DeliberationLine, DeliberationShown, Deliberations, FindingLine, FindingStory,
    FindingsListed, Tried,
};
use hardwon_store::{About, FindingPage, FindingPlace, FindingQuery, RunQuery, Search};

use crate::cursor;
use crate::lookup;
use crate::memory::{Call, Embed, EngineError, Memory, Result};
use crate::runs::episodes::N_LISTED;

/// What agents answered: the newest first, or what answers a search best. `embed` gives the
/// embeddings of texts, if there is who makes some.
pub fn deliberations(
    memory: &Memory,
    call: &Call,
    request: &DeliberationsRequest,
    embed: Embed<'_>,
) -> Result<Answer<Deliberations>> {
    let limit = request.limit.unwrap_or(N_LISTED);
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    let about = About::Deliberations(DeliberationFilter { run, ..request.filter(call.now) });
    let Some(terms) = request.terms() else {
        return Ok(Answer::of(Deliberations::default(), Vec::new()).or_empty(true));
    };
    let search = Search { terms, about, limit: request.n_read(limit), ..Search::default() };
    let found = memory.store.search(&call.project, &search)?;
    let read = &found.deliberations;
    let blend = request.text.as_ref().filter(|_| !read.is_empty()).and_then(|text| {
        let texts = read.iter().map(compared);
        let texts: Vec<String> = [text.clone()].into_iter().chain(texts).collect();
        Blend::new(&embed(&texts)?)
    });
    let placed = request.answer(read, &found.corpus, blend.as_ref());
    let shown = placed.iter().take(limit);
    let line = |(at, score): &(usize, _)| DeliberationLine::new(&found.deliberations[*at], *score);
    let has_more = placed.len() > limit;
    let body = Deliberations { deliberations: shown.map(line).collect(), has_more };
    Ok(Answer::of(body, Vec::new()).or_empty(placed.is_empty()))
}

/// One of them with its response; the name is any unique beginning of its id.
pub fn deliberation(memory: &Memory, call: &Call, name: &str) -> Result<Answer<DeliberationShown>> {
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
) -> Result<Answer<FindingsListed>> {
    let run = request.run.as_ref().map(|run| memory.safe_run(run));
    let request = &FindingsRequest { run, ..request.clone() };
    let limit = request.limit.unwrap_or(N_LISTED);
    let mut found = newest_findings(memory, call, request, limit.saturating_add(N_COUNTED))?;
    let n_more = found.len().saturating_sub(limit) as u64;
    found.truncate(limit);
    let mut times = Times::default();
    let mut lines = Vec::with_capacity(found.len());
    for finding in &found {
        lines.push(FindingLine::new(finding, times.of(memory, call, &finding.run)?));
    }
    let next = match found.last().filter(|_| n_more > 0) {
        Some(last) => Some(cursor_of(last, times.of(memory, call, &last.run)?)),
        None => None,
    };
    let body = FindingsListed { findings: lines, n_more, next };
    Ok(Answer::of(body, Vec::new()).or_empty(found.is_empty()))
}

/// How many more are counted.
const N_COUNTED: usize = 1000;

/// So many of those that are asked for, the newest first. Where a path is asked for, which no
/// index knows, page by page until there are enough.
fn newest_findings(
    memory: &Memory,
    call: &Call,
    request: &FindingsRequest,
    n: usize,
) -> Result<Vec<Finding>> {
    let mut page = FindingPage {
        state: request.state,
        author: request.author.clone(),
        run: request.run.clone(),
        before: request.after.as_deref().map(place).transpose()?,
        limit: n.max(1),
    };
    let mut found: Vec<Finding> = Vec::new();
    let mut times = Times::default();
    loop {
        let read = memory.store.findings(&call.project, &FindingQuery::Newest(page.clone()))?;
        let is_last = read.len() < page.limit;
        if let Some(oldest) = read.first() {
            let at = times.of(memory, call, &oldest.run)?;
            let (run, key) = (oldest.run.clone(), oldest.key.clone());
            page.before = Some(FindingPlace { at, run, key });
        }
        found.extend(read.into_iter().rev().filter(|it| request.admits(it)));
        if is_last || found.len() >= n {
            found.truncate(n);
            return Ok(found);
        }
    }
}

/// When runs took place, each looked up once; none of a run that was never recorded.
#[derive(Default)]
struct Times(BTreeMap<RunId, Option<Timestamp>>);

impl Times {
    fn of(&mut self, memory: &Memory, call: &Call, run: &RunId) -> Result<Option<Timestamp>> {
        if !self.0.contains_key(run) {
            let runs = memory.store.tree(&call.project, run)?.runs.into_iter();
            self.0.extend(runs.map(|run| (run.id.clone(), Some(run.began()))));
        }
        Ok(*self.0.entry(run.clone()).or_default())
    }
}

fn cursor_of(finding: &Finding, at: Option<Timestamp>) -> String {
    // Times are far from the ends of their range.
    let at = at.map_or(0, |at| (at.0 as u64).wrapping_add(1));
    cursor::written(at, &[finding.run.as_str(), &finding.key.0])
}

fn place(cursor: &str) -> Result<FindingPlace> {
    let (at, [run, key]) = cursor::read(cursor)?;
    let at = (at != 0).then(|| Timestamp(at.wrapping_sub(1) as i64));
    let bad = |_| EngineError::BadCursor { cursor: cursor.to_owned() };
    Ok(FindingPlace { at, run: RunId::parse(&run).map_err(bad)?, key: FindingKey(key) })
}

/// One finding, and where it was opened, closed and came back.
pub fn findings_show(memory: &Memory, call: &Call, name: &str) -> Result<Answer<FindingStory>> {
    let all = memory.store.findings(&call.project, &FindingQuery::InState(Vec::new()))?;
    let unknown = || EngineError::NotFound { what: "finding", name: name.to_owned() };
    let (newest, life) = life::named(&all, name).ok_or_else(unknown)?;
    let runs = memory.store.runs(&call.project, &RunQuery::default())?;
    let times: BTreeMap<&RunId, Timestamp> =
        runs.iter().map(|run| (&run.id, run.began())).collect();
    let at = |run: &RunId| times.get(run).copied();
    Ok(Answer::of(FindingStory::new(newest, &life, &at), Vec::new()))
}

/// What was tried at an issue; with a text or a diff also whether that was tried before.
pub fn tried(memory: &Memory, call: &Call, issue: &str, is: Option<&str>) -> Result<Answer<Tried>> {
    let attempts = lookup::attempts(memory, call, issue)?;
    let repeated = is.map_or(Vec::new(), |text| repeated(&attempts, text));
    let name = memory.gate.word(&issue_name(issue)).unwrap_or_default();
    let body = Tried::new(&name, &attempts, &repeated);
    Ok(Answer::of(body, Vec::new()).or_empty(attempts.is_empty()))
}
