//! Whose memory is it, who is asking, and in which run? Opened anew for each call: a
//! server lives as long as its client, and must not stand in anybody's way in between.

use hardwon_engine::ids::RunId;
use hardwon_engine::{Access, Engine, EngineError, Environment, InjectRequest, Options};

use hardwon_engine::answer::{Answer, Injected};

use super::trouble::Trouble;
use crate::serve_block;

/// One client's conversation.
pub struct Session {
    environment: Environment,
    options: Options,
    /// An agent's name that somebody gave us counts, whatever the client calls itself.
    has_given_agent: bool,
    run: Option<RunId>,
}

impl Session {
    pub fn new(environment: &Environment, options: &Options) -> Self {
        let began = environment.now().map(|now| now.to_string()).unwrap_or_default();
        let run = RunId::parse(&format!("mcp-{began}-{}", std::process::id()));
        Session {
            has_given_agent: environment.agent.is_some(),
            environment: environment.clone(),
            options: options.clone(),
            run: run.ok(),
        }
    }

    /// Whoever speaks here is an agent; the client's name is its name.
    pub fn set_agent(&mut self, client: String) {
        if !self.has_given_agent {
            let name = client.trim();
            let name = if name.is_empty() { "mcp" } else { name };
            self.environment.agent = Some(name.to_owned());
        }
    }

    /// The run that is meant: the one that was named, or this conversation.
    pub fn run(&self, named: Option<&str>) -> Result<RunId, Trouble> {
        match named.map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => RunId::parse(name).map_err(|reason| {
                Trouble::wrong(reason, "leave `run` out, and this session is the run")
            }),
            None => self.run.clone().ok_or_else(|| {
                Trouble::wrong("this session has no name of its own", "name the run in `run`")
            }),
        }
    }

    /// The agent's name, for what it reports.
    pub fn agent(&self) -> &str {
        self.environment.agent.as_deref().unwrap_or("mcp")
    }

    pub fn reader(&self) -> Result<Engine, EngineError> {
        Engine::open(&self.environment, &self.options, Access::Read)
    }

    pub fn writer(&self) -> Result<Engine, EngineError> {
        Engine::open(&self.environment, &self.options, Access::Write)
    }

    /// The block for a need, recorded.
    pub fn block(&self, request: &InjectRequest) -> Result<Answer<Injected>, EngineError> {
        serve_block::serve(&self.environment, &self.options, request, &mut |_| {})
    }
}
