//! `hardwon outcome`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::run::Outcome;
use hardwon_engine::runs;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};
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
    pub fn run(self, context: &Context) -> Done {
        let mut engine = context.writer()?;
        let mut answer =
            runs::outcome(&mut engine.memory, &engine.call, &self.run, self.outcome, self.correct)?;
        runs::reflect_later(&engine.memory, &engine.call, &context.environment, &self.run);
        take_problems(&engine, &mut answer);
        context.printer.answer(&answer, json::outcome, text::outcome);
        Ok(Exit::Done)
    }
}
