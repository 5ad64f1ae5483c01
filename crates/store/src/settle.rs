//! What does a batch amount to? Worked out on copies of the rows it touches, before
//! anything is written: either the whole batch fits and says how each touched row
//! looks before and after, or nothing happened. Both stores write what comes out here,
//! so a change is refused by both or by none.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Batch, Change, Mismatch, Tables};
use hardwon_core::finding::FindingKey;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::text::{Text, TextId};

/// Identifies an injection within a project: run, role, need.
pub(crate) type InjectionKey = (RunId, String, String);

/// The rows that a batch touches.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub runs: BTreeSet<RunId>,
    pub findings: BTreeSet<(RunId, FindingKey)>,
    pub lessons: BTreeSet<LessonId>,
    pub injections: BTreeSet<InjectionKey>,
    pub effects: BTreeSet<(RunId, LessonId)>,
    pub tombstones: BTreeSet<(Option<ProjectId>, LessonId)>,
    pub projects: BTreeSet<ProjectId>,
}

/// A batch that fits.
#[derive(Debug)]
pub(crate) struct Settled {
    /// The touched rows as they are.
    pub before: Tables,
    /// The touched rows as they will be.
    pub after: Tables,
    /// For each change, whether it is one of a global lesson.
    pub is_global: Vec<bool>,
    pub touches_memory: bool,
}

impl Touched {
    pub(crate) fn of(changes: &[Change]) -> Self {
        let mut touched = Touched::default();
        changes.iter().for_each(|change| touched.add(change));
        touched
    }

    fn add(&mut self, change: &Change) {
        use Change::*;
        match change {
            AddRun { run } | RemoveRun { run } | EditRun { before: run, .. } => {
                self.runs.insert(run.id.clone());
            }
            AddFinding { finding }
            | RemoveFinding { finding }
            | EditFinding { before: finding, .. } => {
                self.findings.insert((finding.run.clone(), finding.key.clone()));
            }
            AddLesson { lesson, .. } | RemoveLesson { lesson, .. } => {
                self.lessons.insert(lesson.id.clone());
            }
            EditLesson { lesson, .. } => {
                self.lessons.insert(lesson.clone());
            }
            AddInjection { injection } | RemoveInjection { injection } => {
                self.injections.insert(injection.key());
            }
            AddEffect { effect } | RemoveEffect { effect } => {
                self.effects.insert((effect.root.clone(), effect.lesson.clone()));
            }
            AddTombstone { tombstone } | RemoveTombstone { tombstone } => {
                self.tombstones.insert(tombstone.key());
            }
            EditProject { before, .. } => {
                self.projects.insert(before.id.clone());
            }
            // Reaches rows that no change can name: each store looks for them itself.
            Erase { .. } => {}
        }
    }
}

/// Applies the changes to copies of the rows they touch. `before` holds exactly those
/// of the touched rows that exist.
pub(crate) fn settle(
    project: &ProjectId,
    changes: &[Change],
    before: Tables,
) -> Result<Settled, Mismatch> {
    let mut after = before.clone();
    let mut is_global = Vec::with_capacity(changes.len());
    for change in changes {
        keeps_its_key(change)?;
        is_global.push(is_of_global_lesson(project, change, &after.lessons)?);
        after.apply(project, change)?;
    }
    let touches_memory = changes.iter().any(Change::touches_memory);
    Ok(Settled { before, after, is_global, touches_memory })
}

/// The changes with every body that `known` still has, so that they compare with the
/// tables whether they were made afresh or read from a journal.
pub(crate) fn filled<E>(
    batch: &Batch,
    mut known: impl FnMut(&TextId) -> Result<Option<String>, E>,
) -> Result<Vec<Change>, E> {
    let mut changes = batch.changes.clone();
    let mut failed = None;
    let mut fill = |text: &mut Text| {
        if text.body().is_some() || failed.is_some() {
            return;
        }
        match known(text.id()) {
            Ok(Some(body)) => drop(text.fill(&body)),
            Ok(None) => {}
            Err(error) => failed = Some(error),
        }
    };
    changes.iter_mut().for_each(|change| change.for_each_text(&mut fill));
    failed.map_or(Ok(changes), Err)
}

