//! What is being learned, and does it help? Numbers and the lessons behind them.

use std::collections::BTreeMap;

use hardwon_core::change::{Change, LessonField};
use hardwon_core::effect::EffectKind;
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Kind, Lesson, State};
use hardwon_core::lift::{Pool, n_missing, of_all};
use hardwon_core::run::Run;
use hardwon_render::answer::{
    self, Answer, Counts, GivenUp, Lift, Report, RunSummary, Stats, Word,
};
use hardwon_store::{FindingQuery, LessonQuery, Pick, Tree, each_page};

use crate::lift;
use crate::lookup;
use crate::memory::{Call, Memory, Result};

/// How many runs the report looks back.
const N_RUNS: u64 = 10;
/// How many lessons each part of the report names.
const N_LESSONS: usize = 10;

/// What memory holds, what came of showing it, and how the last runs went.
pub fn report(memory: &Memory, call: &Call) -> Result<Answer<Report>> {
    let shown = lift::shown(memory, call)?;
    let active = |kind| {
        let is_it = move |lesson: &&Lesson| {
            lesson.is_injectable() && lesson.effects.gravest() == Some(kind)
        };
        let mut lessons: Vec<&Lesson> = shown.iter().filter(is_it).collect();
        lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.effects.n_tried()));
        lessons.into_iter().take(N_LESSONS).map(answer::Lesson::from).collect()
    };
    let totals = memory.store.totals(&call.project)?;
    let pool = Pool::of(shown.iter().map(|lesson| &lesson.arms));
    let stats = Stats {
        counts: Counts::of(&totals, memory.store.status(&call.project)?.run_number),
        lift: of_all(&pool).as_ref().map(Lift::from),
        n_missing: n_missing(&pool),
        ..Stats::default()
    };
    let report = Report {
        stats,
        lift_by_kind: by_kind(&shown),
        survived: active(EffectKind::Helped),
        came_back: active(EffectKind::NoHelp),
        contradicted: active(EffectKind::Contradicted),
        given_up: given_up(memory, call, &shown)?,
        untested: untested(memory, call)?.iter().map(answer::Lesson::from).collect(),
        runs: recent_runs(memory, call, N_RUNS)?.into_iter().map(|(run, _)| run).collect(),
    };
    let report = report.with_lessons();
    let is_empty = totals.n_lessons == 0 && report.runs.is_empty();
    Ok(Answer::of(report, Vec::new()).or_empty(is_empty))
}

/// The lift of each kind of lesson of which it is told.
fn by_kind(shown: &[Lesson]) -> BTreeMap<Word<Kind>, Lift> {
    let of = |kind: &Kind| {
        let own = shown.iter().filter(|lesson| lesson.kind == *kind);
        let lift = of_all(&Pool::of(own.map(|lesson| &lesson.arms)))?;
        lift.works().map(|_| (Word(*kind), Lift::from(&lift)))
    };
    Kind::ALL.iter().filter_map(of).collect()
}

/// What was shown and is put away or faded by now, the last first, each with the reason.
fn given_up(memory: &Memory, call: &Call, shown: &[Lesson]) -> Result<Vec<GivenUp>> {
    let is_it = |lesson: &&Lesson| matches!(lesson.state, State::Archived | State::Decayed);
    let mut lessons: Vec<&Lesson> = shown.iter().filter(is_it).collect();
    lessons.sort_by_key(|lesson| std::cmp::Reverse(lesson.updated_at));
    let told = |lesson: &Lesson| {
        let history = lookup::history_of(memory, call, &lesson.id)?;
        let because = history.into_iter().rev().find_map(|entry| match entry.change {
            Change::EditLesson { because, fields, .. } => {
                fields.iter().any(|it| matches!(it, LessonField::State(_))).then_some(because)
            }
            _ => None,
        });
        let (text, because) = (lesson.text.as_str().to_owned(), because.unwrap_or_default());
        Ok(GivenUp { lesson: lesson.id.clone().into(), text, because })
    };
    lessons.into_iter().take(N_LESSONS).map(told).collect()
}

/// The first that may be shown and were never put to the test.
fn untested(memory: &Memory, call: &Call) -> Result<Vec<Lesson>> {
    let mut untested = Vec::new();
    let query = LessonQuery { pick: Pick::Injectable, ..LessonQuery::default() };
    each_page(&*memory.store, &call.project, query, &mut |page| -> Result<bool> {
        untested.extend(page.into_iter().filter(|lesson| lesson.effects.n_tried() == 0));
        Ok(untested.len() < N_LESSONS)
    })?;
    untested.truncate(N_LESSONS);
    Ok(untested)
}

/// So many of the newest root runs, the newest first, each with its tree.
pub(crate) fn recent_runs(memory: &Memory, call: &Call, n: u64) -> Result<Vec<(RunSummary, Tree)>> {
    let newest = memory.store.status(&call.project)?.run_number;
    let from = newest.saturating_sub(n.saturating_sub(1));
    let runs = memory.store.numbered_runs(&call.project, from, newest)?;
    let roots = runs.into_iter().rev().filter(|run| run.parent.is_none());
    let mut first_seen = BTreeMap::new();
    let with_tree = |run: Run| {
        let tree = memory.store.tree(&call.project, &run.id)?;
        Ok((summary(memory, call, run, &tree, &mut first_seen)?, tree))
    };
    roots.map(with_tree).collect()
}

/// The root run in which each lesson was first seen.
type FirstSeen = BTreeMap<LessonId, Option<RunId>>;

fn summary(
    memory: &Memory,
    call: &Call,
    run: Run,
    tree: &Tree,
    first_seen: &mut FirstSeen,
) -> Result<RunSummary> {
    let mut n_repeats = 0;
    for finding in tree.findings.iter().filter(|finding| finding.is_sighting) {
        n_repeats += u64::from(is_repeat(memory, call, finding, &run, first_seen)?);
    }
    Ok(RunSummary::of(&run).with_counts(&tree.findings, &tree.effects, n_repeats))
}

/// Whether the finding's lesson had been seen in an earlier run.
fn is_repeat(
    memory: &Memory,
    call: &Call,
    finding: &Finding,
    run: &Run,
    first_seen: &mut FirstSeen,
) -> Result<bool> {
    let Some(lesson) = &finding.lesson else { return Ok(false) };
    if !first_seen.contains_key(lesson) {
        let query = FindingQuery::OfLesson(lesson.clone());
        // Oldest first.
        let evidence = memory.store.findings(&call.project, &query)?.into_iter();
        let first = evidence.filter(|evidence| evidence.is_sighting).map(|it| it.root).next();
        first_seen.insert(lesson.clone(), first);
    }
    Ok(first_seen[lesson].as_ref().is_some_and(|root| *root != run.root))
}
