//! `hardwon regressions`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::runs;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};
use crate::args;

/// Findings that had been fixed in an earlier run and are back; exit status 1 if any
#[derive(Args)]
pub struct Regressions {
    /// The run to look at [default: the newest learned one]
    #[arg(value_parser = args::run_id)]
    run: Option<RunId>,
}

impl Regressions {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = runs::regressions(&engine.memory, &engine.call, self.run.as_ref())?;
        take_problems(&engine, &mut answer);
        context.printer.answer(&answer, json::regressions, |found| text::regressions(found));
        Ok(if answer.body.is_empty() { Exit::Done } else { Exit::Negative })
    }
}
