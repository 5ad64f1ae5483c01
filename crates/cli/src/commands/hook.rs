//! `hardwon hook`

use std::io::{self, Write};

use clap::Args;
use hardwon_faces::Exit;
use hardwon_hosts::hosts;

use super::{CommandResult, Context};

/// Answer an event of an agent's host, given as JSON on standard input
///
/// The host calls this; `hardwon install` writes the entry into its settings. Prints an answer
/// in the host's own form or nothing, and always exits with 0; `hardwon doctor` shows what went
/// wrong. docs/agents.md describes what is read and printed when.
#[derive(Args)]
pub struct Hook {
    // Any word is taken: exit status 2 would make a host stop its agent.
    #[arg(value_name = "HOST", help = hosts::names().join(" or "))]
    host: String,
}

impl Hook {
    pub fn run(self, context: &Context) -> CommandResult {
        let print = |answer: &str| {
            let mut stdout = io::stdout().lock();
            // A host that does not read the answer any more is not an error.
            let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.flush());
        };
        let (environment, options) = (&context.environment, &context.options);
        hardwon_faces::hook(&self.host, environment, options, io::stdin(), print);
        Ok(Exit::Done)
    }
}
