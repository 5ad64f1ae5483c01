//! `hardwon pin`

use clap::Args;
use hardwon_engine::lessons;

use super::{CommandResult, Context};

/// Reserve space for a lesson in every block, or unpin it
#[derive(Args)]
pub struct Pin {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
    /// Unpin it
    #[arg(long)]
    off: bool,
}

impl Pin {
    pub fn run(self, context: &Context) -> CommandResult {
        let mut open = context.writer()?;
        let answer = lessons::pin(&mut open.memory, &open.call, &self.lesson, !self.off)?;
        let lesson = &answer.body;
        if lesson.is_pinned && !lesson.is_injectable() && !context.printer.is_json() {
            context.printer.talk(&format!("not shown while it is {}", lesson.state));
        }
        context.lesson(&open, answer)
    }
}
