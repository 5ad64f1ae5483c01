//! Who asks, when, and about which project? Made for each request and handed to every
//! use case beside the memory.

use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::lesson::Origin;
use hardwon_core::team::Seat;
use hardwon_core::time::Timestamp;
use hardwon_core::voice::{Speaker, Voice};

use crate::error::{EngineError, Result};
use crate::identity::Identity;
use crate::place::Environment;

/// One request, as every use case sees it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The project whose memory is meant.
    pub project: ProjectId,
    /// The present.
    pub now: Timestamp,
    /// Who calls, for the journal.
    pub actor: String,
    pub speaker: Speaker,
    /// Where a member of the project's team asks by a token.
    pub seat: Option<Seat>,
    /// The version of the lesson that the caller saw: what was changed since is not overwritten.
    pub(crate) if_match: Option<String>,
    /// How the project was found.
    pub(crate) identity: Identity,
}

impl Call {
    /// A person's call, for examples, tests and the tour.
    pub fn by_person(project: ProjectId, now: Timestamp) -> Call {
        Call {
            project,
            now,
            actor: "user".to_owned(),
            speaker: Speaker::person(),
            seat: None,
            if_match: None,
            identity: Identity::named(),
        }
    }

    /// The same call by an agent of this name, or by a person.
    pub fn set_caller(&mut self, gate: &hardwon_core::gate::Gate, agent: Option<&str>) {
        let speaker = agent.map_or_else(Speaker::person, Speaker::agent);
        let environment = Environment { speaker: speaker.clone(), ..Environment::default() };
        self.actor = gate.word(&environment.actor()).unwrap_or_else(|| "user".to_owned());
        self.speaker = speaker;
    }

    /// The session to which everything belongs that an agent says in this call. Where no host tells
    /// it, all that it ever says is one: runs that it names itself are no independent witnesses.
    pub fn session(&self) -> Option<RunId> {
        let unknown = || RunId::named(&format!("{}/unknown-session", self.actor.replace(' ', "-")));
        let is_agent = self.speaker.voice == Voice::Agent;
        self.speaker.session.clone().or_else(|| is_agent.then(unknown).flatten())
    }

    /// The same caller about another project, which the store has to know already.
    pub fn about(&self, project: ProjectId) -> Call {
        Call { project, identity: Identity::named(), ..self.clone() }
    }

    /// The same request by somebody else; `actor` is who, for the journal.
    pub fn speaking(&self, speaker: Speaker, actor: &str) -> Call {
        Call { speaker, actor: actor.to_owned(), ..self.clone() }
    }

    /// The same request by somebody who looked at this version of a lesson, as
    /// `lessons::version_tag` names it: a lesson that is another one by now is left alone.
    pub fn if_match(&self, tag: Option<&str>) -> Call {
        Call { if_match: tag.map(str::to_owned), ..self.clone() }
    }

    /// The origin of what the caller states.
    pub fn origin(&self) -> Origin {
        self.speaker.voice.origin()
    }

    pub fn is_agent(&self) -> bool {
        self.speaker.voice == Voice::Agent
    }

    pub(crate) fn needs_person(&self, what: &'static str) -> Result<()> {
        needs_person(&self.speaker, what)
    }

    /// What a script may do and an agent may not.
    pub(crate) fn refuse_agent(&self, what: &'static str) -> Result<()> {
        if self.is_agent() { self.needs_person(what) } else { Ok(()) }
    }
}

/// What only a person may do, where no memory is open.
pub fn needs_person(speaker: &Speaker, what: &'static str) -> Result<()> {
    match speaker.voice {
        Voice::Person => Ok(()),
        Voice::Agent => Err(EngineError::NeedsPerson { what, sign: speaker.sign }),
        Voice::Script => Err(EngineError::NeedsFlag { what }),
    }
}
