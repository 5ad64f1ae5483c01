//! One open memory: its store and the rules by which it is run. Lives as long as the
//! process wants; what differs from request to request is in [`Call`].

use std::collections::BTreeSet;

use hardwon_core::digest::sha256;
use hardwon_core::gate::Gate;
use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_store::{MemoryStore, Store};

// With these three begins every use case: whose memory, who asks, and what comes of it.
pub use crate::call::Call;
pub use crate::error::{EngineError, Result};

use crate::kept::Views;
use crate::policy;
use crate::settings::Settings;
use crate::stream::Stream;

/// Gives the embeddings of texts, one each; nothing without who makes some.
pub type Embed<'a> = &'a mut dyn FnMut(&[String]) -> Option<Vec<Vec<f64>>>;

/// A store, and the policy, gate and settings that everything in it goes by.
pub struct Memory {
    pub store: Box<dyn Store>,
    pub policy: Policy,
    pub gate: Gate,
    pub settings: Settings,
    /// Where it tells what happens; nowhere if it is thrown away.
    pub(crate) events: Option<Stream>,
    /// Projects whose checkout was joined through this memory.
    pub(crate) joined: BTreeSet<ProjectId>,
    pub(crate) kept: Views,
}

/// A memory that was opened for one call.
pub struct OpenMemory {
    pub memory: Memory,
    pub call: Call,
}

impl Memory {
    pub fn with_store(store: Box<dyn Store>, policy: Policy) -> Memory {
        Memory {
            store,
            policy,
            gate: Gate::standard(),
            settings: Settings::default(),
            events: None,
            joined: BTreeSet::new(),
            kept: Views::default(),
        }
    }

    /// From now on what is read for a need is kept for whoever asks the same next: a process
    /// that serves many, and lives longer than one question.
    pub fn keep_needs(&mut self) {
        self.kept.keeps_needs = true;
    }

    /// A run id as it may be stored: one that looks like a secret is known by its
    /// digest, here and wherever else it is named.
    pub fn safe_run(&self, run: &RunId) -> RunId {
        safe_run(&self.gate, run)
    }
}

impl OpenMemory {
    /// A memory that lives only as long as this value, with a fixed clock: for
    /// examples, tests and the tour.
    pub fn throwaway(project: &str, now: &str) -> Result<OpenMemory> {
        let now = Timestamp::parse(now).ok_or(EngineError::BadClock)?;
        let policy = policy::load("hardwon")?;
        Ok(OpenMemory::with_store(
            Box::new(MemoryStore::new()),
            ProjectId::new(project),
            policy,
            now,
        ))
    }

    /// Any store, for a person's call.
    pub fn with_store(
        store: Box<dyn Store>,
        project: ProjectId,
        policy: Policy,
        now: Timestamp,
    ) -> OpenMemory {
        OpenMemory {
            memory: Memory::with_store(store, policy),
            call: Call::by_person(project, now),
        }
    }

    /// Who calls from now on: an agent of this name, or a person. For programs that play several
    /// callers in one process.
    pub fn set_caller(&mut self, agent: Option<&str>) {
        self.call.set_caller(&self.memory.gate, agent);
    }
}

/// A run id behind the gate.
pub(crate) fn safe_run(gate: &Gate, run: &RunId) -> RunId {
    match gate.word(run.as_str()) {
        Some(word) if word == run.as_str() => run.clone(),
        _ => RunId::derived(&sha256(&[run.as_str()])),
    }
}
