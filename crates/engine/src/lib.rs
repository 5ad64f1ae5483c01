//! The use cases of Hardwon, and its library: learn from runs, inject lessons, see
//! whether they held. Owns the clock, ids, redaction and transactions; every decision
//! is a function of `hardwon-core`, every write a `Change` through `Store::apply`.
//!
//! ```
//! use hardwon_engine::{Engine, InjectRequest, LearnRequest, Input};
//!
//! # fn main() -> Result<(), hardwon_engine::EngineError> {
//! let mut engine = Engine::throwaway("demo", "2026-04-03T14:00:00Z")?;
//! for run in ["r1", "r2"] {
//!     let record = format!(
//!         "{{\"type\":\"run\",\"id\":\"{run}\"}}\n{{\"type\":\"finding\",\"author\":\"guardian\",\
//!          \"severity\":\"warning\",\"text\":\"Query built by string concatenation\"}}\n"
//!     );
//!     engine.learn(LearnRequest::of(Input::text("record", &record)))?;
//! }
//! let answer = engine.inject(&InjectRequest::default())?;
//! assert!(answer.body.block.contains("Query built by string concatenation"));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod archeflow;
mod checkout;
mod compare;
mod doctor;
mod episodes;
mod erase;
mod error;
pub mod events;
pub mod foreign;
mod guard;
mod history;
pub mod hook;
mod identity;
mod inject;
mod input;
pub mod install;
mod learn;
mod lessons;
mod library;
mod lift;
mod mark;
mod merge;
mod open;
mod place;
pub mod policy;
pub mod problems;
mod projects;
mod reflect;
mod replay;
mod report;
mod review;
mod runs;
pub mod settings;
mod transfer;
pub mod trust;
mod wishes;
mod write;

use hardwon_core::gate::Gate;
use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Origin;
use hardwon_core::policy::Policy;
use hardwon_core::time::Timestamp;
use hardwon_store::Store;

// The words of the answers and requests, so that a face needs no other crate.
pub use hardwon_core::event::RunStated;
pub use hardwon_core::gate::{harmless, harmless_json, without_control};
pub use hardwon_core::{
    answer, effect, episode, event, finding, ids, lesson, need, reflect as reflection, run, scope,
    time,
};
pub use hardwon_readers::Format;
pub use hardwon_render::block::Style;

pub use doctor::agents::doctor_agents;
pub use doctor::{DoctorRequest, Progress, doctor};
pub use episodes::RunsRequest;
pub use error::EngineError;
pub use hardwon_store::StoreError;
pub use inject::{InjectRequest, Recorded};
pub use input::Input;
pub use learn::{LearnRequest, Steps};
pub use lessons::{AddRequest, EditRequest, ListRequest, Stated};
pub use mark::MarkRequest;
pub use open::{Access, Options};
pub use place::Environment;
pub use reflect::{About, ReflectOutcome, ReflectRequest, Trigger, reflect_pending};
pub use review::DecideRequest;
pub use transfer::Layout;

/// One open memory, seen from one project.
pub struct Engine {
    store: Box<dyn Store>,
    project: ProjectId,
    identity: identity::Identity,
    policy: Policy,
    gate: Gate,
    now: Timestamp,
    actor: String,
    /// Origin of what the caller states by hand.
    speaker: Origin,
    settings: settings::Settings,
    /// Where it tells what happens; nowhere if it is thrown away.
    events: Option<events::Stream>,
}

impl Engine {
    /// A memory that lives only as long as this value, with a fixed clock: for
    /// examples, tests and the tour.
    pub fn throwaway(project: &str, now: &str) -> Result<Engine, EngineError> {
        let now = Timestamp::parse(now).ok_or(EngineError::BadClock)?;
        let store = Box::new(hardwon_store::MemoryStore::new());
        let policy = policy::load("hardwon")?;
        Ok(Engine::with_store(store, ProjectId::new(project), policy, now))
    }

    /// An engine over any store.
    pub fn with_store(
        store: Box<dyn Store>,
        project: ProjectId,
        policy: Policy,
        now: Timestamp,
    ) -> Engine {
        Engine {
            store,
            project,
            identity: identity::Identity::named(),
            policy,
            gate: Gate::standard(),
            now,
            actor: "user".to_owned(),
            speaker: Origin::User,
            settings: settings::Settings::default(),
            events: None,
        }
    }

    /// Moves the clock, for what plays several days in one process.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Who calls from now on: an agent of this name, or a person. For what plays several
    /// callers in one process; a process of its own says it with `HARDWON_AGENT`.
    pub fn set_caller(&mut self, agent: Option<&str>) {
        let environment = Environment { agent: agent.map(str::to_owned), ..Environment::default() };
        self.actor = self.gate.word(&environment.actor()).unwrap_or_else(|| "user".to_owned());
        self.speaker = if agent.is_some() { Origin::Agent } else { Origin::User };
    }

    /// What only a person may do.
    fn needs_person(&self, what: &'static str) -> Result<(), EngineError> {
        match self.speaker {
            Origin::Agent => Err(EngineError::NeedsPerson { what }),
            Origin::User | Origin::Reviewer | Origin::Import => Ok(()),
        }
    }

    /// The present as this engine sees it.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The project whose memory this is.
    pub fn project(&self) -> &ProjectId {
        &self.project
    }

    /// The settings it was opened with.
    pub fn settings(&self) -> &settings::Settings {
        &self.settings
    }

    /// The store, for reading: checks, tests and benches.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }
}
