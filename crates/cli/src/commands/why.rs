//! `hardwon why`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Explain a lesson: its runs, findings, transitions and effects, in order
#[derive(Args)]
pub struct Why {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
}

impl Why {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = lessons::show(&open.memory, &open.call, &self.lesson)?;
        context.print(&open, answer, text::why)
    }
}
