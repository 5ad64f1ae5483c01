//! A list of lessons with a tag or a scope that few have: looked up by what is indexed and counted,
//! instead of looking at every lesson.

use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::propose::MAX_READ_PER_TERM;
use hardwon_core::scope::Dimension;
use hardwon_core::words::unique_words;

use crate::query::each_page;
use crate::{LessonQuery, Pick, Position, Result, Search, Store};

/// What all lessons of a list have.
#[derive(Clone, Copy, Debug)]
pub struct Narrow<'a> {
    pub tags: &'a [String],
    pub scope: &'a [(Dimension, String)],
}

/// Lessons by prior, as long as `take` asks for more: page by page, or, where only few can have
/// what is asked for, those at once. Others may be among them.
pub fn each_narrowed(
    store: &dyn Store,
    project: &ProjectId,
    query: LessonQuery,
    narrow: Narrow<'_>,
    take: &mut dyn FnMut(Vec<Lesson>) -> bool,
) -> Result<()> {
    let few = match few_scoped(store, project, narrow.scope, &query.states)? {
        Some(few) => Some(few),
        None => few_tagged(store, project, narrow.tags)?,
    };
    let Some(pick) = few else {
        return each_page(store, project, query, &mut |page| Ok(take(page)));
    };
    let after = query.after.clone();
    let query = LessonQuery { pick, limit: None, after: None, ..query };
    let mut lessons = store.lessons(project, &query)?;
    lessons.retain(|lesson| after.as_ref().is_none_or(|it| it.cmp_to(lesson).is_lt()));
    lessons.sort_by(|a, b| Position::of(a).cmp_to(b));
    take(lessons);
    Ok(())
}

/// The lessons in the scope that is asked for. Which scopes there are is counted for what is not
/// put away.
fn few_scoped(
    store: &dyn Store,
    project: &ProjectId,
    scope: &[(Dimension, String)],
    states: &[State],
) -> Result<Option<Pick>> {
    let is_counted = !states.is_empty() && !states.iter().any(|state| state.is_put_away());
    if scope.is_empty() || !is_counted {
        return Ok(None);
    }
    let mut scopes = store.scopes(project)?;
    scopes.retain(|(own, _)| scope.iter().all(|(dimension, value)| own.has(*dimension, value)));
    if scopes.is_empty() {
        return Ok(Some(Pick::Ids(Vec::new())));
    }
    let n: u64 = scopes.iter().map(|(_, n)| n).sum();
    let is_few = n <= MAX_READ_PER_TERM as u64;
    Ok(is_few.then(|| Pick::Scoped(scopes.into_iter().map(|(scope, _)| scope).collect())))
}

/// The lessons that can have all these tags, where the index knows so few with a word of them
/// that it gives all; the words of tags are in it.
fn few_tagged(store: &dyn Store, project: &ProjectId, tags: &[String]) -> Result<Option<Pick>> {
    let terms: Vec<String> =
        tags.iter().flat_map(|tag| unique_words(&tag.to_lowercase())).collect();
    let find = |terms: &[String], limit| {
        store.search(project, &Search { terms: terms.to_vec(), limit, ..Search::default() })
    };
    let corpus = find(&terms, 1)?.corpus;
    let counted = terms.iter().map(|term| (corpus.df.get(term).copied().unwrap_or(0), term));
    match counted.min() {
        Some((0, _)) => Ok(Some(Pick::Ids(Vec::new()))),
        Some((n, term)) if n <= MAX_READ_PER_TERM as u64 => {
            let found = find(std::slice::from_ref(term), MAX_READ_PER_TERM)?.lessons;
            Ok(Some(Pick::Ids(found.into_iter().map(|lesson| lesson.id).collect())))
        }
        _ => Ok(None),
    }
}
