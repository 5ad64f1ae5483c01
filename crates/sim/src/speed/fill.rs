//! How does a memory look after years of use? Fills a store with runs, findings and
//! lessons as if it had been learned from, through the same door as everybody: changes
//! through `Store::apply`, texts through the gate.

use std::collections::BTreeSet;

use hardwon_core::change::{Batch, Change, OperationHead};
use hardwon_core::effect::EffectCounts;
use hardwon_core::finding::{Finding, FindingKey, FindingState, Grade, Place, Severity};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, ProjectId, RunId};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Unseen};
use hardwon_core::run::Run;
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::signature::signature;
use hardwon_core::time::Timestamp;
use hardwon_store::{Store, StoreError};

use super::draft::{Draft, Vocabulary};
use crate::random::Random;

/// The present of every measured command: 2026-04-03T14:00:00Z.
pub const NOW: Timestamp = Timestamp(1_775_224_800_000);

/// New lessons a run leaves behind on average.
const LESSONS_PER_RUN: u64 = 10;
/// Runs after which the default policy looks at an unseen lesson again. A store in use
/// has lessons at every point of that cycle, so each run finds some of them due.
const RUNS_PER_CHECK: u64 = 10;
const MS_PER_RUN: i64 = 3_600_000;
/// Large enough that syncing the disk is a small part, small enough for little memory.
const LESSONS_PER_BATCH: u64 = 2_000;

/// Into how many projects that many lessons are divided.
pub fn n_projects(n_lessons: u64) -> u64 {
    if n_lessons >= 1_000_000 { 100 } else { 1 }
}

/// The project with this number.
pub fn project(number: u64) -> ProjectId {
    ProjectId::new(&format!("bench-{number}"))
}

/// Fills an empty store. `talk` hears how far it is, a few times.
pub fn fill(
    store: &mut dyn Store,
    vocabulary: &Vocabulary,
    n_lessons: u64,
    talk: &mut dyn FnMut(&str),
) -> Result<(), StoreError> {
    let n_projects = n_projects(n_lessons);
    let per_project = n_lessons / n_projects;
    let gate = Gate::standard();
    let mut ids = BTreeSet::new();
    for number in 0..n_projects {
        let n_runs = (per_project / LESSONS_PER_RUN).max(1);
        let mut filling = Filling { vocabulary, gate: &gate, number, n_runs, ids: &mut ids };
        filling.runs(store)?;
        filling.lessons(store, per_project)?;
        if n_projects > 1 && (number + 1) % 10 == 0 {
            talk(&format!("  {} of {n_projects} projects", number + 1));
        }
    }
    Ok(())
}

struct Filling<'a> {
    vocabulary: &'a Vocabulary,
    gate: &'a Gate,
    /// Of the project.
    number: u64,
    n_runs: u64,
    /// Taken, in the whole store.
    ids: &'a mut BTreeSet<LessonId>,
}

impl Filling<'_> {
    fn runs(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        let changes = (1..=self.n_runs).map(|n| Change::AddRun { run: Box::new(self.run(n)) });
        self.write(store, changes.collect())
    }

    fn lessons(&mut self, store: &mut dyn Store, n_lessons: u64) -> Result<(), StoreError> {
        for first in (0..n_lessons).step_by(LESSONS_PER_BATCH as usize) {
            let last = n_lessons.min(first + LESSONS_PER_BATCH);
            let changes = (first..last).flat_map(|number| self.changes(number)).collect();
            self.write(store, changes)?;
        }
        Ok(())
    }

    fn write(&self, store: &mut dyn Store, changes: Vec<Change>) -> Result<(), StoreError> {
        let head =
            OperationHead { command: "learn".into(), actor: "bench".into(), at: NOW, undoes: None };
        let project = project(self.number);
        store.apply(&Batch { project, head, continues: None, changes }, None).map(drop)
    }

    fn run(&self, number: u64) -> Run {
        let finished = self.time_of(number);
        let draft = self.vocabulary.draft(self.number, number);
        Run {
            number: Some(number),
            is_learned: true,
            is_counted: true,
            role: Some("maker".into()),
            domain: Some("code".into()),
            started: Some(Timestamp(finished.0 - MS_PER_RUN / 2)),
            finished: Some(finished),
            detectors: BTreeSet::from([draft.detector.to_owned()]),
            paths: BTreeSet::from([draft.path]),
            ..Run::stub(run_id(number), finished)
        }
    }

    fn time_of(&self, run_number: u64) -> Timestamp {
        Timestamp(NOW.0 - (self.n_runs - run_number + 1) as i64 * MS_PER_RUN)
    }

    /// The lesson with this number and the finding it was last seen by.
    fn changes(&mut self, number: u64) -> [Change; 2] {
        let draft = self.vocabulary.draft(self.number, number);
        let random = &mut Random::seeded(&[self.number, number, u64::MAX]);
        let lesson = self.lesson(&draft, random);
        let finding = finding(&draft, &lesson, random);
        [
            Change::AddLesson { lesson: Box::new(lesson), because: "seen in a run".into() },
            Change::AddFinding { finding: Box::new(finding) },
        ]
    }

    fn lesson(&mut self, draft: &Draft, random: &mut Random) -> Lesson {
        let project = project(self.number);
        let text = self.gate.line(&draft.text);
        let (kind, origin, state) = sort(random);
        let signature = signature(Some(draft.detector), None, text.as_str(), Some(&draft.path));
        let id = LessonId::derive(Some(&project), kind.word(), text.as_str(), |id| {
            self.ids.contains(id)
        });
        self.ids.insert(id.clone());
        let severity =
            random.pick(&[Severity::Critical, Severity::Bug, Severity::Warning, Severity::Warning]);
        let n_sightings = n_sightings(state, random);
        let confidence = [0.4, 0.4, 0.6, 0.8][n_sightings.min(3) as usize];
        let seen_at = 1 + random.below(self.n_runs);
        Lesson {
            category: Some(draft.category.to_owned()),
            scope: scope(draft, random),
            tags: if random.share() < 0.3 { vec![draft.category.to_owned()] } else { Vec::new() },
            paths: vec![draft.path.clone()],
            severity,
            state,
            importance: severity.importance(),
            base_confidence: confidence,
            confidence,
            n_sightings,
            standing: n_sightings,
            last_seen_run: Some(run_id(seen_at)),
            unseen: self.unseen(random),
            detectors: BTreeSet::from([draft.detector.to_owned()]),
            grade: Some(Grade::Cited),
            effects: effects(state, random),
            is_pinned: random.below(1000) == 0,
            author: draft.detector.to_owned(),
            origin,
            trust: origin.trust(),
            signatures: vec![signature],
            ..Lesson::stub(id, Some(project), kind, text, self.time_of(seen_at))
        }
    }

    /// Somewhere in the cycle of checks, none of them due before the next run.
    fn unseen(&self, random: &mut Random) -> Unseen {
        let n_ago = random.below(RUNS_PER_CHECK.min(self.n_runs));
        let n_runs = random.below(RUNS_PER_CHECK - n_ago) / 2;
        Unseen { n_runs: n_runs as u32, checked_at: self.n_runs - n_ago }
    }
}

