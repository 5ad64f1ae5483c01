//! `hardwon uninstall`

use clap::Args;
use hardwon_hosts::install;

use super::install::{Which, carry_out};
use super::{Context, Done};

/// Take memory out of the agents again
///
/// A file that is as `install` left it gets the very bytes back that it had before. If
/// somebody changed it since, only our entries go. Files that `install` made go, too.
/// Memory itself stays.
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
    pub fn run(self, context: &Context) -> Done {
        let plan = install::uninstall(&context.environment, &self.which.request())?;
        carry_out(context, plan, self.dry_run, self.yes)
    }
}
