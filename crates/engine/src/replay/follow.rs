//! Follows recorded operations in a memory of its own: what was learned is learned again,
//! what was shown is asked for again, and what people decided stays as they decided it.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, LessonField, Operation};
use hardwon_core::effect::{Injection, Shown};
use hardwon_core::find::recorded::{RecordedRun, recorded_runs};
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::need::Need;
use hardwon_core::policy::Policy;
use hardwon_core::voice::Speaker;
use hardwon_store::{MemoryStore, StoreError};

use crate::blocks::InjectRequest;
use crate::call::Call;
use crate::error::EngineError;
use crate::memory::{Memory, OpenMemory};
use crate::runs::Steps;
use crate::runs::learn::learn_found;
use crate::write::{Command, batch};
use crate::{blocks, lookup, runs};

pub(super) struct Follower {
    engine: OpenMemory,
    /// What a recorded lesson is called here, where a finding tells.
    names: BTreeMap<LessonId, LessonId>,
    roots: BTreeSet<RunId>,
    /// Root runs that were counted for decay.
    counted: BTreeSet<RunId>,
    n_erased: u64,
}

impl Follower {
    pub fn new(memory: &Memory, call: &Call, policy: Policy) -> Follower {
        let store = Box::new(MemoryStore::new());
        let fresh = Memory::with_store(store, policy);
        let mut settings = memory.settings.clone();
        settings.problems.clear();
        Follower {
            // Texts have passed a gate, perhaps a foreign store's, which is less strict.
            engine: OpenMemory {
                memory: Memory { gate: Gate::foreign(), settings, ..fresh },
                call: Call { speaker: Speaker::person(), ..call.clone() },
            },
            names: BTreeMap::new(),
            roots: BTreeSet::new(),
            counted: BTreeSet::new(),
            n_erased: 0,
        }
    }

    pub fn engine(&self) -> &OpenMemory {
        &self.engine
    }

    pub fn n_runs(&self) -> u64 {
        self.roots.len() as u64
    }

    pub fn n_erased(&self) -> u64 {
        self.n_erased
    }

    /// Does once more what an operation did.
    pub fn follow(&mut self, operation: &Operation) -> Result<(), EngineError> {
        self.engine.call.now = operation.first.head.at;
        match operation.first.head.command.as_str() {
            _ if !operation.is_own => self.by_hand(operation),
            "learn" => self.learn(&operation.changes),
            "inject" => operation.changes.iter().try_for_each(|change| match change {
                Change::AddInjection { injection } => self.inject(injection),
                _ => Ok(()),
            }),
            "decay" | "archeflow decay" => {
                runs::decay(&mut self.engine.memory, &self.engine.call).map(|_| ())
            }
            "check" | "archeflow audit-check" => self.check(&operation.changes),
            "outcome" => self.outcome(&operation.changes),
            _ => self.by_hand(operation),
        }
    }

    fn learn(&mut self, changes: &[Change]) -> Result<(), EngineError> {
        let RecordedRun { runs, findings, n_erased } = recorded_runs(changes, &self.names);
        self.n_erased += n_erased;
        let steps = self.steps(changes);
        learn_found(
            &mut self.engine.memory,
            &self.engine.call,
            &runs,
            steps,
            &mut Vec::new(),
            &mut |_, _| {},
        )?;
        for finding in findings {
            let Some(lesson) = finding.lesson else { continue };
            let tree = self.engine.memory.store.tree(&self.engine.call.project, &finding.run)?;
            let is_it = |known: &&hardwon_core::finding::Finding| {
                let is_told = (&known.author, &known.text) == (&finding.author, &finding.text);
                known.run == finding.run && is_told && known.place == finding.place
            };
            if let Some(here) = tree.findings.iter().find(is_it).and_then(|f| f.lesson.clone()) {
                self.names.entry(lesson).or_insert(here);
            }
        }
        Ok(())
    }

