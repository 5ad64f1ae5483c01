//! `hardwon config model`

use clap::{Args, Subcommand};

use super::{CommandResult, Context};

mod chosen;
use chosen::UseArgs;

/// Choose a language model that looks back on runs
///
/// `model use` chooses who looks back on runs besides the fixed patterns: a provider, your own
/// `claude` or `codex`, or nobody. It shows first what that would cost at most on your last ten
/// runs.
#[derive(Args)]
pub struct ModelArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Choose who looks back on runs: heuristic, anthropic, openai, claude-cli, codex-cli or host
    Use(Box<UseArgs>),
}

impl ModelArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let Action::Use(args) = self.action;
        args.run(context)
    }
}
