//! `hardwon import`

use clap::Args;
use hardwon_engine::Layout;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};
use crate::args;

/// Take another system's memory into yours
///
/// Reads an .archeflow folder: active and archived lessons, what was shown, and our own
/// notes beside them. Lessons wait in quarantine unless you vouched for the folder as it
/// is now (`hardwon trust`). The same again changes nothing.
#[derive(Args)]
pub struct Import {
    /// The folder, or the one that holds it
    path: String,
    /// Whose layout it is: archeflow
    #[arg(long = "from", value_name = "LAYOUT", value_parser = args::layout, default_value = "archeflow")]
    layout: Layout,
}

impl Import {
    pub fn run(self, context: &Context) -> Done {
        let mut engine = context.writer()?;
        let mut answer = engine.import(&context.environment, &self.path, self.layout)?;
        take_problems(&engine, &mut answer);
        context.printer.answer(&answer, json::import, text::import);
        Ok(Exit::Done)
    }
}
