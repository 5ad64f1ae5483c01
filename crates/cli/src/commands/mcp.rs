//! `hardwon mcp`

use std::io::{self, IsTerminal};

use clap::Args;
use clap::builder::PossibleValuesParser;
use hardwon_engine::answer::{Answer, Served};
use hardwon_faces::mcp::Offer;
use hardwon_faces::{Exit, mcp};
use hardwon_render::json;

use super::{CommandResult, Context};

/// Serve an agent over the Model Context Protocol, on standard input and output
///
/// Seven tools: lessons before a task, findings and the outcome after it. An agent starts it,
/// and it ends when the agent closes its input; every caller counts as an agent. With --json it
/// only prints what it offers. docs/mcp.md explains how to connect an agent.
#[derive(Args)]
pub struct Mcp {
    /// Which tools: all, or archivist for an agent that looks back on runs
    #[arg(long, value_name = "WHICH", default_value = "all",
          value_parser = PossibleValuesParser::new(["all", "archivist"]))]
    tools: String,
}

impl Mcp {
    pub fn run(self, context: &Context) -> CommandResult {
        let offer = if self.tools == "archivist" { Offer::Archivist } else { Offer::All };
        if context.printer.is_json() {
            let tools = mcp::tools(offer).collect();
            let served = Served { instructions: offer.instructions().into(), tools };
            context.printer.json(&json::answer(&Answer::of(served, Vec::new())));
            return Ok(Exit::Done);
        }
        if io::stdin().is_terminal() {
            context.printer.talk("waiting for an agent that speaks MCP; Ctrl-D ends it");
        }
        mcp::serve(&context.environment, &context.options, offer)?;
        Ok(Exit::Done)
    }
}
