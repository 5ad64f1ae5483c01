//! `hardwon check`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::runs;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};
use crate::args;

/// What did the lessons shown in a run do? (ArcheFlow: audit-check)
///
/// Compares each lesson that was shown with the findings of the run. `learn` does this
/// by itself; asking again gives the same answer.
#[derive(Args)]
pub struct Check {
    #[arg(value_parser = args::run_id)]
    run: RunId,
}

impl Check {
    pub fn run(self, context: &Context) -> Done {
        let mut engine = context.writer()?;
        let mut answer = runs::check(&mut engine.memory, &engine.call, &self.run)?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, json::check, |checked| text::check(checked, width));
        Ok(Exit::Done)
    }
}
