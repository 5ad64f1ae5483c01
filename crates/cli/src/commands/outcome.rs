//! `hardwon outcome`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::run::Outcome;
use hardwon_engine::runs;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// State how a run ended: success, partial, failed or aborted
#[derive(Args)]
pub struct OutcomeArgs {
    #[arg(value_parser = args::run_id)]
    run: RunId,
    #[arg(value_parser = args::outcome)]
    outcome: Outcome,
    /// Replace what was stated before
    #[arg(long)]
    correct: bool,
}

impl OutcomeArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let mut open = context.writer()?;
        let answer =
            runs::outcome(&mut open.memory, &open.call, &self.run, self.outcome, self.correct)?;
        runs::reflect_later(&open.memory, &open.call, &context.environment, &self.run);
        context.print(&open, answer, |body, _| text::outcome(body))
    }
}
