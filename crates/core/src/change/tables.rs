//! What the journal amounts to: the tables, as plain maps. The memory store *is*
//! this; other stores are compared with it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use crate::attempt::Attempt;
use crate::change::{Change, Erasure, Tombstone, Worded};
use crate::consult::Consultation;
use crate::deliberation::Deliberation;
use crate::effect::{Effect, Injection};
use crate::finding::{Finding, FindingKey};
use crate::ids::{LessonId, ProjectId, RunId};
use crate::lesson::Lesson;
use crate::project::Project;
use crate::run::Run;

/// A change that does not fit the state it meets: nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} of {thing} is not as the change found it")]
pub struct Mismatch {
    pub thing: String,
    /// Which part of it is not as expected.
    pub part: &'static str,
}

impl Mismatch {
    pub fn new(thing: impl fmt::Display, part: &'static str) -> Self {
        Mismatch { thing: thing.to_string(), part }
    }
}

/// Identifies an injection within a project: run, role, need.
pub type InjectionKey = (RunId, String, String);

/// A row of a table.
pub trait Row: Clone + PartialEq {
    /// What identifies it in its table.
    type Key: Ord + Clone;

    /// Its key, as a row of this project.
    fn key_in(&self, project: &ProjectId) -> Self::Key;

    /// What messages call it.
    fn name(&self) -> String;
}

/// The whole state. Same journal, same tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    pub runs: BTreeMap<<Run as Row>::Key, Run>,
    pub findings: BTreeMap<<Finding as Row>::Key, Finding>,
    pub lessons: BTreeMap<LessonId, Lesson>,
    pub injections: BTreeMap<<Injection as Row>::Key, Injection>,
    pub effects: BTreeMap<<Effect as Row>::Key, Effect>,
    pub deliberations: BTreeMap<<Deliberation as Row>::Key, Deliberation>,
    pub attempts: BTreeMap<<Attempt as Row>::Key, Attempt>,
    pub consultations: BTreeMap<<Consultation as Row>::Key, Consultation>,
    /// By owner (`None` = global) and lesson.
    pub tombstones: BTreeMap<<Tombstone as Row>::Key, Tombstone>,
    /// Those that have a description; none of them bare.
    pub projects: BTreeMap<ProjectId, Project>,
}

impl Tables {
    /// Applies one change of a project. On a mismatch nothing was changed.
    pub fn apply(&mut self, project: &ProjectId, change: &Change) -> Result<(), Mismatch> {
        use Change::*;
        let Tables { runs, findings, lessons, injections, effects, tombstones, .. } = self;
        match change {
            AddRun { run } => add(runs, project, run),
            RemoveRun { run } => remove(runs, project, run),
            EditRun { before, after } => edit(runs, project, before, after),
            AddFinding { finding } => add(findings, project, finding),
            RemoveFinding { finding } => remove(findings, project, finding),
            EditFinding { before, after } => edit(findings, project, before, after),
            AddLesson { lesson, .. } => add(lessons, project, lesson),
            RemoveLesson { lesson, .. } => remove(lessons, project, lesson),
            EditLesson { lesson, fields, .. } => {
                let slot = lessons.get_mut(lesson);
                let slot = slot.ok_or_else(|| Mismatch::new(lesson, "existence"))?;
                *slot = slot.with(fields)?;
                Ok(())
            }
            AddInjection { injection } => add(injections, project, injection),
            RemoveInjection { injection } => remove(injections, project, injection),
            AddEffect { effect } => add(effects, project, effect),
            RemoveEffect { effect } => remove(effects, project, effect),
            AddDeliberation { deliberation } => add(&mut self.deliberations, project, deliberation),
            RemoveDeliberation { deliberation } => {
                remove(&mut self.deliberations, project, deliberation)
            }
            AddAttempt { attempt } => add(&mut self.attempts, project, attempt),
            RemoveAttempt { attempt } => remove(&mut self.attempts, project, attempt),
            AddConsultation { consultation } => add(&mut self.consultations, project, consultation),
            RemoveConsultation { consultation } => {
                remove(&mut self.consultations, project, consultation)
            }
            EditConsultation { before, after } => {
                edit(&mut self.consultations, project, before, after)
            }
            AddTombstone { tombstone } => add(tombstones, project, tombstone),
            RemoveTombstone { tombstone } => remove(tombstones, project, tombstone),
            EditProject { before, after } => self.edit_project(before, after),
            // It stands in the file, and in no table.
            EditFile { .. } => Ok(()),
            Erase { erasure } => {
                self.erase(erasure);
                Ok(())
            }
        }
    }

    fn edit_project(&mut self, before: &Project, after: &Project) -> Result<(), Mismatch> {
        let known = self.projects.get(&before.id);
        let fits = known.map_or(before.is_bare(), |known| known == before);
        if !fits {
            return Err(Mismatch::new(format_args!("project {}", before.id), "content"));
        }
        self.projects.remove(&before.id);
        if !after.is_bare() {
            self.projects.insert(after.id.clone(), after.clone());
        }
        Ok(())
    }

