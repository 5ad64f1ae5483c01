//! A root run with all below it, and how its runs contain each other. Whatever is asked of it, no
//! run is followed upwards more than once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};

use hardwon_core::change::Change;
use hardwon_core::effect::{Effect, Injection};
use hardwon_core::finding::{Finding, FindingKey};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::run::Run;

use crate::Revision;

/// A root run with all below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Ordered by id.
    pub runs: Vec<Run>,
    /// Ordered by run and key.
    pub findings: Vec<Finding>,
    /// Ordered by time, run, role and need.
    pub injections: Vec<Injection>,
    /// Ordered by lesson.
    pub effects: Vec<Effect>,
}

impl Tree {
    /// Known runs below a run.
    pub fn below(&self, run: &Run) -> Vec<&Run> {
        let children = self.children();
        let mut below = Vec::new();
        let mut seen = BTreeSet::from([&run.id]);
        let mut next = vec![&run.id];
        while let Some(id) = next.pop() {
            for child in children.get(id).into_iter().flatten() {
                if seen.insert(&child.id) {
                    below.push(*child);
                    next.push(&child.id);
                }
            }
        }
        below.sort_by_key(|run| &run.id);
        below
    }

    /// All runs, each behind the one that contains it, the older first, with how many known ones
    /// contain it. A circle begins with the oldest of its runs.
    pub fn in_order(&self) -> Vec<(usize, &Run)> {
        let children = self.children();
        let ids: BTreeSet<&RunId> = self.runs.iter().map(|run| &run.id).collect();
        let is_top = |run: &&Run| run.parent.as_ref().is_none_or(|parent| !ids.contains(parent));
        let oldest = |runs: &mut Vec<&Run>| runs.sort_by_key(|run| (run.began(), &run.id));
        let mut tops: Vec<&Run> = self.runs.iter().filter(is_top).collect();
        let mut others: Vec<&Run> = self.runs.iter().filter(|run| !is_top(run)).collect();
        oldest(&mut tops);
        oldest(&mut others);
        let mut ordered = Vec::with_capacity(self.runs.len());
        let mut seen = BTreeSet::new();
        // What no top leads to stands in a circle, or below one.
        for top in tops.into_iter().chain(others) {
            let mut next = vec![(0, top)];
            while let Some((depth, run)) = next.pop() {
                if !seen.insert(&run.id) {
                    continue;
                }
                ordered.push((depth, run));
                let mut below: Vec<&Run> = children.get(&run.id).cloned().unwrap_or_default();
                oldest(&mut below);
                next.extend(below.into_iter().rev().map(|child| (depth + 1, child)));
            }
        }
        ordered
    }

    /// How many known runs contain this one.
    pub fn depth(&self, run: &Run) -> usize {
        let by_id: BTreeMap<&RunId, &Run> = self.runs.iter().map(|run| (&run.id, run)).collect();
        let mut seen = BTreeSet::from([&run.id]);
        let mut above = run.parent.as_ref();
        while let Some(found) = above.and_then(|id| by_id.get(id)) {
            if !seen.insert(&found.id) {
                break;
            }
            above = found.parent.as_ref();
        }
        seen.len() - 1
    }

    /// Findings and shown lessons, by run.
    pub fn counts(&self) -> TreeCounts<'_> {
        let mut counts = TreeCounts::default();
        for finding in &self.findings {
            *counts.findings.entry(&finding.run).or_default() += 1;
        }
        for injection in &self.injections {
            let lessons = injection.shown.iter().map(|shown| &shown.lesson);
            counts.shown.entry(&injection.run).or_default().extend(lessons);
        }
        counts
    }

    fn children(&self) -> BTreeMap<&RunId, Vec<&Run>> {
        let mut children: BTreeMap<&RunId, Vec<&Run>> = BTreeMap::new();
        for run in &self.runs {
            if let Some(parent) = &run.parent {
                children.entry(parent).or_default().push(run);
            }
        }
        children
    }
}

/// What the runs of a tree have, counted once for all of them.
#[derive(Debug, Default)]
pub struct TreeCounts<'t> {
    findings: BTreeMap<&'t RunId, usize>,
    shown: BTreeMap<&'t RunId, BTreeSet<&'t LessonId>>,
}

impl TreeCounts<'_> {
    /// How many findings a run has, and how many different lessons were shown to it.
    pub fn of(&self, run: &RunId) -> (usize, usize) {
        let n_findings = self.findings.get(run).copied().unwrap_or(0);
        (n_findings, self.shown.get(run).map_or(0, BTreeSet::len))
    }
}

