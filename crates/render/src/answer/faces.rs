//! The answers that faces make themselves: a command in another system's words, and what the
//! server for agents offers.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, Status};

/// What a command in another system's words answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ForeignWords {
    /// What the command would have printed on standard output.
    pub output: String,
    /// What it said on standard error, line by line.
    pub messages: Vec<String>,
    /// The exit status.
    pub exit: u32,
}

/// What the server for agents offers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Served {
    /// What an agent is told when it connects.
    pub instructions: String,
    pub tools: Vec<Tool>,
}

/// One tool of that server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
}

/// Where memory is served over HTTP. Nothing in it: no server runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Serving {
    /// With a code that is good once, where one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Where the token of scripts lies, after it was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_file: Option<String>,
}

impl ForeignWords {
    /// The words as an answer, with the status that they mean.
    pub fn answer(self) -> Answer<ForeignWords> {
        let status = match (self.exit, self.output.is_empty()) {
            (0, true) if self.messages.is_empty() => Status::Empty,
            // A regression that was found is an answer, whatever the exit status.
            (0, _) | (_, false) => Status::Ok,
            (_, true) => Status::Failed,
        };
        Answer { status, problems: Vec::new(), body: self }
    }
}
