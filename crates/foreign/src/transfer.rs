//! Memory from one layout to another: everything that a store knows about a project, as
//! changes for another store. What the other layout has no place for is kept beside it,
//! and reported.

mod again;
mod export;
mod import;

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Change;
use hardwon_core::effect::{Effect, Injection, Shown};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::reflect::Pattern;
use hardwon_core::run::Run;
use hardwon_core::transfer::{Moved, without_typed};
use hardwon_engine::{Call, Memory, Result, lookup};
use hardwon_store::{FindingQuery, LessonQuery, Store, StoreError};

use crate::Reach;
use crate::store::Holdings;
pub use export::export;
pub use import::{LayoutName, import};

/// All rows of one project, read lesson by lesson and run by run: a store has no other way.
fn holdings_of(
    store: &dyn Store,
    project: &ProjectId,
    reach: Reach,
) -> Result<Holdings, StoreError> {
    let mut lessons = store.lessons(project, &LessonQuery::default())?;
    let is_meant = |lesson: &Lesson| lesson.project.is_some() || reach == Reach::Everywhere;
    // What one person typed is not for others before it is approved.
    lessons.retain(|lesson| is_meant(lesson) && !lesson.is_personal());
    let newest = store.status(project)?.run_number;
    let numbered = store.numbered_runs(project, 0, newest)?;
    let mut wanted: BTreeSet<RunId> = numbered.into_iter().map(|run| run.root).collect();
    for lesson in &lessons {
        let shown = store.injections(project, &lesson.id)?;
        wanted.extend(shown.into_iter().map(|injection| injection.run));
        let seen = store.findings(project, &FindingQuery::OfLesson(lesson.id.clone()))?;
        wanted.extend(seen.into_iter().map(|finding| finding.root));
    }
    let mut holdings = Holdings { lessons, ..Holdings::default() };
    let mut known: BTreeSet<RunId> = BTreeSet::new();
    for run in wanted {
        let tree = store.tree(project, &run)?;
        let root = tree.runs.first().map_or(run, |run| run.root.clone());
        if known.insert(root) {
            holdings.runs.extend(tree.runs);
            holdings.findings.extend(tree.findings);
            holdings.injections.extend(tree.injections);
            holdings.effects.extend(tree.effects);
        }
    }
    let Holdings { lessons, findings, runs, .. } = &mut holdings;
    findings.retain(|finding| {
        let is_wish = finding.rule == Some(Pattern::Correction.rule());
        !is_wish || lessons.iter().any(|lesson| Some(&lesson.id) == finding.lesson.as_ref())
    });
    runs.iter_mut().for_each(without_typed);
    Ok(holdings)
}

/// The ids of another store's lessons in this one, some of which are known: the same kind and
/// text is the same lesson, but two records that say the same stay two.
fn ids_for(
    memory: &Memory,
    call: &Call,
    lessons: &[Lesson],
    known: BTreeMap<LessonId, LessonId>,
) -> Result<BTreeMap<LessonId, LessonId>> {
    let mut taken: BTreeSet<LessonId> = known.values().cloned().collect();
    let mut ids = known;
    for lesson in lessons {
        if ids.contains_key(&lesson.id) {
            continue;
        }
        let project = lesson.project.as_ref().map(|_| &call.project);
        let text = lesson.text.as_str();
        let mut id = lookup::free_id(memory, call, project, lesson.kind, text)?;
        if taken.contains(&id) {
            let is_taken = |id: &LessonId| taken.contains(id);
            id = LessonId::derive(project, lesson.kind.word(), text, is_taken);
        }
        taken.insert(id.clone());
        ids.insert(lesson.id.clone(), id);
    }
    Ok(ids)
}

/// The changes for runs of another store that this one does not have, with all about them.
fn runs_to_add(
    memory: &Memory,
    call: &Call,
    moved: &Moved<'_>,
    holdings: &Holdings,
) -> Result<Vec<Change>> {
    let mut known = BTreeSet::new();
    let injected = holdings.injections.iter().map(|injection| &injection.run);
    for run in holdings.runs.iter().map(|run| &run.root).chain(injected) {
        let tree = memory.store.tree(&call.project, run)?;
        if !tree.runs.is_empty() || !tree.injections.is_empty() {
            known.insert(run);
        }
    }
    let roots: BTreeMap<&RunId, &RunId> =
        holdings.runs.iter().map(|run| (&run.id, &run.root)).collect();
    let is_new = |run: &RunId| !known.contains(roots.get(run).copied().unwrap_or(run));
    let runs = holdings.runs.iter().filter(|run| is_new(&run.id)).map(|run| {
        let number = run.number.map(|number| number + moved.after);
        Change::AddRun { run: Box::new(Run { number, ..run.clone() }) }
    });
    let findings = holdings.findings.iter().filter(|finding| is_new(&finding.run)).map(|finding| {
        let lesson = finding.lesson.as_ref().map(|id| moved.id(id));
        Change::AddFinding { finding: Box::new(Finding { lesson, ..finding.clone() }) }
    });
    let injections = holdings.injections.iter().filter(|i| is_new(&i.run)).map(|injection| {
        let shown = injection.shown.iter();
        let shown = shown.map(|s| Shown { lesson: moved.id(&s.lesson), ..s.clone() }).collect();
        let held_out = injection.held_out.iter().map(|id| moved.id(id)).collect();
        Change::AddInjection { injection: Injection { shown, held_out, ..injection.clone() } }
    });
    let effects = holdings.effects.iter().filter(|effect| is_new(&effect.root)).map(|effect| {
        let (lesson, run_number) = (moved.id(&effect.lesson), effect.run_number + moved.after);
        Change::AddEffect { effect: Effect { lesson, run_number, ..effect.clone() } }
    });
    Ok(runs.chain(findings).chain(injections).chain(effects).collect())
}

fn n_runs(changes: &[Change]) -> u64 {
    changes.iter().filter(|change| matches!(change, Change::AddRun { .. })).count() as u64
}
