//! `hardwon pin`

use clap::Args;
use hardwon_engine::lessons;

use super::{Context, Done};

/// Give a lesson room of its own in every block, or take it away again
#[derive(Args)]
pub struct Pin {
    /// Its id, the beginning of its id, or an alias
    lesson: String,
    /// Unpin it
    #[arg(long)]
    off: bool,
}

impl Pin {
    pub fn run(self, context: &Context) -> Done {
        let mut open = context.writer()?;
        let answer = lessons::pin(&mut open.memory, &open.call, &self.lesson, !self.off)?;
        let lesson = &answer.body;
        if lesson.is_pinned && !lesson.is_injectable() && !context.printer.is_json() {
            context.printer.talk(&format!("not shown while it is {}", lesson.state));
        }
        context.lesson(&open, answer)
    }
}
