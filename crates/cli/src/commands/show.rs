//! `hardwon show`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Everything about one lesson
#[derive(Args)]
pub struct Show {
    /// The lesson: its id, a unique prefix of it, or an alias
    lesson: String,
}

impl Show {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let answer = lessons::show(&open.memory, &open.call, &self.lesson)?;
        let now = open.call.now;
        context.print(&open, answer.map(|story| story.page), |page, width| {
            text::show(page, now, width)
        })
    }
}
