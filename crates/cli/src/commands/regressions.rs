//! `hardwon regressions`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::runs;
use hardwon_faces::Exit;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Findings that had been fixed in an earlier run and are back; exit status 1 if any
#[derive(Args)]
pub struct Regressions {
    /// The run to check [default: the newest learned one]
    #[arg(value_parser = args::run_id)]
    run: Option<RunId>,
}

impl Regressions {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = runs::regressions(&open.memory, &open.call, self.run.as_ref())?;
        let exit = if answer.body.regressions.is_empty() { Exit::Done } else { Exit::Negative };
        context.print(&open, answer, |body, _| text::regressions(body))?;
        Ok(exit)
    }
}
