//! Whose memory it is, who is asking, and in which run. Memory is opened for each call: a server
//! lives as long as its client, and must not block other processes in between.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use hardwon_engine::ids::RunId;
use hardwon_engine::voice::{Speaker, UNNAMED_AGENT};
use hardwon_engine::{
    Access, EngineError, Environment, InjectRequest, OpenMemory, Options, blocks,
};

use hardwon_engine::answer::{Answer, Injected, NoteHit};
use hardwon_foreign::jkz::notes::{self, Loaded, NotesWanted};
use hardwon_hosts::hosts::loads_notes;
use hardwon_hosts::{run_of_meta, run_of_process, session_of_process};
use serde_json::{Map, Value};

use super::trouble::Trouble;
use crate::hands::Hand;
use crate::notes::{note_places, with_notes};

/// Every caller of this server is an agent, by the name that it was started with. What a client
/// calls itself does not count: one program could connect under two names and be two voices.
fn speaker(started_by: &Speaker, session: Option<RunId>) -> Speaker {
    let name = started_by.agent.as_deref().unwrap_or(UNNAMED_AGENT);
    Speaker { session, sign: started_by.sign, ..Speaker::agent(name) }
}

/// A name for a conversation that has none.
fn own_run(environment: &Environment, n: u64) -> Option<RunId> {
    let began = environment.now().map(|now| now.to_string()).unwrap_or_default();
    let more = if n == 0 { String::new() } else { format!("-{n}") };
    RunId::parse(&format!("mcp-{began}-{}{more}", std::process::id())).ok()
}

/// A note has to share so many words with a task, and so many notes are named: a task is long, and
/// most of its words say nothing.
const N_COMMON_WORDS: usize = 2;
const MAX_NOTES: usize = 3;

/// A block, and the notes that may help besides.
pub type Blocked = (Answer<Injected>, Vec<NoteHit>);

/// One client's conversation.
#[derive(Clone)]
pub struct Conversation {
    environment: Environment,
    options: Options,
    pub run: Option<RunId>,
}

/// The same in one call: only here memory is opened, on a thread that may wait.
pub struct Session {
    of: Conversation,
    _hand: PhantomData<*const Hand>,
}

impl Conversation {
    pub fn new(environment: &Environment, options: &Options) -> Self {
        let run = run_of_process().or_else(|| own_run(environment, 0));
        let session = session_of_process(environment).or_else(|| run.clone());
        Conversation::of(environment, options, run, session)
    }

    /// One of several conversations of this process. None of them is the run in which the process
    /// was started.
    pub fn of_connection(environment: &Environment, options: &Options) -> Self {
        static N: AtomicU64 = AtomicU64::new(1);
        let run = own_run(environment, N.fetch_add(1, Ordering::Relaxed));
        Conversation::of(environment, options, run.clone(), run)
    }

    fn of(
        environment: &Environment,
        options: &Options,
        run: Option<RunId>,
        session: Option<RunId>,
    ) -> Self {
        let speaker = speaker(&environment.speaker, session);
        let environment = Environment { speaker, ..environment.clone() };
        Conversation { environment, options: options.clone(), run }
    }

    /// It in one call, whose host says with it to which session it belongs. One connection
    /// may serve several.
    pub fn for_call(&self, _: &Hand, meta: &Map<String, Value>) -> Session {
        let mut of = self.clone();
        if let Some(run) = run_of_meta(self.agent(), meta) {
            of.environment.speaker.session = Some(run.clone());
            of.run = Some(run);
        }
        Session { of, _hand: PhantomData }
    }

    fn agent(&self) -> &str {
        self.environment.speaker.agent.as_deref().unwrap_or(UNNAMED_AGENT)
    }
}

impl Session {
    /// The run that was named, in whatever characters, or this conversation.
    pub fn run(&self, named: Option<&str>) -> Result<RunId, Trouble> {
        named.and_then(RunId::named).or_else(|| self.of.run.clone()).ok_or_else(|| {
            Trouble::wrong("this session has no name of its own", "name the run in `run`")
        })
    }

    /// The agent's name, for what it reports.
    pub fn agent(&self) -> &str {
        self.of.agent()
    }

    pub fn reader(&self) -> Result<OpenMemory, EngineError> {
        self.open(Access::Read)
    }

    pub fn writer(&self) -> Result<OpenMemory, EngineError> {
        self.open(Access::Write)
    }

    fn open(&self, access: Access) -> Result<OpenMemory, EngineError> {
        OpenMemory::open(&self.of.environment, &self.of.options, access)
    }

    /// The block for a need, recorded, and the notes that have words of its task. The project's
    /// notes are found by their words, whoever loads their index.
    pub fn block(&self, request: InjectRequest) -> Result<Blocked, EngineError> {
        let OpenMemory { mut memory, call } = self.open(Access::Record)?;
        let loaded = Loaded { project: true, notebook: loads_notes(Some(self.agent())) };
        let request = with_notes(request, &self.of.environment, &memory.settings, loaded);
        let answer = blocks::inject(&mut memory, &call, &request)?;
        let wanted = NotesWanted {
            text: request.need.text.as_deref().unwrap_or_default(),
            role: request.need.role.as_deref(),
            n_words: N_COMMON_WORDS,
            limit: MAX_NOTES,
        };
        let found = notes::find(&self.of.environment, &note_places(), &memory, &wanted);
        Ok((answer, found.iter().map(NoteHit::from).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_program_is_one_voice_whatever_it_calls_itself() {
        let given = Speaker { sign: Some("HARDWON_AGENT"), ..Speaker::agent("codex") };
        for (started_by, name) in [
            (given, "codex"),
            (Speaker::agent("claude-code"), "claude-code"),
            (Speaker::person(), "mcp"),
            (Speaker::default(), "mcp"),
        ] {
            let speaker = speaker(&started_by, RunId::parse("s1").ok());
            assert_eq!(speaker.agent.as_deref(), Some(name));
            assert_eq!(speaker.sign, started_by.sign);
            assert_eq!(speaker.session.map(|run| run.to_string()).as_deref(), Some("s1"));
        }
    }
}
