//! The memories that are compared: none, lines picked at random, and the product under a
//! policy, through the same calls that a pipeline makes.

use std::collections::BTreeSet;

use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::State;
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_engine::answer::Transition;
use hardwon_engine::{
    AddRequest, EngineError, InjectRequest, Input, LearnRequest, OpenMemory, blocks, lessons, runs,
};
use hardwon_store::MemoryStore;

use super::chance::{Chance, Draw};
use super::texts::{Came, HARMS, Subject, subject};
use super::world::{Line, Plan, Played};

/// Runs between two sweeps, as a pipeline would let them happen every few days.
const RUNS_PER_SWEEP: usize = 15;

/// Something that chooses what an agent reads.
pub enum Memory<'a> {
    Nothing,
    Random(Random<'a>),
    Kept(Box<Kept>),
}

impl Memory<'_> {
    /// The lines before a run.
    pub fn lines(&mut self, plan: &Plan) -> Result<Vec<Line>, EngineError> {
        match self {
            Memory::Nothing => Ok(Vec::new()),
            Memory::Random(random) => Ok(random.lines(plan)),
            Memory::Kept(kept) => kept.lines(plan),
        }
    }

    /// What is made of the run after it.
    pub fn learn(&mut self, plan: &Plan, played: &Played) -> Result<(), EngineError> {
        match self {
            Memory::Nothing => Ok(()),
            Memory::Random(random) => {
                random.seen.extend(&played.texts);
                Ok(())
            }
            Memory::Kept(kept) => kept.learn(plan, played),
        }
    }
}

/// Shows as many lines as another memory did, from all that was ever reported.
pub struct Random<'a> {
    chance: Chance,
    /// By run.
    n_lines: &'a [usize],
    seen: BTreeSet<&'static str>,
}

impl<'a> Random<'a> {
    pub fn new(chance: Chance, n_lines: &'a [usize]) -> Self {
        let stated = HARMS.iter().filter(|harm| harm.came == Came::Stated);
        Random { chance, n_lines, seen: stated.map(|harm| harm.text).collect() }
    }

    fn lines(&self, plan: &Plan) -> Vec<Line> {
        let mut rest: Vec<&str> = self.seen.iter().copied().collect();
        let n_lines = self.n_lines[plan.number].min(rest.len());
        let mut pick = |item: usize| {
            let at = self.chance.choice(rest.len(), Draw::Picked, plan.number, item);
            subject(rest.remove(at))
        };
        let subjects = (0..n_lines).filter_map(&mut pick);
        subjects.map(|subject| Line { subject, lesson: None }).collect()
    }
}

/// The product, in a store that lives as long as this value.
pub struct Kept {
    engine: OpenMemory,
    /// Lessons about a real defect that were ever active, …
    pub active: BTreeSet<LessonId>,
    /// … and those of them that were put under review or faded.
    pub blamed: BTreeSet<LessonId>,
}

impl Kept {
    /// An empty memory, but for what a person stated.
    pub fn new(policy: Policy, now: Timestamp) -> Result<Kept, EngineError> {
        let store = Box::new(MemoryStore::new());
        let mut engine = OpenMemory::with_store(store, ProjectId::new("world"), policy, now);
        for harm in HARMS.iter().filter(|harm| harm.came == Came::Stated) {
            lessons::add(
                &mut engine.memory,
                &engine.call,
                &AddRequest { text: harm.text.to_owned(), ..AddRequest::default() },
            )?;
        }
        Ok(Kept { engine, active: BTreeSet::new(), blamed: BTreeSet::new() })
    }

    fn lines(&mut self, plan: &Plan) -> Result<Vec<Line>, EngineError> {
        self.engine.call.now = plan.at;
        let run = Some(plan.id.clone());
        let request = InjectRequest { run, need: plan.need(), ..InjectRequest::default() };
        let injected = blocks::inject(&mut self.engine.memory, &self.engine.call, &request)?.body;
        let lines = injected.lessons.into_iter().filter_map(|shown| {
            let subject = subject(shown.lesson.text.as_str())?;
            Some(Line { subject, lesson: Some(shown.lesson.id) })
        });
        Ok(lines.collect())
    }

    fn learn(&mut self, plan: &Plan, played: &Played) -> Result<(), EngineError> {
        let input = Input::text("record", &played.record);
        let learned =
            runs::learn(&mut self.engine.memory, &self.engine.call, LearnRequest::of(input))?.body;
        for run in &learned.runs {
            self.watch(&run.transitions);
        }
        if (plan.number + 1).is_multiple_of(RUNS_PER_SWEEP) {
            let swept = runs::decay(&mut self.engine.memory, &self.engine.call)?.body;
            self.watch(&swept.transitions);
        }
        Ok(())
    }

    fn watch(&mut self, transitions: &[Transition]) {
        for step in transitions {
            let lesson = &step.lesson;
            if !matches!(subject(&lesson.text), Some(Subject::Defect(_))) {
                continue;
            }
            if step.to.is_active() {
                self.active.insert(lesson.id.0.clone());
            }
            let is_blame = matches!(step.to.0, State::UnderReview | State::Decayed);
            if step.from.is_active() && is_blame {
                self.blamed.insert(lesson.id.0.clone());
            }
        }
    }
}
