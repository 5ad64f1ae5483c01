//! What does a batch amount to? Computed on copies of the rows it touches, before
//! anything is written: either the whole batch fits, and each touched row is known before
//! and after, or nothing happened. Both stores write this result, so a change is refused by
//! both or by none.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::attempt::Attempt;
use hardwon_core::change::{Batch, Change, Mismatch, Row, Tables, Tombstone, Worded};
use hardwon_core::consult::Consultation;
use hardwon_core::deliberation::Deliberation;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::Finding;
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;
use hardwon_core::text::{Text, TextId};

/// Keys of the rows that a batch touches.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub runs: BTreeSet<<Run as Row>::Key>,
    pub findings: BTreeSet<<Finding as Row>::Key>,
    pub lessons: BTreeSet<LessonId>,
    pub injections: BTreeSet<<Injection as Row>::Key>,
    pub effects: BTreeSet<<Effect as Row>::Key>,
    pub deliberations: BTreeSet<<Deliberation as Row>::Key>,
    pub attempts: BTreeSet<<Attempt as Row>::Key>,
    pub consultations: BTreeSet<<Consultation as Row>::Key>,
    pub tombstones: BTreeSet<<Tombstone as Row>::Key>,
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
    pub(crate) fn by(changes: &[Change], project: &ProjectId) -> Self {
        use Change::*;
        let mut touched = Touched::default();
        for change in changes {
            match change {
                AddRun { run } | RemoveRun { run } => touched.runs.insert(run.key_in(project)),
                EditRun { before, .. } => touched.runs.insert(before.key_in(project)),
                AddFinding { finding } | RemoveFinding { finding } => {
                    touched.findings.insert(finding.key_in(project))
                }
                EditFinding { before, .. } => touched.findings.insert(before.key_in(project)),
                AddLesson { lesson, .. } | RemoveLesson { lesson, .. } => {
                    touched.lessons.insert(lesson.id.clone())
                }
                EditLesson { lesson, .. } => touched.lessons.insert(lesson.clone()),
                AddInjection { injection } | RemoveInjection { injection } => {
                    touched.injections.insert(injection.key_in(project))
                }
                AddEffect { effect } | RemoveEffect { effect } => {
                    touched.effects.insert(effect.key_in(project))
                }
                AddDeliberation { deliberation } | RemoveDeliberation { deliberation } => {
                    touched.deliberations.insert(deliberation.key_in(project))
                }
                AddAttempt { attempt } | RemoveAttempt { attempt } => {
                    touched.attempts.insert(attempt.key_in(project))
                }
                AddConsultation { consultation } | RemoveConsultation { consultation } => {
                    touched.consultations.insert(consultation.key_in(project))
                }
                EditConsultation { before, .. } => {
                    touched.consultations.insert(before.key_in(project))
                }
                AddTombstone { tombstone } | RemoveTombstone { tombstone } => {
                    touched.tombstones.insert(tombstone.key())
                }
                EditProject { before, .. } => touched.projects.insert(before.id.clone()),
                // Says something of no row.
                EditFile { .. } => false,
                // Reaches rows that no change can name: each store looks for them itself.
                Erase { .. } => false,
            };
        }
        touched
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
    mut said_by_others: impl FnMut(&BTreeSet<TextId>, &LessonId) -> Result<BTreeSet<TextId>, E>,
) -> Result<Vec<Change>, E> {
    let mut widened = Vec::with_capacity(changes.len());
    for change in changes {
        widened.push(match change {
            Change::Erase { mut erasure } => {
                let mut texts = shown_or_seen(&erasure.lesson)?;
                texts.append(&mut erasure.texts);
                let kept = said_by_others(&texts, &erasure.lesson)?;
                erasure.texts = texts.difference(&kept).cloned().collect();
                Change::Erase { erasure }
            }
            other => other,
        });
    }
    Ok(widened)
}

/// An edit must not move a row to another key.
fn keeps_its_key(change: &Change) -> Result<(), Mismatch> {
    use Change::*;
    let keeps = match change {
        EditRun { before, after } => before.id == after.id,
        EditFinding { before, after } => (&before.run, &before.key) == (&after.run, &after.key),
        EditProject { before, after } => before.id == after.id,
        EditConsultation { before, after } => before.id == after.id,
        _ => true,
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
    use Change::*;
    let (owner, lesson) = match change {
        AddLesson { lesson, .. } | RemoveLesson { lesson, .. } => (&lesson.project, &lesson.id),
        EditLesson { lesson, .. } => {
            let known = lessons.get(lesson);
            (&known.ok_or_else(|| Mismatch::new(lesson, "existence"))?.project, lesson)
        }
        AddTombstone { tombstone } | RemoveTombstone { tombstone } => {
            (&tombstone.project, &tombstone.lesson)
        }
        Erase { erasure } => return Ok(erasure.is_global),
        _ => return Ok(false),
    };
    match owner {
        None => Ok(true),
        Some(owner) if owner == project => Ok(false),
        Some(_) => Err(Mismatch::new(lesson, "project")),
    }
}

/// A key, what stood there, and what is to stand there.
pub(crate) type Difference<'a, K, V> = (&'a K, Option<&'a V>, Option<&'a V>);

/// Keys whose rows differ, with both versions.
pub(crate) fn differing<'a, K: Ord, V: PartialEq>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> Vec<Difference<'a, K, V>> {
    let added = after.iter().filter(|(key, _)| !before.contains_key(key));
    let added = added.map(|(key, row)| (key, None, Some(row)));
    let others = before.iter().map(|(key, row)| (key, Some(row), after.get(key)));
    others.filter(|(_, was, is)| was != is).chain(added).collect()
}
