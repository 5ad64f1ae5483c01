//! `hardwon check`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::runs;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Show what the lessons shown in a run did (ArcheFlow: audit-check)
///
/// Compares each lesson that was shown with the findings of the run. `learn` does this
/// automatically; doing it again gives the same answer.
#[derive(Args)]
pub struct Check {
    #[arg(value_parser = args::run_id)]
    run: RunId,
}

impl Check {
    pub fn run(self, context: &Context) -> CommandResult {
        context.writes(|memory, call| runs::check(memory, call, &self.run), text::check)
    }
}
