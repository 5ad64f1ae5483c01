//! `hardwon why`

use clap::Args;
use hardwon_engine::answer::{Step, Time};
use hardwon_engine::lessons;
use hardwon_foreign::ask::merge;
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
        let mut answer = lessons::show(&open.memory, &open.call, &self.lesson)?;
        let id = &answer.body.page.lesson.id.0;
        let said = merge::remarks(&open.memory, &open.call, id)?;
        let said = said.into_iter().map(|(at, text)| Step { at: Time(at), run: None, text });
        answer.body.story.extend(said);
        context.print(&open, answer, text::why)
    }
}
