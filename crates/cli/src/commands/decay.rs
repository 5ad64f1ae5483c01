//! `hardwon decay`

use clap::Args;
use hardwon_engine::runs;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Decay lessons that lost their standing or proved wrong
///
/// `learn` does this after every run; this command checks every active lesson.
#[derive(Args)]
pub struct Decay {}

impl Decay {
    pub fn run(self, context: &Context) -> CommandResult {
        let mut open = context.writer()?;
        let answer = runs::decay(&mut open.memory, &open.call)?;
        context.print(&open, answer, text::decay)
    }
}
