//! Memory from one layout to another: everything that a store knows about a project, as
//! changes for another store. What the other layout has no place for is kept beside it,
//! and said.

mod export;
mod import;

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::effect::{Effect, Injection, Shown};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::transfer::Moved;
use hardwon_engine::{Call, EngineError, Memory, lookup};
use hardwon_store::{FindingQuery, LessonQuery, Store, StoreError};

pub use export::export;
pub use import::{LayoutName, import};

/// All rows of one project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holdings {
    pub lessons: Vec<Lesson>,
    pub runs: Vec<Run>,
    pub findings: Vec<Finding>,
    pub injections: Vec<Injection>,
    pub effects: Vec<Effect>,
}

impl Holdings {
    /// All that there is.
    pub fn of_tables(tables: &Tables) -> Holdings {
        Holdings {
            lessons: tables.lessons.values().cloned().collect(),
            runs: tables.runs.values().cloned().collect(),
            findings: tables.findings.values().cloned().collect(),
            injections: tables.injections.values().cloned().collect(),
            effects: tables.effects.values().cloned().collect(),
        }
    }

    /// Reads them, lesson by lesson and run by run: a store has no other way.
    pub fn of(store: &dyn Store, project: &ProjectId) -> Result<Holdings, StoreError> {
        let mut lessons = store.lessons(project, &LessonQuery::default())?;
        lessons.retain(|lesson| lesson.project.is_some());
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
        Ok(holdings)
    }
}

/// What lessons of another store are called in this one: the same kind and text is
/// the same lesson, but two records that say the same stay two.
fn ids_for(
    memory: &Memory,
    call: &Call,
    lessons: &[Lesson],
) -> Result<BTreeMap<LessonId, LessonId>, EngineError> {
    let mut ids: BTreeMap<LessonId, LessonId> = BTreeMap::new();
    let mut taken: BTreeSet<LessonId> = BTreeSet::new();
    for lesson in lessons {
        let (project, text) = (Some(&call.project), lesson.text.as_str());
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

/// The changes for runs of another store that this one does not have.
fn runs_to_add(
    memory: &Memory,
    call: &Call,
    moved: &Moved<'_>,
    holdings: &Holdings,
) -> Result<Vec<Change>, EngineError> {
    let mut known = BTreeSet::new();
    let injected = holdings.injections.iter().map(|injection| &injection.run);
    for run in holdings.runs.iter().map(|run| &run.root).chain(injected) {
        let tree = memory.store.tree(&call.project, run)?;
        if !tree.runs.is_empty() || !tree.injections.is_empty() {
            known.insert(run.clone());
        }
    }
    Ok(moved_runs(moved, holdings, |run| known.contains(run)))
}

/// The changes for runs that the other store does not have, with all about them.
fn moved_runs(
    moved: &Moved<'_>,
    holdings: &Holdings,
    is_known: impl Fn(&RunId) -> bool,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let roots: BTreeMap<&RunId, &RunId> =
        holdings.runs.iter().map(|run| (&run.id, &run.root)).collect();
    let is_new = |run: &RunId| !is_known(roots.get(run).copied().unwrap_or(run));
    for run in holdings.runs.iter().filter(|run| is_new(&run.id)) {
        let number = run.number.map(|number| number + moved.after);
        changes.push(Change::AddRun { run: Box::new(Run { number, ..run.clone() }) });
    }
    for finding in holdings.findings.iter().filter(|finding| is_new(&finding.run)) {
        let lesson = finding.lesson.as_ref().map(|id| moved.id(id));
        let finding = Box::new(Finding { lesson, ..finding.clone() });
        changes.push(Change::AddFinding { finding });
    }
    for injection in holdings.injections.iter().filter(|i| is_new(&i.run)) {
        let shown = injection.shown.iter();
        let shown = shown.map(|s| Shown { lesson: moved.id(&s.lesson), ..s.clone() });
        let held_out = injection.held_out.iter().map(|id| moved.id(id)).collect();
        let injection = Injection { shown: shown.collect(), held_out, ..injection.clone() };
        changes.push(Change::AddInjection { injection });
    }
    for effect in holdings.effects.iter().filter(|effect| is_new(&effect.root)) {
        let (lesson, run_number) = (moved.id(&effect.lesson), effect.run_number + moved.after);
        let effect = Effect { lesson, run_number, ..effect.clone() };
        changes.push(Change::AddEffect { effect });
    }
    changes
}
