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
    /// What the lesson said before: its last versions, newest first
    #[arg(long, requires = "lesson")]
    versions: bool,
    /// At most this many changes
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

impl History {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        if let (true, Some(lesson)) = (self.versions, &self.lesson) {
            let answer = history::versions(&open.memory, &open.call, lesson)?;
            return context.print(&open, answer, text::versions);
        }
        let answer =
            history::history(&open.memory, &open.call, self.lesson.as_deref(), Some(self.limit))?;
        context.print(&open, answer, text::history)
    }
}
