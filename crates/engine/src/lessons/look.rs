//! Lessons as they are: by name, in lists, by their words, and everything about one.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::credit;
use hardwon_core::effect::Effect;
use hardwon_core::eligible::exclusion;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::jkz::state_word;
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::need::Need;
use hardwon_core::policy::RankOrder;
use hardwon_core::scope::Dimension;
use hardwon_core::search::{self, Blend, N_EMBEDDED, N_PROPOSED, Question, SearchRequest, order};
use hardwon_render::answer::{self, Answer, Hit, Hits, LessonFacts, LessonStory, Lessons};
use hardwon_store::{LessonQuery, Narrow, Position, Proposals, RunQuery, each_narrowed};

use crate::cursor;
use crate::lookup;
use crate::memory::{Call, Embed, EngineError, Memory, Result};

/// Which lessons to list.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Also what is put away.
    pub is_all: bool,
    pub states: Vec<State>,
    pub kinds: Vec<Kind>,
    pub scope: Vec<(Dimension, String)>,
    pub tags: Vec<String>,
    /// Words that must all occur.
    pub text: Option<String>,
    pub limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before.
    pub after: Option<String>,
}

/// Lists lessons, the most valuable first. What is put away only when asked for.
pub fn list(memory: &Memory, call: &Call, request: &ListRequest) -> Result<Answer<Lessons>> {
    let limit = request.limit.unwrap_or(usize::MAX);
    let states = match (request.states.is_empty(), request.is_all) {
        (false, _) => request.states.clone(),
        (true, true) => Vec::new(),
        (true, false) => State::ALL.iter().copied().filter(|s| !s.is_put_away()).collect(),
    };
    let is_filtered =
        !request.scope.is_empty() || !request.tags.is_empty() || request.text.is_some();
    let page = request.limit.filter(|_| !is_filtered).map(|limit| limit.saturating_add(1));
    let kinds = request.kinds.clone();
    let after = request.after.as_deref().map(position).transpose()?;
    let query = LessonQuery { states, kinds, limit: page, after, ..LessonQuery::default() };
    let of_task = seen_in_task(memory, call, request)?;
    let mut lessons = Vec::new();
    // A task is found by its runs as well.
    let has_task = request.scope.iter().any(|(dimension, _)| *dimension == Dimension::Task);
    let scope = if has_task { &[][..] } else { &request.scope };
    let narrow = Narrow { tags: &request.tags, scope };
    each_narrowed(&*memory.store, &call.project, query, narrow, &mut |page| {
        lessons.extend(page.into_iter().filter(|lesson| fits(lesson, request, &of_task)));
        // One more than asked for shows whether there are more.
        lessons.len() <= limit
    })?;
    let has_more = lessons.len() > limit;
    lessons.truncate(limit);
    let next = lessons.last().filter(|_| has_more).map(cursor_of);
    let mut lessons: Vec<answer::Lesson> = lessons.iter().map(answer::Lesson::from).collect();
    if matches!(memory.policy.ranking.order, RankOrder::Jkz(_)) {
        lessons.iter_mut().for_each(|lesson| lesson.jkz_state = state_word(lesson.state.0));
    }
    let listed = Answer::of(Lessons { lessons, has_more, next }, Vec::new());
    Ok(listed.empty_if(|it| it.lessons.is_empty()))
}

fn cursor_of(lesson: &Lesson) -> String {
    let Position { prior, id } = Position::of(lesson);
    cursor::written(prior.to_bits(), &[id.as_str()])
}

fn position(cursor: &str) -> Result<Position> {
    let (bits, [id]) = cursor::read(cursor)?;
    let prior = f64::from_bits(bits);
    if prior.is_nan() {
        return Err(EngineError::BadCursor { cursor: cursor.to_owned() });
    }
    Ok(Position { prior, id: LessonId::given(&id) })
}

