//! Pages with many rows.

use hardwon_engine::answer::{Hit, Hits, Lesson, Lessons};
use hardwon_engine::scope::Dimension;
use hardwon_engine::{SearchRequest, lessons as all, overview, runs as past};
use hardwon_render::page::{self, LessonFilter, LessonList, LessonRow, Paging, RunFilter, RunList};

use super::super::api;
use super::super::desk::Lent;
use super::super::route::{Answered, Ask, known};
use super::super::trouble::Trouble;
use super::page;

/// Rows of one page.
const N_ROWS: usize = 50;

pub fn overview(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    let overview = overview::overview(&ask.house.desk.environment, open.memory(), &open.call)?.body;
    page(ask, &open, |shell| page::overview(shell, &overview))
}

/// Where this page stands, and where the next one begins.
fn paging<'a>(ask: &'a Ask<'_>, next: Option<&'a str>) -> Paging<'a> {
    let after = ask.query.get("after").unwrap_or_default();
    let previous = (!after.is_empty()).then_some("");
    Paging { after, previous, next, n_all: None }
}

pub fn lessons(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    let given = |name| ask.query.get(name).unwrap_or_default();
    let filter = LessonFilter {
        state: given("state"),
        kind: given("kind"),
        text: given("text"),
        tag: given("tag"),
        scope: given("scope"),
    };
    if filter.text.is_empty() {
        let (listed, next) = listed(ask, &open)?;
        let rows = listed.iter().map(|lesson| LessonRow { lesson, why: &[] }).collect();
        let list = LessonList { filter, rows, paging: paging(ask, next.as_deref()) };
        return page(ask, &open, |shell| page::lessons(shell, &list));
    }
    let hits = found(&open, &filter)?;
    let rows = hits.iter().map(|hit| LessonRow { lesson: &hit.lesson, why: &hit.why }).collect();
    let list = LessonList { rows, filter, paging: paging(ask, None) };
    page(ask, &open, |shell| page::lessons(shell, &list))
}

fn listed(ask: &Ask<'_>, open: &Lent<'_>) -> Result<(Vec<Lesson>, Option<String>), Trouble> {
    let mut request = api::list_request(ask, N_ROWS)?;
    if let Some((dimension, value)) = ask.query.get("scope").and_then(|it| it.split_once('=')) {
        let dimension = known(dimension, "a scope", Dimension::from_word)?;
        request.scope.push((dimension, value.to_owned()));
    }
    let Lessons { lessons, next, .. } = all::list(open.memory(), &open.call, &request)?.body;
    Ok((lessons, next))
}

/// What a search finds, of what the other filters let through.
fn found(open: &Lent<'_>, filter: &LessonFilter<'_>) -> Result<Vec<Hit>, Trouble> {
    let is_all = !filter.state.is_empty();
    let is_narrowed = [filter.state, filter.kind, filter.tag].iter().any(|it| !it.is_empty());
    let limit = if is_narrowed { 4 * N_ROWS } else { N_ROWS };
    let request = SearchRequest { text: filter.text.to_owned(), limit, is_all };
    let answer = all::search(open.memory(), &open.call, &request, &mut |_| None)?;
    let Hits { mut lessons, .. } = answer.body;
    lessons.retain(|hit| {
        let is = |wanted: &str, own: &str| wanted.is_empty() || wanted == own;
        let has_tag = filter.tag.is_empty() || hit.lesson.tags.iter().any(|tag| tag == filter.tag);
        is(filter.state, hit.lesson.state.word())
            && is(filter.kind, hit.lesson.kind.word())
            && has_tag
    });
    lessons.truncate(N_ROWS);
    Ok(lessons)
}

pub fn runs(ask: &mut Ask<'_>) -> Answered {
    let open = ask.reader()?;
    let request = api::runs_request(ask, N_ROWS)?;
    let listed = past::runs_list(open.memory(), &open.call, &request)?.body;
    let given = |name| ask.query.get(name).unwrap_or_default();
    let filter = RunFilter {
        outcome: given("outcome"),
        agent: given("agent"),
        session: given("session"),
        text: given("text"),
    };
    let list = RunList { filter, runs: &listed.runs, paging: paging(ask, listed.next.as_deref()) };
    page(ask, &open, |shell| page::runs(shell, &list))
}