/// Three of five are provisional; a few are wishes of the user.
fn sort(random: &mut Random) -> (Kind, Origin, State) {
    if random.below(200) == 0 {
        return (Kind::Preference, Origin::User, State::Candidate);
    }
    let state = match random.below(100) {
        0..60 => State::Provisional,
        60..68 => State::Stable,
        68..90 => State::Candidate,
        90..95 => State::Decayed,
        _ => State::Archived,
    };
    let kind = random.pick(&[Kind::Pattern, Kind::Pattern, Kind::AntiPattern, Kind::Hint]);
    (kind, Origin::Reviewer, state)
}

fn n_sightings(state: State, random: &mut Random) -> u32 {
    match state {
        State::Candidate => 1,
        _ => 2 + (random.share().powi(3) * 8.0) as u32,
    }
}

fn effects(state: State, random: &mut Random) -> EffectCounts {
    let n_helped = match state {
        State::Stable => 3 + random.below(5),
        State::Provisional | State::Decayed => random.below(3),
        _ => 0,
    };
    EffectCounts {
        n_helped: n_helped as u32,
        n_no_help: random.below(2) as u32,
        ..EffectCounts::default()
    }
}

fn scope(draft: &Draft, random: &mut Random) -> Scope {
    let scope = Scope::default().with(Dimension::Domain, "code");
    if random.share() < 0.2 { scope.with(Dimension::Role, draft.detector) } else { scope }
}

fn finding(draft: &Draft, lesson: &Lesson, random: &mut Random) -> Finding {
    let run = lesson.last_seen_run.clone().expect("every made lesson was seen");
    let place = Place { path: draft.path.clone(), line: Some(1 + random.below(900) as u32) };
    let text = lesson.text.clone();
    let signature = lesson.signatures.last().cloned().unwrap_or_default();
    let is_fixed = random.share() < 0.15;
    Finding {
        key: FindingKey::of(draft.detector, &signature, text.as_str(), Some(&place)),
        root: run.clone(),
        run,
        author: draft.detector.to_owned(),
        severity: lesson.severity,
        category: lesson.category.clone(),
        rule: None,
        text,
        place: Some(place),
        grade: Some(Grade::Cited),
        signature,
        state: if is_fixed { FindingState::Fixed } else { FindingState::Open },
        is_sighting: true,
        lesson: Some(lesson.id.clone()),
        likeness: 1.0,
        fixed_in: None,
        repair: None,
        ruled_by: None,
        quote: None,
    }
}

fn run_id(number: u64) -> RunId {
    RunId::parse(&format!("past-{number}")).expect("such ids follow the grammar")
}

#[cfg(test)]
mod tests {
    use hardwon_store::{LessonQuery, MemoryStore};

    use super::*;

    fn filled(n_lessons: u64) -> MemoryStore {
        let mut store = MemoryStore::new();
        fill(&mut store, &Vocabulary::new(), n_lessons, &mut |_| {}).expect("the changes fit");
        store
    }

    #[test]
    fn filling_is_deterministic_and_complete() {
        let (a, b) = (filled(300), filled(300));
        let all = |store: &MemoryStore| store.lessons(&project(0), &LessonQuery::default());
        let lessons = all(&a).unwrap();
        assert_eq!(lessons.len(), 300);
        assert_eq!(lessons, all(&b).unwrap());
        let n_provisional = lessons.iter().filter(|l| l.state == State::Provisional).count();
        assert!((150..=210).contains(&n_provisional), "{n_provisional}");
        assert_eq!(a.status(&project(0)).unwrap().run_number, 30);
    }

    #[test]
    fn nothing_is_due_before_the_next_run_and_some_then() {
        let store = filled(500);
        let n_due = |run_number| {
            let pick = hardwon_store::Pick::DecayDue { run_number, window: RUNS_PER_CHECK };
            let query = LessonQuery { pick, ..LessonQuery::default() };
            store.lessons(&project(0), &query).unwrap().len()
        };
        assert_eq!(n_due(50), 0);
        assert!((20..=200).contains(&n_due(51)), "{}", n_due(51));
    }
}