/// The changes as they can be written: an erasure also takes what the store alone can
/// find, and leaves what another lesson still says.
pub(crate) fn widened<E>(
    changes: Vec<Change>,
    mut shown_or_seen: impl FnMut(&LessonId) -> Result<BTreeSet<TextId>, E>,
    mut is_of_other: impl FnMut(&TextId, &LessonId) -> Result<bool, E>,
) -> Result<Vec<Change>, E> {
    let mut widened = Vec::with_capacity(changes.len());
    for change in changes {
        widened.push(match change {
            Change::Erase { mut erasure } => {
                let mut texts = shown_or_seen(&erasure.lesson)?;
                texts.append(&mut erasure.texts);
                for text in texts {
                    if !is_of_other(&text, &erasure.lesson)? {
                        erasure.texts.insert(text);
                    }
                }
                Change::Erase { erasure }
            }
            other => other,
        });
    }
    Ok(widened)
}

/// An edit that moved a row to another key would leave the tables lying about it.
fn keeps_its_key(change: &Change) -> Result<(), Mismatch> {
    let keeps = match change {
        Change::EditRun { before, after } => before.id == after.id,
        Change::EditFinding { before, after } => {
            (&before.run, &before.key) == (&after.run, &after.key)
        }
        Change::EditProject { before, after } => before.id == after.id,
        Change::AddRun { .. }
        | Change::RemoveRun { .. }
        | Change::AddFinding { .. }
        | Change::RemoveFinding { .. }
        | Change::AddLesson { .. }
        | Change::RemoveLesson { .. }
        | Change::EditLesson { .. }
        | Change::AddInjection { .. }
        | Change::RemoveInjection { .. }
        | Change::AddEffect { .. }
        | Change::RemoveEffect { .. }
        | Change::AddTombstone { .. }
        | Change::RemoveTombstone { .. }
        | Change::Erase { .. } => true,
    };
    if keeps { Ok(()) } else { Err(Mismatch::new("an edited row", "key")) }
}

/// Whether it changes a global lesson. A batch may change lessons of its own project
/// and global ones; any other is refused here.
pub(crate) fn is_of_global_lesson(
    project: &ProjectId,
    change: &Change,
    lessons: &BTreeMap<LessonId, Lesson>,
) -> Result<bool, Mismatch> {
    let lesson: &Lesson = match change {
        Change::AddLesson { lesson, .. } | Change::RemoveLesson { lesson, .. } => lesson,
        Change::EditLesson { lesson, .. } => match lessons.get(lesson) {
            Some(lesson) => lesson,
            None => return Err(Mismatch::new(lesson, "existence")),
        },
        Change::AddRun { .. }
        | Change::RemoveRun { .. }
        | Change::EditRun { .. }
        | Change::AddFinding { .. }
        | Change::RemoveFinding { .. }
        | Change::EditFinding { .. }
        | Change::AddInjection { .. }
        | Change::RemoveInjection { .. }
        | Change::AddEffect { .. }
        | Change::RemoveEffect { .. }
        | Change::EditProject { .. } => return Ok(false),
        Change::AddTombstone { tombstone } | Change::RemoveTombstone { tombstone } => {
            return is_global(project, tombstone.project.as_ref(), &tombstone.lesson);
        }
        Change::Erase { erasure } => return Ok(erasure.is_global),
    };
    is_global(project, lesson.project.as_ref(), &lesson.id)
}

fn is_global(
    project: &ProjectId,
    owner: Option<&ProjectId>,
    lesson: &LessonId,
) -> Result<bool, Mismatch> {
    match owner {
        None => Ok(true),
        Some(owner) if owner == project => Ok(false),
        Some(_) => Err(Mismatch::new(lesson, "project")),
    }
}
