//! `hardwon report`

use clap::Args;
use hardwon_engine::history;
use hardwon_render::text;

use super::{CommandResult, Context};

/// What is being learned, and how much it helps
#[derive(Args)]
pub struct Report {}

impl Report {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = history::report(&open.memory, &open.call)?;
        context.print(&open, answer, text::report)
    }
}
