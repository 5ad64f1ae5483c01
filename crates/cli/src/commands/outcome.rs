//! `hardwon outcome`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::run::Outcome;
use hardwon_engine::{Call, Memory, runs};
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
        let OutcomeArgs { run, outcome, correct } = &self;
        let state = |memory: &mut Memory, call: &Call| {
            let answer = runs::outcome(memory, call, run, *outcome, *correct)?;
            runs::reflect_later(memory, call, &context.environment, run);
            Ok(answer)
        };
        context.writes(state, |body, _| text::outcome(body))
    }
}
