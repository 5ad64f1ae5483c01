//! `hardwon pin`

use clap::Args;

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
        let mut engine = context.writer()?;
        let answer = engine.pin(&self.lesson, !self.off)?;
        context.lesson(&engine, answer)
    }
}
