//! Two projects become one: everything that one knows comes to the other. Where both have a run of one
//! name, the other project's name is put before it; where both say the same, it is one lesson with the
//! evidence of both.

use std::collections::{BTreeMap, BTreeSet};

use crate::attempt::Attempt;
use crate::change::{Change, Tables, Tombstone};
use crate::deliberation::Deliberation;
use crate::effect::Shown;
use crate::gate::shape::Identified;
use crate::ids::{LessonId, ProjectId, RunId};
use crate::lesson::Lesson;
use crate::merge;

use super::Moved;

pub struct Join<'a> {
    /// The project that comes, and all that it has.
    pub from: &'a ProjectId,
    pub theirs: &'a Tables,
    /// The project that it comes to, and all that it has.
    pub into: &'a ProjectId,
    pub ours: &'a Tables,
    /// The number of its newest run.
    pub after: u64,
}

/// What that comes to.
#[derive(Debug, Default)]
pub struct Joined {
    pub changes: Vec<Change>,
    pub n_lessons: u64,
    /// How many of them became one with a lesson that was there.
    pub n_same: u64,
    pub n_runs: u64,
    /// How many of those have another name now.
    pub n_renamed: u64,
}

impl Join<'_> {
    /// All of it as changes of the project that it comes to. `is_taken`: whether a lesson of any
    /// project has this id.
    pub fn changes(&self, is_taken: &mut dyn FnMut(&LessonId) -> bool) -> Joined {
        let runs = self.names_of_runs();
        let (ids, same) = self.names_of_lessons(is_taken);
        let moved = Moved { ids: &ids, after: self.after };
        let mut joined = Joined { n_renamed: runs.len() as u64, ..Joined::default() };
        for lesson in self.theirs.lessons.values() {
            let because = format!("came with project {}", self.from);
            let coming = renamed(moved.lesson(lesson, self.into), &runs);
            joined.n_lessons += 1;
            match same.get(&lesson.id).and_then(|id| self.ours.lessons.get(id)) {
                Some(here) => {
                    joined.n_same += 1;
                    let after = merge::merged(here, &coming, 0);
                    joined.changes.extend(Change::edit_lesson(here, &after, &because));
                }
                None => {
                    joined.changes.push(Change::AddLesson { lesson: Box::new(coming), because })
                }
            }
        }
        self.add_runs(&runs, &moved, &mut joined);
        self.add_answers(&runs, &mut joined);
        self.add_tombstones(&moved, &mut joined);
        joined
    }

    /// Another name for each run that both have.
    fn names_of_runs(&self) -> BTreeMap<RunId, RunId> {
        let of = |tables: &Tables| -> BTreeSet<RunId> {
            let recorded = tables.runs.values().map(|run| run.id.clone());
            recorded.chain(tables.injections.values().map(|it| it.run.clone())).collect()
        };
        let (theirs, ours) = (of(self.theirs), of(self.ours));
        let mut taken: BTreeSet<RunId> = theirs.union(&ours).cloned().collect();
        let mut names = BTreeMap::new();
        for run in theirs.intersection(&ours) {
            let mut wanted = format!("{}/{run}", self.from);
            let name = loop {
                let name = RunId::named(&wanted).unwrap_or_else(|| run.clone());
                if taken.insert(name.clone()) {
                    break name;
                }
                wanted.push('+');
            };
            names.insert(run.clone(), name);
        }
        names
    }

    /// What the lessons are called from now on, and which of them say what one here says.
    fn names_of_lessons(
        &self,
        is_taken: &mut dyn FnMut(&LessonId) -> bool,
    ) -> (BTreeMap<LessonId, LessonId>, BTreeMap<LessonId, LessonId>) {
        let (mut ids, mut same) = (BTreeMap::new(), BTreeMap::new());
        let mut given: BTreeSet<LessonId> = BTreeSet::new();
        for lesson in self.theirs.lessons.values() {
            let says_so = |here: &&Lesson| {
                let is_equal = here.text == lesson.text && here.kind == lesson.kind;
                is_equal && here.state.is_put_away() == lesson.state.is_put_away()
            };
            let here = self.ours.lessons.values().find(says_so);
            let here = here.filter(|here| !given.contains(&here.id));
            let id = match here {
                Some(here) => {
                    same.insert(lesson.id.clone(), here.id.clone());
                    here.id.clone()
                }
                None => {
                    let text = lesson.text.as_str();
                    let owner = Some(self.into);
                    let mut is_used = |id: &LessonId| given.contains(id) || is_taken(id);
                    LessonId::derive(owner, lesson.kind.word(), text, &mut is_used)
                }
            };
            given.insert(id.clone());
            ids.insert(lesson.id.clone(), id);
        }
        (ids, same)
    }

    fn add_runs(&self, runs: &BTreeMap<RunId, RunId>, moved: &Moved<'_>, joined: &mut Joined) {
        for run in self.theirs.runs.values() {
            let mut run = renamed(run.clone(), runs);
            run.number = run.number.map(|number| number + self.after);
            joined.n_runs += 1;
            joined.changes.push(Change::AddRun { run: Box::new(run) });
        }
        for finding in self.theirs.findings.values() {
            let mut finding = renamed(finding.clone(), runs);
            finding.lesson = finding.lesson.as_ref().map(|id| moved.id(id));
            joined.changes.push(Change::AddFinding { finding: Box::new(finding) });
        }
        for injection in self.theirs.injections.values() {
            let mut injection = renamed(injection.clone(), runs);
            let shown = injection.shown.into_iter();
            injection.shown =
                shown.map(|shown| Shown { lesson: moved.id(&shown.lesson), ..shown }).collect();
            injection.held_out = injection.held_out.iter().map(|id| moved.id(id)).collect();
            joined.changes.push(Change::AddInjection { injection });
        }
        for effect in self.theirs.effects.values() {
            let mut effect = renamed(effect.clone(), runs);
            effect.lesson = moved.id(&effect.lesson);
            effect.run_number += self.after;
            joined.changes.push(Change::AddEffect { effect });
        }
    }

    /// What agents answered and tried. What models were paid stays where it was paid.
    fn add_answers(&self, runs: &BTreeMap<RunId, RunId>, joined: &mut Joined) {
        let name = |run: &RunId| runs.get(run).unwrap_or(run).clone();
        for ((_, id), known) in &self.theirs.deliberations {
            if !self.ours.deliberations.contains_key(&(self.into.clone(), id.clone())) {
                let deliberation = Deliberation { run: name(&known.run), ..known.clone() };
                let deliberation = Box::new(deliberation);
                joined.changes.push(Change::AddDeliberation { deliberation });
            }
        }
        for ((_, id), known) in &self.theirs.attempts {
            if !self.ours.attempts.contains_key(&(self.into.clone(), id.clone())) {
                let attempt = Box::new(Attempt { run: name(&known.run), ..known.clone() });
                joined.changes.push(Change::AddAttempt { attempt });
            }
        }
    }

    fn add_tombstones(&self, moved: &Moved<'_>, joined: &mut Joined) {
        let known: BTreeSet<_> = self.ours.tombstones.values().map(Tombstone::key).collect();
        for tombstone in self.theirs.tombstones.values() {
            let lesson = moved.id(&tombstone.lesson);
            let project = Some(self.into.clone());
            let tombstone = Tombstone { lesson, project, ..tombstone.clone() };
            if !known.contains(&tombstone.key()) {
                joined.changes.push(Change::AddTombstone { tombstone });
            }
        }
    }
}

fn renamed<T: Identified>(mut row: T, runs: &BTreeMap<RunId, RunId>) -> T {
    row.for_each_run(&mut |run| {
        if let Some(name) = runs.get(run) {
            *run = name.clone();
        }
    });
    row
}