/// A tree of which many runs are learned one after the other: brought up to date by what is
/// written, so that not every run has to read all the others again. Of its lists the order is not
/// kept.
#[derive(Clone, Debug, Default)]
pub struct KeptTree {
    tree: Tree,
    /// The revision at which the store has the same.
    revision: Option<Revision>,
    runs: BTreeMap<RunId, usize>,
    findings: BTreeMap<(RunId, FindingKey), usize>,
    is_counted: bool,
    /// Root runs and the lessons that they count for.
    pub counted: BTreeSet<(RunId, LessonId)>,
    /// Lessons that were shown in it, and to which roles.
    pub shown: BTreeMap<LessonId, BTreeSet<String>>,
}

impl KeptTree {
    pub fn of(tree: Tree) -> Self {
        let mut kept = KeptTree::default();
        tree.runs.into_iter().for_each(|run| kept.put_run(run));
        tree.findings.into_iter().for_each(|finding| kept.put_finding(finding));
        kept.add_injections(tree.injections);
        kept.tree.effects = tree.effects;
        kept
    }

    /// The root run of all of them, if there is one.
    pub fn root(&self) -> Option<&RunId> {
        self.tree.runs.first().map(|run| &run.root)
    }

    pub fn run(&self, id: &RunId) -> Option<&Run> {
        Some(&self.tree.runs[*self.runs.get(id)?])
    }

    pub fn finding(&mut self, run: &RunId, key: &FindingKey) -> Option<&mut Finding> {
        let place = *self.findings.get(&(run.clone(), key.clone()))?;
        Some(&mut self.tree.findings[place])
    }

    /// Whether its root run was counted for decay.
    pub fn is_counted(&self) -> bool {
        self.is_counted
    }

    pub fn add_injections(&mut self, injections: Vec<Injection>) {
        for injection in &injections {
            for shown in &injection.shown {
                let roles = self.shown.entry(shown.lesson.clone()).or_default();
                roles.insert(injection.role.clone());
            }
        }
        self.tree.injections.extend(injections);
    }

    /// The root run of a run that is stated to be its topmost one, if that is known here.
    pub fn root_above(&self, top: &RunId) -> Option<&RunId> {
        let is_own = self.root() == Some(top);
        if is_own { self.root() } else { self.run(top).map(|run| &run.root) }
    }

    /// Takes up what is about to be written at this revision; `lessons` has those that are edited.
    pub fn apply(
        &mut self,
        changes: &[Change],
        at: Revision,
        lessons: &BTreeMap<LessonId, Lesson>,
    ) {
        let mut is_global = false;
        for change in changes {
            match change {
                Change::AddLesson { lesson, .. } => is_global |= lesson.project.is_none(),
                Change::EditLesson { lesson, .. } => {
                    is_global |= lessons.get(lesson).is_some_and(|it| it.project.is_none());
                }
                Change::AddRun { run } => self.put_run((**run).clone()),
                Change::EditRun { after, .. } => self.put_run((**after).clone()),
                Change::AddFinding { finding } => self.put_finding((**finding).clone()),
                Change::EditFinding { after, .. } => self.put_finding((**after).clone()),
                _ => {}
            }
        }
        let project = at.project + u64::from(!changes.is_empty());
        self.revision = Some(Revision { project, global: at.global + u64::from(is_global) });
    }

    /// Whether the store has the same at this revision.
    pub fn is_of(&self, revision: Revision) -> bool {
        self.revision == Some(revision)
    }

    fn put_run(&mut self, run: Run) {
        self.is_counted |= run.is_counted;
        match self.runs.get(&run.id) {
            Some(place) => self.tree.runs[*place] = run,
            None => {
                self.runs.insert(run.id.clone(), self.tree.runs.len());
                self.tree.runs.push(run);
            }
        }
    }

    /// A finding of another tree is none of its own.
    fn put_finding(&mut self, finding: Finding) {
        if self.root().is_some_and(|root| *root != finding.root) {
            return;
        }
        if let Some(lesson) = finding.lesson.clone().filter(|_| finding.is_sighting) {
            self.counted.insert((finding.root.clone(), lesson));
        }
        let key = (finding.run.clone(), finding.key.clone());
        match self.findings.get(&key) {
            Some(place) => self.tree.findings[*place] = finding,
            None => {
                self.findings.insert(key, self.tree.findings.len());
                self.tree.findings.push(finding);
            }
        }
    }
}

impl Deref for KeptTree {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl DerefMut for KeptTree {
    fn deref_mut(&mut self) -> &mut Tree {
        &mut self.tree
    }
}
