//! What a command in another system's words answered.

use crate::answer::Status;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::envelope;

#[derive(Serialize, JsonSchema)]
pub(super) struct SaidWire {
    /// What the command would have printed on standard output.
    output: String,
    /// What it said on standard error, line by line.
    messages: Vec<String>,
    /// The exit status.
    exit: u32,
}

/// The answer of a command that speaks for another system.
pub fn said(output: &str, messages: &[String], exit: u8) -> Value {
    let status = match (exit, output.is_empty()) {
        (0, true) if messages.is_empty() => Status::Empty,
        // A regression that was found is an answer, whatever the exit status.
        (0, _) | (_, false) => Status::Ok,
        (_, true) => Status::Failed,
    };
    let body =
        SaidWire { output: output.to_owned(), messages: messages.to_vec(), exit: exit.into() };
    envelope(status, &[], body)
}
