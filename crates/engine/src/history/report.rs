//! What is being learned, and does it help? Numbers and the lessons behind them.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::lift::{Pool, of_all};
use hardwon_core::run::Run;
use hardwon_render::answer::{self, Answer, Counts, Lift, Report, RunSummary, Stats};
use hardwon_store::{FindingQuery, LessonQuery, Pick, Tree, each_page};

use crate::lift;
use crate::memory::{Call, Memory, Result};

/// How many runs the report looks back.
const N_RUNS: u64 = 10;
/// How many lessons each part of the report names.
const N_LESSONS: usize = 10;

/// What memory holds, what works, what does not, and how the last runs went.
pub fn report(memory: &Memory, call: &Call) -> Result<Answer<Report>> {
    let shown = lift::shown(memory, call)?;
    let tried = |lesson: &&Lesson| lesson.effects.n_tried() > 0;
    let active = || shown.iter().filter(|lesson| lesson.is_injectable());
    let works = |lesson: &&Lesson| lesson.effects.usefulness() >= 0.5;
    let mut proven: Vec<Lesson> = active().filter(tried).filter(works).cloned().collect();
    proven.sort_by_key(|lesson| std::cmp::Reverse(lesson.effects.n_helped));
    let mut failing: Vec<Lesson> =
        active().filter(tried).filter(|lesson| !works(lesson)).cloned().collect();
    failing.sort_by_key(|lesson| std::cmp::Reverse(lesson.effects.n_tried()));
    for part in [&mut proven, &mut failing] {
        part.truncate(N_LESSONS);
    }
    let (runs, trees): (Vec<RunSummary>, Vec<Tree>) =
        recent_runs(memory, call, N_RUNS)?.into_iter().unzip();
    // Those that had proved themselves and failed in these.
    let effects = trees.iter().flat_map(|tree| &tree.effects);
    let regressed: BTreeSet<&LessonId> =
        effects.filter(|effect| effect.is_regression).map(|effect| &effect.lesson).collect();
    let has_regressed = |lesson: &&Lesson| regressed.contains(&lesson.id);
    let regressed = shown.iter().filter(has_regressed).take(N_LESSONS).cloned().collect();
    let lifts = lift::lifts(memory, call, &shown)?;
    let told = |lessons: Vec<Lesson>| {
        let told = |lesson| answer::Lesson::with_lift(lesson, lifts.get(&lesson.id));
        lessons.iter().map(told).collect()
    };
    let totals = memory.store.totals(&call.project)?;
    let pool = Pool::of(shown.iter().map(|lesson| &lesson.arms));
    let stats = Stats {
        counts: Counts::of(&totals, memory.store.status(&call.project)?.run_number),
        lift: of_all(&pool, &memory.policy.holdout).as_ref().map(Lift::from),
        ..Stats::default()
    };
    let report = Report {
        stats,
        proven: told(proven),
        failing: told(failing),
        regressed: told(regressed),
        untested: told(untested(memory, call)?),
        runs,
    };
    let report = report.with_lessons();
    let is_empty = totals.n_lessons == 0 && report.runs.is_empty();
    Ok(Answer::of(report, Vec::new()).or_empty(is_empty))
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
