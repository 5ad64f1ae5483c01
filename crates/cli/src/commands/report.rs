//! `hardwon report`

use clap::Args;
use hardwon_engine::history;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// What is being learned, and what it is worth
#[derive(Args)]
pub struct Report {}

impl Report {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = history::report(&engine.memory, &engine.call)?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, json::report, |report| text::report(report, width));
        Ok(Exit::Done)
    }
}