    /// Removes what is to be erased from every row, of any project.
    pub fn erase(&mut self, erasure: &Erasure) {
        fn strike<'a, T: Worded + 'a>(rows: impl Iterator<Item = &'a mut T>, erasure: &Erasure) {
            for row in rows {
                erasure.strike(row);
            }
        }
        strike(self.runs.values_mut(), erasure);
        strike(self.findings.values_mut(), erasure);
        strike(self.lessons.values_mut(), erasure);
        strike(self.injections.values_mut(), erasure);
        strike(self.effects.values_mut(), erasure);
        strike(self.deliberations.values_mut(), erasure);
        strike(self.attempts.values_mut(), erasure);
        strike(self.consultations.values_mut(), erasure);
    }
}

fn add<R: Row>(
    table: &mut BTreeMap<R::Key, R>,
    project: &ProjectId,
    row: &R,
) -> Result<(), Mismatch> {
    match table.entry(row.key_in(project)) {
        Entry::Occupied(_) => Err(Mismatch::new(row.name(), "absence")),
        Entry::Vacant(slot) => {
            slot.insert(row.clone());
            Ok(())
        }
    }
}

fn remove<R: Row>(
    table: &mut BTreeMap<R::Key, R>,
    project: &ProjectId,
    row: &R,
) -> Result<(), Mismatch> {
    let key = row.key_in(project);
    if table.get(&key) != Some(row) {
        return Err(Mismatch::new(row.name(), "content"));
    }
    table.remove(&key);
    Ok(())
}

fn edit<R: Row>(
    table: &mut BTreeMap<R::Key, R>,
    project: &ProjectId,
    before: &R,
    after: &R,
) -> Result<(), Mismatch> {
    match table.get_mut(&before.key_in(project)) {
        Some(slot) if slot == before => {
            *slot = after.clone();
            Ok(())
        }
        _ => Err(Mismatch::new(before.name(), "content")),
    }
}

impl Row for Run {
    type Key = (ProjectId, RunId);

    fn key_in(&self, project: &ProjectId) -> Self::Key {
        (project.clone(), self.id.clone())
    }

    fn name(&self) -> String {
        format!("run {}", self.id)
    }
}

impl Row for Finding {
    type Key = (ProjectId, RunId, FindingKey);

    fn key_in(&self, project: &ProjectId) -> Self::Key {
        (project.clone(), self.run.clone(), self.key.clone())
    }

    fn name(&self) -> String {
        format!("finding {} of run {}", self.key.0, self.run)
    }
}

impl Row for Lesson {
    type Key = LessonId;

    fn key_in(&self, _project: &ProjectId) -> Self::Key {
        self.id.clone()
    }

    fn name(&self) -> String {
        format!("lesson {}", self.id)
    }
}

impl Row for Injection {
    type Key = (ProjectId, InjectionKey);

    fn key_in(&self, project: &ProjectId) -> Self::Key {
        (project.clone(), self.key())
    }

    fn name(&self) -> String {
        format!("the injection into run {}", self.run)
    }
}

impl Row for Effect {
    type Key = (ProjectId, RunId, LessonId);

    fn key_in(&self, project: &ProjectId) -> Self::Key {
        (project.clone(), self.root.clone(), self.lesson.clone())
    }

    fn name(&self) -> String {
        format!("the effect of {} in run {}", self.lesson, self.root)
    }
}

impl Row for Deliberation {
    type Key = (ProjectId, String);

    fn key_in(&self, project: &ProjectId) -> Self::Key {
        (project.clone(), self.id.clone())
    }

    fn name(&self) -> String {
        format!("deliberation {} of run {}", self.id, self.run)
    }
}

impl Row for Attempt {
    type Key = (ProjectId, String);

    fn key_in(&self, project: &ProjectId) -> Self::Key {
        (project.clone(), self.id.clone())
    }

    fn name(&self) -> String {
        format!("attempt {} of run {}", self.id, self.run)
    }
}

impl Row for Consultation {
    type Key = (ProjectId, String);

    fn key_in(&self, project: &ProjectId) -> Self::Key {
        (project.clone(), self.id.clone())
    }

    fn name(&self) -> String {
        format!("consultation {}", self.id)
    }
}

impl Row for Tombstone {
    type Key = (Option<ProjectId>, LessonId);

    fn key_in(&self, _project: &ProjectId) -> Self::Key {
        self.key()
    }

    fn name(&self) -> String {
        format!("the tombstone of {}", self.lesson)
    }
}

impl Tombstone {
    /// What identifies it in a store.
    pub fn key(&self) -> (Option<ProjectId>, LessonId) {
        (self.project.clone(), self.lesson.clone())
    }
}

impl Injection {
    /// What identifies it within its project.
    pub fn key(&self) -> InjectionKey {
        (self.run.clone(), self.role.clone(), self.need.clone())
    }
}
