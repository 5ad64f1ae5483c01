//! Whose memory it is, who is asking, and in which run. Memory is opened for each call: a server
//! lives as long as its client, and must not block other processes in between.

use hardwon_engine::ids::RunId;
use hardwon_engine::{
    Access, EngineError, Environment, InjectRequest, OpenMemory, Options, blocks,
};

use hardwon_engine::answer::{Answer, Injected};
use hardwon_hosts::{hosts, run_of_process};

use super::trouble::Trouble;

/// One client's conversation.
pub struct Session {
    environment: Environment,
    options: Options,
    /// The agent's name from the environment.
    given_agent: Option<String>,
    run: Option<RunId>,
}

/// The agent's name: the one that was given; else the one that the hooks of its host use, so
/// that both are the same agent; else the client's own. The name of one host in a settings entry
/// that another host also reads, as in a plugin, is not used for the other.
fn agent_name<'a>(given: Option<&'a str>, client: &'a str) -> &'a str {
    let host = hosts::of_client(client);
    let is_of_host = |name: &&str| hosts::HOSTS.iter().any(|host| host.agent == *name);
    match (given, host) {
        (Some(given), Some(host)) if is_of_host(&given) => host.agent,
        (Some(given), _) => given,
        (None, Some(host)) => host.agent,
        (None, None) if client.is_empty() => "mcp",
        (None, None) => client,
    }
}

impl Session {
    pub fn new(environment: &Environment, options: &Options) -> Self {
        let began = environment.now().map(|now| now.to_string()).unwrap_or_default();
        let own = || RunId::parse(&format!("mcp-{began}-{}", std::process::id())).ok();
        Session {
            given_agent: environment.agent.clone(),
            environment: environment.clone(),
            options: options.clone(),
            run: run_of_process().or_else(own),
        }
    }

    /// Every caller of this server counts as an agent.
    pub fn set_agent(&mut self, client: &str) {
        self.environment.agent =
            Some(agent_name(self.given_agent.as_deref(), client.trim()).to_owned());
    }

    /// The run that was named, in whatever characters, or this conversation.
    pub fn run(&self, named: Option<&str>) -> Result<RunId, Trouble> {
        named.and_then(RunId::named).or_else(|| self.run.clone()).ok_or_else(|| {
            Trouble::wrong("this session has no name of its own", "name the run in `run`")
        })
    }

    /// The agent's name, for what it reports.
    pub fn agent(&self) -> &str {
        self.environment.agent.as_deref().unwrap_or("mcp")
    }

    pub fn reader(&self) -> Result<OpenMemory, EngineError> {
        OpenMemory::open(&self.environment, &self.options, Access::Read)
    }

    pub fn writer(&self) -> Result<OpenMemory, EngineError> {
        OpenMemory::open(&self.environment, &self.options, Access::Write)
    }

    /// The block for a need, recorded.
    pub fn block(&self, request: &InjectRequest) -> Result<Answer<Injected>, EngineError> {
        let OpenMemory { mut memory, call } =
            OpenMemory::open(&self.environment, &self.options, Access::Record)?;
        blocks::inject(&mut memory, &call, request)
    }
}

#[cfg(test)]
mod tests {
    use super::agent_name;

    #[test]
    fn an_agent_has_one_name() {
        let cases = [
            (None, "claude-code", "claude-code"),
            (None, "codex-mcp-client", "codex"),
            (Some("codex"), "codex-mcp-client", "codex"),
            (Some("claude-code"), "codex-mcp-client", "codex"),
            (Some("codex"), "raw", "codex"),
            (Some("mine"), "claude-code", "mine"),
            (None, "raw", "raw"),
            (None, "", "mcp"),
        ];
        for (given, client, name) in cases {
            assert_eq!(agent_name(given, client), name, "{given:?} {client}");
        }
    }
}
