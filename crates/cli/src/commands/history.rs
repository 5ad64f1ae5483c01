//! `hardwon history`

use clap::Args;
use hardwon_engine::history;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// What was changed, when, by whom and why; newest first
#[derive(Args)]
pub struct History {
    /// Only this lesson: its id, the beginning of its id, or an alias
    lesson: Option<String>,
    /// At most so many changes
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

impl History {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = history::history(
            &engine.memory,
            &engine.call,
            self.lesson.as_deref(),
            Some(self.limit),
        )?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, json::history, |history| text::history(history, width));
        Ok(Exit::Done)
    }
}
