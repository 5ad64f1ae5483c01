//! In which words does a host call its hooks? What it calls its fields, what it accepts as an
//! answer, and how much.

use serde_json::{Map, Value};

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
    /// The context of the session is about to be compacted.
    Compact,
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

/// Under which names a host sends what; the first that is there counts. A dot goes into an
/// object.
#[derive(Debug)]
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
#[derive(Debug)]
pub enum Sign {
    Has(&'static str),
    Null(&'static str),
    /// A path whose file begins with this.
    File(&'static str, &'static str),
}

impl Sign {
    pub fn is_in(&self, object: &Map<String, Value>) -> bool {
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

#[derive(Debug)]
pub struct Dialect {
    /// These distinguish its events from those of other hosts that use the same entry.
    pub signs: &'static [Sign],
    /// What a tool answered is its bare output, without a word on how it ended.
    pub has_bare_output: bool,
    pub fields: Fields,
    /// Above these the host puts the text into a file and shows a preview.
    pub max_chars: usize,
    pub max_tokens: u32,
}

/// The names that Claude Code gave its fields, which others took over.
pub const CLAUDE_FIELDS: Fields = Fields {
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

/// The value under a name; a dot goes into an object.
pub fn at<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    match name.split_once('.') {
        Some((outer, inner)) => object.get(outer)?.get(inner),
        None => object.get(name),
    }
}
