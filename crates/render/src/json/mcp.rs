//! What the server for agents offers, without serving anybody.

use crate::answer::Status;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::envelope;

#[derive(Serialize, JsonSchema)]
pub(super) struct McpWire {
    /// What an agent is told when it connects.
    instructions: String,
    tools: Vec<ToolWire>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Tool")]
struct ToolWire {
    name: String,
    title: String,
    description: String,
}

/// `mcp`: each tool as name, title and description.
pub fn mcp<'a>(
    instructions: &str,
    tools: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
) -> Value {
    let tool = |(name, title, description): (&str, &str, &str)| ToolWire {
        name: name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
    };
    let wire = McpWire { instructions: instructions.to_owned(), tools: tools.map(tool).collect() };
    envelope(Status::Ok, &[], wire)
}
