//! `hardwon decay`

use clap::Args;
use hardwon_engine::runs;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};

/// Let lessons fade that lost their standing or proved wrong
///
/// `learn` does this after every run; the sweep looks at every active lesson.
#[derive(Args)]
pub struct Decay {}

impl Decay {
    pub fn run(self, context: &Context) -> Done {
        let mut engine = context.writer()?;
        let mut answer = runs::decay(&mut engine.memory, &engine.call)?;
        take_problems(&engine, &mut answer);
        let width = context.width();
        context.printer.answer(&answer, json::decay, |swept| text::decay(swept, width));
        Ok(Exit::Done)
    }
}
