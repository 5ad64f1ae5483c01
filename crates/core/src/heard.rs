//! What was said and done in a session, in its order and the same for every host: what a digest is
//! made of. Nothing is judged here; a transcript in, this out.

use crate::command::output::End;
use crate::episode::StepKind;

/// How much of one output is looked at: its start, and its end, where errors stand.
pub const HEAD_BYTES: usize = 24 << 10;
pub const TAIL_BYTES: usize = 40 << 10;
/// Most that is kept of one session; a longer one goes on without a reader's eyes.
pub const MAX_HEARD: usize = 6_000;

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// Where it stands in its source.
    pub line: u64,
    /// The sub-agent; none is the main agent, or the person who speaks with it.
    pub agent: Option<String>,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A turn of a person, with whatever it was pasted together from.
    Typed(String),
    /// It stands under the user's name, and nobody typed it: why, and what.
    Put(&'static str, String),
    /// The agent said it.
    Said(String),
    Called(Box<Called>),
    /// The person stopped the agent.
    Interrupted,
}

/// A call of a tool with what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    pub tool: String,
    pub kind: StepKind,
    /// The command line, the file, or what was looked for.
    pub action: String,
    /// Of an edit: what went and what came.
    pub change: Option<(String, String)>,
    pub output: String,
    /// As its host states it; a status that a pipe hides is none.
    pub end: End,
}

impl Called {
    /// Whether what came back was written outside of the project: a page, or another server's answer.
    pub fn is_foreign(&self) -> bool {
        let tool = self.tool.to_ascii_lowercase();
        let is_web = ["webfetch", "websearch", "web_fetch", "web_search", "google_web_search"];
        is_web.contains(&tool.as_str()) || tool.starts_with("mcp__") && !tool.contains("hardwon")
    }
}

/// Sessions for tests: what was typed, and calls with what they printed.
#[cfg(test)]
pub mod samples {
    use super::*;

    fn main(what: What) -> Heard {
        Heard { line: 0, agent: None, what }
    }

    pub fn typed(turn: &str) -> Heard {
        main(What::Typed(turn.to_owned()))
    }

    pub fn said(text: &str) -> Heard {
        main(What::Said(text.to_owned()))
    }

    /// A command with its output, as the host states how it ended.
    pub fn ran(command: &str, output: &str, end: End) -> Heard {
        called("Bash", StepKind::Command, command, output, end)
    }

    pub fn called(tool: &str, kind: StepKind, action: &str, output: &str, end: End) -> Heard {
        let (tool, action, output) = (tool.to_owned(), action.to_owned(), output.to_owned());
        main(What::Called(Box::new(Called { tool, kind, action, change: None, output, end })))
    }

    pub fn edited(path: &str) -> Heard {
        called("Edit", StepKind::Edit, path, "", End::Ok)
    }
}
