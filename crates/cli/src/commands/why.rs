//! `hardwon why`

use clap::Args;
use hardwon_engine::lessons;
use hardwon_render::text;

use super::{Context, Done};

/// Why is this a lesson? Its runs, findings, transitions and effects, in order
#[derive(Args)]
pub struct Why {
    /// Its id, the beginning of its id, or an alias
    lesson: String,
}

impl Why {
    pub fn run(self, context: &Context) -> Done {
        let open = context.reader()?;
        let answer = lessons::show(&open.memory, &open.call, &self.lesson)?;
        context.print(&open, answer, text::why)
    }
}
