//! Who asks, when, and about which project? Made for each request and handed to every
//! use case beside the memory.

use hardwon_core::ids::ProjectId;
use hardwon_core::lesson::Origin;
use hardwon_core::time::Timestamp;

use crate::error::EngineError;
use crate::place::Environment;

/// One request, as every use case sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The project whose memory is meant.
    pub project: ProjectId,
    /// The present.
    pub now: Timestamp,
    /// Who calls, for the journal.
    pub actor: String,
    pub voice: Voice,
}

/// Whose words the caller speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    Person,
    Agent,
}

impl Voice {
    /// The origin of what this voice states by hand.
    pub fn origin(self) -> Origin {
        match self {
            Voice::Person => Origin::User,
            Voice::Agent => Origin::Agent,
        }
    }
}

impl Call {
    /// A person's call, for examples, tests and the tour.
    pub fn by_person(project: ProjectId, now: Timestamp) -> Call {
        Call { project, now, actor: "user".to_owned(), voice: Voice::Person }
    }

    /// The same call by an agent of this name, or by a person.
    pub fn set_caller(&mut self, gate: &hardwon_core::gate::Gate, agent: Option<&str>) {
        let environment = Environment { agent: agent.map(str::to_owned), ..Environment::default() };
        self.actor = gate.word(&environment.actor()).unwrap_or_else(|| "user".to_owned());
        self.voice = if agent.is_some() { Voice::Agent } else { Voice::Person };
    }

    /// What only a person may do.
    pub(crate) fn needs_person(&self, what: &'static str) -> Result<(), EngineError> {
        match self.voice {
            Voice::Agent => Err(EngineError::NeedsPerson { what }),
            Voice::Person => Ok(()),
        }
    }
}
