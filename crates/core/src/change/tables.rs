//! What the journal amounts to: the tables, as plain maps. The memory store *is*
//! this; other stores are compared with it.

use std::collections::BTreeMap;
use std::fmt;

use crate::change::{Change, Erasure, Tombstone, Worded};
use crate::effect::{Effect, Injection};
use crate::finding::{Finding, FindingKey};
use crate::ids::{LessonId, ProjectId, RunId};
use crate::lesson::Lesson;
use crate::project::Project;
use crate::run::Run;

/// A change that does not fit the state it meets: nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What was to be changed.
    pub thing: String,
    /// Which part of it is not as expected.
    pub part: &'static str,
}

impl Mismatch {
    /// For a store that applies a change to its own rows.
    pub fn new(thing: impl fmt::Display, part: &'static str) -> Self {
        Mismatch { thing: thing.to_string(), part }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} is not as the change found it", self.part, self.thing)
    }
}

/// Identifies an injection within a project: run, role, need.
pub type InjectionKey = (RunId, String, String);

/// The whole state. Same journal, same tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    pub runs: BTreeMap<(ProjectId, RunId), Run>,
    pub findings: BTreeMap<(ProjectId, RunId, FindingKey), Finding>,
    pub lessons: BTreeMap<LessonId, Lesson>,
    pub injections: BTreeMap<(ProjectId, InjectionKey), Injection>,
    pub effects: BTreeMap<(ProjectId, RunId, LessonId), Effect>,
    /// By owner (`None` = global) and lesson.
    pub tombstones: BTreeMap<(Option<ProjectId>, LessonId), Tombstone>,
    /// Those that somebody described; none of them bare.
    pub projects: BTreeMap<ProjectId, Project>,
}

impl Tables {
    /// Applies one change of a project. On a mismatch nothing was changed.
    pub fn apply(&mut self, project: &ProjectId, change: &Change) -> Result<(), Mismatch> {
        use Change::*;
        let p = || project.clone();
        let of_run = |run: &Run| format!("run {}", run.id);
        let of_finding = |f: &Finding| format!("finding {} of run {}", f.key.0, f.run);
        let of_lesson = |lesson: &Lesson| format!("lesson {}", lesson.id);
        let of_injection = |i: &Injection| format!("the injection into run {}", i.run);
        let of_effect = |e: &Effect| format!("the effect of {} in run {}", e.lesson, e.root);
        let of_tombstone = |t: &Tombstone| format!("the tombstone of {}", t.lesson);
        match change {
            AddRun { run } => add(&mut self.runs, (p(), run.id.clone()), run, &of_run),
            RemoveRun { run } => remove(&mut self.runs, &(p(), run.id.clone()), run, &of_run),
            EditRun { before, after } => {
                edit(&mut self.runs, &(p(), before.id.clone()), before, after, &of_run)
            }
            AddFinding { finding } => {
                add(&mut self.findings, finding_key(p(), finding), finding, &of_finding)
            }
            RemoveFinding { finding } => {
                remove(&mut self.findings, &finding_key(p(), finding), finding, &of_finding)
            }
            EditFinding { before, after } => {
                edit(&mut self.findings, &finding_key(p(), before), before, after, &of_finding)
            }
            AddLesson { lesson, .. } => {
                add(&mut self.lessons, lesson.id.clone(), lesson, &of_lesson)
            }
            RemoveLesson { lesson, .. } => {
                remove(&mut self.lessons, &lesson.id, lesson, &of_lesson)
            }
            EditLesson { lesson, fields, .. } => {
                let slot = self.lessons.get_mut(lesson);
                let slot = slot.ok_or_else(|| Mismatch::new(lesson, "existence"))?;
                *slot = slot.with(fields)?;
                Ok(())
            }
            AddInjection { injection } => {
                add(&mut self.injections, (p(), injection.key()), injection, &of_injection)
            }
            RemoveInjection { injection } => {
                remove(&mut self.injections, &(p(), injection.key()), injection, &of_injection)
            }
            AddEffect { effect } => {
                add(&mut self.effects, effect_key(p(), effect), effect, &of_effect)
            }
            RemoveEffect { effect } => {
                remove(&mut self.effects, &effect_key(p(), effect), effect, &of_effect)
            }
            AddTombstone { tombstone } => {
                add(&mut self.tombstones, tombstone.key(), tombstone, &of_tombstone)
            }
            RemoveTombstone { tombstone } => {
                remove(&mut self.tombstones, &tombstone.key(), tombstone, &of_tombstone)
            }
            EditProject { before, after } => self.edit_project(before, after),
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

    /// Takes what is to be erased out of every row, of whatever project.
    pub fn erase(&mut self, erasure: &Erasure) {
        strike(self.runs.values_mut(), erasure);
        strike(self.findings.values_mut(), erasure);
        strike(self.lessons.values_mut(), erasure);
        strike(self.injections.values_mut(), erasure);
        strike(self.effects.values_mut(), erasure);
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

fn strike<'a, T: Worded + 'a>(rows: impl Iterator<Item = &'a mut T>, erasure: &Erasure) {
    for row in rows {
        erasure.strike(row);
    }
}

fn finding_key(project: ProjectId, finding: &Finding) -> (ProjectId, RunId, FindingKey) {
    (project, finding.run.clone(), finding.key.clone())
}

fn effect_key(project: ProjectId, effect: &Effect) -> (ProjectId, RunId, LessonId) {
    (project, effect.root.clone(), effect.lesson.clone())
}

/// How a thing is called in a refusal.
type Name<'a, V> = &'a dyn Fn(&V) -> String;

fn add<K: Ord, V: Clone>(
    table: &mut BTreeMap<K, V>,
    key: K,
    value: &V,
    name: Name<'_, V>,
) -> Result<(), Mismatch> {
    if table.contains_key(&key) {
        return Err(Mismatch::new(name(value), "absence"));
    }
    table.insert(key, value.clone());
    Ok(())
}

fn remove<K: Ord, V: PartialEq>(
    table: &mut BTreeMap<K, V>,
    key: &K,
    value: &V,
    name: Name<'_, V>,
) -> Result<(), Mismatch> {
    if table.get(key) != Some(value) {
        return Err(Mismatch::new(name(value), "content"));
    }
    table.remove(key);
    Ok(())
}

fn edit<K: Ord, V: Clone + PartialEq>(
    table: &mut BTreeMap<K, V>,
    key: &K,
    before: &V,
    after: &V,
    name: Name<'_, V>,
) -> Result<(), Mismatch> {
    match table.get_mut(key) {
        Some(slot) if slot == before => {
            *slot = after.clone();
            Ok(())
        }
        _ => Err(Mismatch::new(name(before), "content")),
    }
}
