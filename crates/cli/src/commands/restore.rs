//! `hardwon restore`

use clap::Args;
use hardwon_engine::lessons;

use super::{CommandResult, Context};

/// Bring back a lesson that was forgotten or has decayed
#[derive(Args)]
pub struct Restore {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
}

impl Restore {
    pub fn run(self, context: &Context) -> CommandResult {
        let mut open = context.writer()?;
        let answer = lessons::restore(&mut open.memory, &open.call, &self.lesson)?;
        context.lesson(&open, answer)
    }
}
