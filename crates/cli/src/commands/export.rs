//! `hardwon export`

use clap::Args;
use hardwon_engine::Layout;
use hardwon_faces::Exit;
use hardwon_render::{json, text};

use super::{Context, Done, take_problems};
use crate::args;

/// Write the project's memory in another system's layout
///
/// What its files have no place for goes into a file of ours beside them, so that
/// importing the folder again brings every lesson back, with evidence and effects.
#[derive(Args)]
pub struct Export {
    /// The folder, or the one that holds it; made if it is not there
    path: String,
    /// In whose layout: archeflow
    #[arg(long = "to", value_name = "LAYOUT", value_parser = args::layout, default_value = "archeflow")]
    layout: Layout,
}

impl Export {
    pub fn run(self, context: &Context) -> Done {
        let engine = context.reader()?;
        let mut answer = engine.export(&context.environment, &self.path, self.layout)?;
        take_problems(&engine, &mut answer);
        context.printer.answer(&answer, json::export, text::export);
        Ok(Exit::Done)
    }
}
