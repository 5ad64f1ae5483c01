//! `hardwon mark`

use clap::Args;
use hardwon_engine::effect::EffectKind;
use hardwon_engine::ids::RunId;
use hardwon_engine::{MarkRequest, runs};

use super::{CommandResult, Context};
use crate::args;

/// State what a lesson did in a run in which it was shown
///
/// What is stated here stays when the effects of the run are computed again. A lesson that
/// hurt twice goes under review and is not shown until it is reviewed.
#[derive(Args)]
pub struct Mark {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// helped, no_help, hurt, contradicted, neutral or no_opportunity
    #[arg(value_parser = args::effect)]
    effect: EffectKind,
    /// The run in which it was shown
    #[arg(long, value_parser = args::run_id)]
    run: RunId,
    /// Why, in a few words
    #[arg(long)]
    because: String,
}

impl Mark {
    pub fn run(self, context: &Context) -> CommandResult {
        let Mark { lesson, effect, run, because } = self;
        let request = MarkRequest { lesson, effect, run, because };
        context.changes(|memory, call| runs::mark(memory, call, &request), |_| None)
    }
}
