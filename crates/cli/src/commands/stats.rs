//! `hardwon stats`

use clap::Args;
use hardwon_engine::history;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// Counts by state, kind and effect
#[derive(Args)]
pub struct Stats {}

impl Stats {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = history::report(&engine.memory, &engine.call)?;
        take_problems(&engine, &mut answer);
        context.printer.answer(&answer, json::stats, text::stats);
        Ok(Exit::Done)
    }
}
