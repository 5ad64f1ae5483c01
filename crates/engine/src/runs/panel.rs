//! What did a run teach, or a session? The account of whoever looked back, else what was done, and
//! the lessons that came of it.

use std::collections::BTreeSet;

use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_render::answer::{LessonsLearned, Named};
use hardwon_store::{JournalQuery, Tree};

use crate::lookup;
use crate::memory::{Call, Memory, Result};
use crate::runs::episodes::summary_of;
use crate::runs::learn::named;

/// How many runs of a session are told of in its summary, the newest last.
const N_TOLD: usize = 3;

/// Commands by which a lesson comes in without a run.
const STATED_BY: [&str; 2] = ["add", "import"];

/// A run that is looked back on, in its tree.
struct Past {
    run: Run,
    tree: Tree,
}

impl Past {
    /// What was found in it and below it.
    fn findings(&self) -> Vec<&Finding> {
        let below = self.tree.below(&self.run).into_iter().map(|run| &run.id);
        let ids: BTreeSet<&RunId> = below.chain([&self.run.id]).collect();
        self.tree.findings.iter().filter(|finding| ids.contains(&finding.run)).collect()
    }
}

/// What these runs taught, with all below them. Runs that memory does not know teach nothing.
pub fn learned(memory: &Memory, call: &Call, runs: &[RunId]) -> Result<LessonsLearned> {
    let mut past = Vec::new();
    for run in runs {
        let id = lookup::run_called(memory, call, run);
        let tree = memory.store.tree(&call.project, &id)?;
        let run = tree.runs.iter().find(|run| run.id == id).cloned();
        past.extend(run.map(|run| Past { run, tree }));
    }
    past.sort_by_cached_key(|it| (it.run.began(), it.run.id.clone()));
    let mut learned = told(memory, &past);
    (learned.created, learned.updated) = lessons_of(memory, call, &past)?;
    Ok(learned)
}

/// What all runs of a session taught.
pub fn learned_in_session(memory: &Memory, call: &Call, session: &str) -> Result<LessonsLearned> {
    let mut roots = lookup::roots_of_session(memory, call, session)?;
    roots.reverse();
    learned(memory, call, &roots)
}

/// In the words of those who looked back, else by what was done.
fn told(memory: &Memory, past: &[Past]) -> LessonsLearned {
    let mut accounts = past.iter().filter_map(|it| {
        let below = it.tree.below(&it.run).into_iter();
        let own = it.run.episode.account.as_ref();
        own.or_else(|| below.filter_map(|run| run.episode.account.as_ref()).next())
    });
    let Some(first) = accounts.next() else {
        let summary = |it: &Past| {
            let own = it.tree.findings.iter().filter(|finding| finding.run == it.run.id);
            summary_of(memory, &it.run, &it.tree, &own.cloned().collect::<Vec<_>>())
        };
        let told = past.iter().rev().map(summary).filter(|told| !told.is_empty());
        let mut told: Vec<String> = told.take(N_TOLD).collect();
        told.reverse();
        return LessonsLearned::told(&told.join(" "));
    };
    accounts.fold(LessonsLearned::accounted(&first.clone().into()), |mut learned, account| {
        let next = LessonsLearned::accounted(&account.clone().into());
        learned.by = next.by;
        learned.summary = format!("{} {}", learned.summary, next.summary);
        let lists = [
            (&mut learned.worked, next.worked),
            (&mut learned.failed, next.failed),
            (&mut learned.decisions, next.decisions),
        ];
        for (all, more) in lists {
            let new: Vec<String> = more.into_iter().filter(|line| !all.contains(line)).collect();
            all.extend(new);
        }
        learned
    })
}

/// Lessons that these runs started, and those that they saw again or put to the test.
fn lessons_of(memory: &Memory, call: &Call, past: &[Past]) -> Result<(Vec<Named>, Vec<Named>)> {
    let findings: Vec<&Finding> = past.iter().flat_map(Past::findings).collect();
    let seen: BTreeSet<&LessonId> =
        findings.iter().filter_map(|finding| finding.lesson.as_ref()).collect();
    let whole = past.iter().filter(|it| it.run.id == it.run.root);
    let effects = whole.flat_map(|it| &it.tree.effects).filter(|it| it.was_shown());
    let tested = effects.filter(|effect| effect.kind.is_trial()).map(|effect| &effect.lesson);
    let ids: BTreeSet<LessonId> = tested.chain(seen.iter().copied()).cloned().collect();
    let (mut created, mut updated) = (Vec::new(), Vec::new());
    for lesson in lookup::lessons_with(memory, &call.project, ids.into_iter().collect())? {
        let is_new = seen.contains(&lesson.id) && is_of(memory, call, &lesson, past)?;
        if is_new { created.push(named(&lesson)) } else { updated.push(named(&lesson)) }
    }
    Ok((created, updated))
}

/// Whether a lesson began in one of these: it was first seen there, and nobody had stated it.
fn is_of(memory: &Memory, call: &Call, lesson: &Lesson, past: &[Past]) -> Result<bool> {
    let evidence = lookup::evidence_of(memory, call, &lesson.id)?;
    let Some(first) = evidence.first() else { return Ok(false) };
    if !past.iter().any(|it| it.findings().iter().any(|finding| finding.run == first.run)) {
        return Ok(false);
    }
    let limit = Some(1);
    let query = JournalQuery { lesson: Some(lesson.id.clone()), limit, ..JournalQuery::default() };
    let entries = memory.store.journal(&call.project, &query)?;
    Ok(!entries.iter().any(|entry| STATED_BY.contains(&entry.head.command.as_str())))
}
