//! `hardwon history`

use clap::Args;
use hardwon_engine::history;
use hardwon_render::text;

use super::{CommandResult, Context};

/// What was changed, when, by whom and why; newest first
#[derive(Args)]
pub struct History {
    /// Only this lesson: its id, a unique prefix of it, or an alias
    lesson: Option<String>,
    /// At most this many changes
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

impl History {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer =
            history::history(&open.memory, &open.call, self.lesson.as_deref(), Some(self.limit))?;
        context.print(&open, answer, text::history)
    }
}