    /// Whether this `learn` also concluded: then it counted a root run, or brought more of
    /// one that was counted.
    fn steps(&mut self, changes: &[Change]) -> Steps {
        let mut steps = Steps::Findings;
        for change in changes {
            let (Change::AddRun { run } | Change::EditRun { after: run, .. }) = change else {
                continue;
            };
            self.roots.insert(run.root.clone());
            if run.is_counted {
                self.counted.insert(run.root.clone());
            }
            if run.number.is_none() || self.counted.contains(&run.root) {
                steps = Steps::All;
            }
        }
        steps
    }

    /// Asks for a block again. Kept under the recorded need, so that two needs of one role
    /// stay two.
    fn inject(&mut self, recorded: &Injection) -> Result<(), EngineError> {
        let given = |word: &String| (!word.is_empty()).then(|| word.clone());
        let need = Need {
            role: given(&recorded.role),
            domain: given(&recorded.domain),
            ..Need::default()
        };
        let run = Some(recorded.run.clone());
        let surface = Some(recorded.surface);
        let request = InjectRequest { run, need, surface, ..InjectRequest::default() };
        let composed = blocks::compose(&self.engine.memory, &self.engine.call, &request)?;
        if composed.block.is_empty() {
            return Ok(());
        }
        let shown = composed.lessons.iter().map(|shown| Shown {
            lesson: shown.lesson.id.clone(),
            digest: shown.lesson.digest(),
            is_randomised: shown.is_randomised,
        });
        let injection = Injection {
            shown: shown.collect(),
            held_out: composed.held_out.iter().map(|id| id.0.clone()).collect(),
            block: self.engine.memory.gate.block(composed.block.clone()),
            digest: composed.digest.clone(),
            n_tokens: composed.n_tokens,
            ..recorded.clone()
        };
        self.apply("inject", Change::AddInjection { injection })
    }

    fn check(&mut self, changes: &[Change]) -> Result<(), EngineError> {
        let roots: BTreeSet<&RunId> = changes
            .iter()
            .filter_map(|change| match change {
                Change::AddEffect { effect } | Change::RemoveEffect { effect } => {
                    Some(&effect.root)
                }
                _ => None,
            })
            .collect();
        for root in roots {
            match runs::check(&mut self.engine.memory, &self.engine.call, root) {
                Ok(_) | Err(EngineError::UnknownRun { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn outcome(&mut self, changes: &[Change]) -> Result<(), EngineError> {
        for change in changes {
            if let Change::AddRun { run } | Change::EditRun { after: run, .. } = change
                && let Some(outcome) = run.outcome
            {
                runs::outcome(&mut self.engine.memory, &self.engine.call, &run.id, outcome, true)?;
            }
        }
        Ok(())
    }

    /// What people stated, brought in or decided is taken as it is.
    fn by_hand(&mut self, operation: &Operation) -> Result<(), EngineError> {
        let command = &operation.first.head.command;
        for change in &operation.changes {
            match change {
                Change::EditLesson { lesson, because, fields } if operation.is_own => {
                    self.decide(command, lesson, because, fields)?;
                }
                Change::AddLesson { .. } => self.apply(command, change.clone())?,
                Change::AddRun { .. } | Change::AddFinding { .. } if operation.is_own => {
                    self.apply(command, change.clone())?;
                }
                Change::AddInjection { .. } | Change::AddEffect { .. } if operation.is_own => {
                    self.apply(command, change.clone())?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn decide(
        &mut self,
        command: &str,
        lesson: &LessonId,
        because: &str,
        fields: &[LessonField],
    ) -> Result<(), EngineError> {
        let id = self.names.get(lesson).unwrap_or(lesson).clone();
        let Some(known) = lookup::find_lesson(&self.engine.memory, &self.engine.call, &id)? else {
            return Ok(());
        };
        let mut next = known.clone();
        for field in fields {
            field.decide(&mut next);
        }
        match Change::edit_lesson(&known, &next, because) {
            Some(change) => self.apply(command, change),
            None => Ok(()),
        }
    }

    /// Writes one change; one that does not fit here is left out.
    fn apply(&mut self, command: &str, change: Change) -> Result<(), EngineError> {
        let batch = batch(&self.engine.call, &Command::new(command), vec![change]);
        match self.engine.memory.store.apply(&batch, None) {
            Ok(_) | Err(StoreError::Mismatch(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
