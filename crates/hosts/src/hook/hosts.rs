//! How does each host call its hooks? One row a host: what it calls its events and fields,
//! what it accepts as an answer, and how much. The next host is another row.

use serde_json::{Map, Value};

use crate::install::hosts::{CLAUDE_AGENT, CODEX_AGENT};

/// What happened, in our words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A session begins, or begins again.
    Start,
    Prompt,
    AgentStart,
    ToolFailed,
    /// A tool answered; whether it failed stands in its answer.
    ToolDone,
    AgentStop,
    Stop,
    End,
    Other,
}

/// What a host takes as the answer to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Not one byte.
    Nothing,
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}` and no other field.
    Context,
}

/// One event of a host.
pub struct EventRow {
    pub name: &'static str,
    pub kind: Kind,
    pub answer: Answer,
}

/// Under which names a host sends what; the first that is there counts. A dot goes into an
/// object.
pub struct Fields {
    pub event: &'static [&'static str],
    pub session: &'static [&'static str],
    pub agent_id: &'static [&'static str],
    pub role: &'static [&'static str],
    pub prompt_id: &'static [&'static str],
    pub tool_id: &'static [&'static str],
    pub folder: &'static [&'static str],
    pub prompt: &'static [&'static str],
    pub tool: &'static [&'static str],
    pub command: &'static [&'static str],
    /// Files in what a tool was called with.
    pub files: &'static [&'static str],
    pub error: &'static [&'static str],
    pub response: &'static [&'static str],
    pub last_message: &'static [&'static str],
    pub transcript: &'static [&'static str],
    pub source: &'static [&'static str],
}

/// What only one host sends.
pub enum Sign {
    Has(&'static str),
    Null(&'static str),
    /// A path whose file begins with this.
    File(&'static str, &'static str),
}

impl Sign {
    fn is_in(&self, object: &Map<String, Value>) -> bool {
        match self {
            Sign::Has(name) => object.get(*name).is_some_and(|value| !value.is_null()),
            Sign::Null(name) => object.get(*name).is_some_and(Value::is_null),
            Sign::File(name, start) => {
                let path = object.get(*name).and_then(Value::as_str).unwrap_or_default();
                path.rsplit('/').next().is_some_and(|file| file.starts_with(start))
            }
        }
    }
}

/// One host.
pub struct Host {
    /// As it is typed: `hardwon hook claude`. Run ids begin with it.
    pub word: &'static str,
    /// As lessons name it in their scope.
    pub provider: &'static str,
    /// By these its events are told from those of others who use the same entry.
    pub signs: &'static [Sign],
    /// What a tool answered is its bare output, without a word on how it ended.
    pub has_bare_output: bool,
    pub fields: Fields,
    pub events: &'static [EventRow],
    /// Above these the host puts the text into a file and shows a preview.
    pub max_chars: usize,
    pub max_tokens: u32,
}

impl Host {
    /// What is known of an event of this name.
    pub fn event(&self, name: &str) -> Option<&'static EventRow> {
        self.events.iter().find(|row| row.name == name)
    }
}

/// The host that is typed so.
pub fn host(word: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.word == word)
}

/// Who really speaks: the entry of one host, in a plugin or a shared file, may be read and
/// called by another.
pub fn speaking(called: &'static Host, object: &Map<String, Value>) -> &'static Host {
    let has_sign = |host: &&Host| host.signs.iter().any(|sign| sign.is_in(object));
    HOSTS.iter().find(has_sign).unwrap_or(called)
}

/// Every host's word, for messages.
pub fn words() -> String {
    let words: Vec<&str> = HOSTS.iter().map(|host| host.word).collect();
    words.join(", ")
}

/// The names that Claude Code gave its fields, which others took over.
const CLAUDE_FIELDS: Fields = Fields {
    event: &["hook_event_name"],
    session: &["session_id"],
    agent_id: &["agent_id"],
    role: &["agent_type"],
    prompt_id: &["prompt_id", "turn_id"],
    tool_id: &["tool_use_id"],
    folder: &["cwd"],
    prompt: &["prompt"],
    tool: &["tool_name"],
    command: &["tool_input.command"],
    files: &["tool_input.file_path", "tool_input.path", "tool_input.notebook_path"],
    error: &["error"],
    response: &["tool_response"],
    last_message: &["last_assistant_message"],
    transcript: &["agent_transcript_path", "transcript_path"],
    source: &["source"],
};

const fn row(name: &'static str, kind: Kind, answer: Answer) -> EventRow {
    EventRow { name, kind, answer }
}

const CLAUDE_EVENTS: &[EventRow] = &[
    row("SessionStart", Kind::Start, Answer::Context),
    row("UserPromptSubmit", Kind::Prompt, Answer::Context),
    row("SubagentStart", Kind::AgentStart, Answer::Context),
    row("PostToolUseFailure", Kind::ToolFailed, Answer::Context),
    row("PostToolUse", Kind::ToolDone, Answer::Context),
    // What is said here makes the agent go on, which is not ours to decide.
    row("SubagentStop", Kind::AgentStop, Answer::Nothing),
    row("Stop", Kind::Stop, Answer::Nothing),
    row("SessionEnd", Kind::End, Answer::Nothing),
];

const HOSTS: &[Host] = &[
    Host {
        word: "claude",
        provider: CLAUDE_AGENT,
        signs: &[],
        has_bare_output: false,
        fields: CLAUDE_FIELDS,
        events: CLAUDE_EVENTS,
        max_chars: 10_000,
        max_tokens: 2_500,
    },
    // No event of its own for a failure; output with an unknown field is refused.
    Host {
        word: "codex",
        provider: CODEX_AGENT,
        signs: &[
            Sign::Has("turn_id"),
            Sign::Null("transcript_path"),
            Sign::File("transcript_path", "rollout-"),
        ],
        has_bare_output: true,
        fields: CLAUDE_FIELDS,
        events: &[
            row("SessionStart", Kind::Start, Answer::Context),
            row("UserPromptSubmit", Kind::Prompt, Answer::Context),
            row("SubagentStart", Kind::AgentStart, Answer::Context),
            row("PostToolUse", Kind::ToolDone, Answer::Context),
            row("SubagentStop", Kind::AgentStop, Answer::Nothing),
            row("Stop", Kind::Stop, Answer::Nothing),
            row("SessionEnd", Kind::End, Answer::Nothing),
        ],
        max_chars: 10_000,
        max_tokens: 2_500,
    },
];
