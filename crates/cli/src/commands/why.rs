//! `hardwon why`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// Why is this a lesson? Its runs, findings, transitions and effects, in order
#[derive(Args)]
pub struct Why {
    /// Its id, the beginning of its id, or an alias
    lesson: String,
}

impl Why {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = lessons::show(&engine.memory, &engine.call, &self.lesson)?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, json::why, |story| text::why(story, width));
        Ok(Exit::Done)
    }
}
