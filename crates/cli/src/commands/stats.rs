//! `hardwon stats`

use clap::Args;
use hardwon_engine::history;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Counts by state, kind and effect
#[derive(Args)]
pub struct Stats {}

impl Stats {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = history::report(&open.memory, &open.call)?.map(|report| report.stats);
        context.print(&open, answer, |stats, _| text::stats(stats))
    }
}