/// Finds lessons by their words, best first, and says by which. `embed` gives the embeddings of
/// texts, if there is who makes some: they order the best.
pub fn search(
    memory: &Memory,
    call: &Call,
    request: &SearchRequest,
    embed: Embed<'_>,
) -> Result<Answer<Hits>> {
    let SearchRequest { ref text, limit, is_all } = *request;
    let question = Question::new(text);
    let n_proposed = limit.saturating_mul(4).clamp(N_PROPOSED, 1000).max(limit);
    let found = lookup::proposals(memory, call, question.terms(), false, n_proposed)?;
    let Proposals { mut lessons, corpus, .. } = found;
    lessons.retain(|lesson| is_all || !lesson.state.is_put_away());
    let mut hits = order(&lessons, &question, &corpus);
    let texts = hits.iter().take(N_EMBEDDED).map(|hit| lessons[hit.index].text.as_str().to_owned());
    let texts: Vec<String> = [text.clone()].into_iter().chain(texts).collect();
    if !hits.is_empty()
        && let Some(blend) = embed(&texts).and_then(|vectors| Blend::new(&vectors))
    {
        blend.reorder(&mut hits);
    }
    let has_more = hits.len() > limit;
    hits.truncate(limit);
    let hit = |hit: &search::Hit| Hit::new(answer::Lesson::from(&lessons[hit.index]), hit);
    let lessons: Vec<Hit> = hits.iter().map(hit).collect();
    let found = Hits { lessons, has_more, notes: Vec::new() };
    Ok(Answer::of(found, Vec::new()).empty_if(|it| it.lessons.is_empty()))
}

/// Everything about one lesson: evidence, showings, effects, history.
pub fn show(memory: &Memory, call: &Call, name: &str) -> Result<Answer<LessonStory>> {
    let lesson = lookup::lesson_named(memory, call, name)?;
    let evidence = lookup::evidence_of(memory, call, &lesson.id)?;
    // Of a global lesson, what other projects concluded is theirs.
    let effects = memory.store.effects(&call.project, std::slice::from_ref(&lesson.id))?;
    let own = effects.into_iter().filter(|(project, _)| *project == call.project);
    let effects: Vec<Effect> = own.map(|(_, effect)| effect).collect();
    let history = lookup::history_of(memory, call, &lesson.id)?;
    let injections = memory.store.injections(&call.project, &lesson.id)?;
    let mut named: BTreeSet<RunId> = evidence.iter().map(|f| f.run.clone()).collect();
    named.extend(effects.iter().map(|effect| effect.root.clone()));
    named.extend(injections.iter().map(|injection| injection.run.clone()));
    let (mut runs, mut companions) = (BTreeMap::new(), BTreeMap::new());
    for id in named {
        if !runs.contains_key(&id) {
            let tree = memory.store.tree(&call.project, &id)?;
            credit::count_companions(&lesson.id, &tree.effects, &tree.runs, &mut companions);
            runs.extend(tree.runs.into_iter().map(|run| (run.id.clone(), run)));
        }
    }
    let excluded = exclusion(&lesson, &Need::default(), &memory.policy.ranking);
    let excluded = excluded.map(|reason| lookup::told(memory, &lesson, reason).to_string());
    let others = companions.keys().cloned().collect();
    let others = lookup::lessons_with(memory, &call.project, others)?.into_iter();
    let companions = others.map(|other| (companions[&other.id], other));
    let companions = companions.map(|(n_runs, other)| (other, n_runs)).collect();
    let facts = LessonFacts {
        project: call.project.clone(),
        lesson,
        evidence,
        runs,
        injections,
        effects,
        companions,
        history,
        excluded,
    };
    Ok(Answer::of(LessonStory::from(&facts), Vec::new()))
}

/// What runs of the task that is asked for have shown: most of it holds for more than the task.
fn seen_in_task(memory: &Memory, call: &Call, request: &ListRequest) -> Result<BTreeSet<LessonId>> {
    let asked = request.scope.iter().find(|(dimension, _)| *dimension == Dimension::Task);
    let Some((_, task)) = asked else { return Ok(BTreeSet::new()) };
    let mut runs = memory.store.runs(&call.project, &RunQuery::default())?;
    runs.retain(|run| run.task.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(task)));
    let mut seen = BTreeSet::new();
    for root in runs.iter().map(|run| &run.root).collect::<BTreeSet<_>>() {
        let tree = memory.store.tree(&call.project, root)?;
        seen.extend(tree.findings.into_iter().filter_map(|finding| finding.lesson));
    }
    Ok(seen)
}

fn fits(lesson: &Lesson, request: &ListRequest, of_task: &BTreeSet<LessonId>) -> bool {
    let has_scope = |asked: &(Dimension, String)| {
        let is_seen = asked.0 == Dimension::Task && of_task.contains(&lesson.id);
        is_seen || lesson.scope.has(asked.0, &asked.1)
    };
    let has_tag = |tag: &String| lesson.tags.iter().any(|own| own.eq_ignore_ascii_case(tag));
    let text = lesson.text.as_str().to_lowercase();
    let has_text = request.text.as_ref().is_none_or(|words| {
        words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    });
    request.scope.iter().all(has_scope) && request.tags.iter().all(has_tag) && has_text
}
