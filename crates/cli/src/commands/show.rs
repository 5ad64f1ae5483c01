//! `hardwon show`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// Everything about one lesson
#[derive(Args)]
pub struct Show {
    /// Its id, the beginning of its id, or an alias
    lesson: String,
}

impl Show {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = lessons::show(&engine.memory, &engine.call, &self.lesson)?;
        take_problems(&engine, &mut answer);
        let (now, width) = (engine.call.now, context.width());
        context.printer.answer(&answer, json::show, |story| text::show(story, now, width));
        Ok(Exit::Done)
    }
}
