//! `hardwon guard`

use clap::{Args, Subcommand};
use hardwon_engine::ids::RunId;
use hardwon_engine::runs;
use hardwon_faces::Exit;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Exit with 1 until a condition is met: for pipelines that enforce a step
#[derive(Args)]
pub struct Guard {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The run was learned, has an outcome, and every lesson shown to it was judged
    RunClosed {
        #[arg(value_parser = args::run_id)]
        run: RunId,
    },
    /// The lesson does not wait for a decision
    Reviewed {
        /// The lesson: its id, a unique prefix of it, or an alias
        lesson: String,
    },
}

impl Guard {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = match self.what {
            What::RunClosed { run } => runs::guard_run_closed(&open.memory, &open.call, &run)?,
            What::Reviewed { lesson } => runs::guard_reviewed(&open.memory, &open.call, &lesson)?,
        };
        context.answer(&answer, |guarded, _| text::guard(guarded))?;
        Ok(if answer.body.is_met { Exit::Done } else { Exit::Negative })
    }
}
