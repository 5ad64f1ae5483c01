//! `hardwon uninstall`

use clap::Args;
use hardwon_hosts::install;

use super::install::{Which, carry_out};
use super::{CommandResult, Context};

/// Disconnect memory from the agents
///
/// A file that is as `install` left it gets its previous bytes back. From a file that was changed
/// since, only our entries are removed. Files that `install` created are deleted. Memory itself
/// stays.
#[derive(Args)]
pub struct Uninstall {
    #[command(flatten)]
    which: Which,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Uninstall {
    pub fn run(self, context: &Context) -> CommandResult {
        let plan = install::uninstall(&context.environment, &self.which.request())?;
        carry_out(context, plan, self.dry_run, self.yes, |_| {})
    }
}
