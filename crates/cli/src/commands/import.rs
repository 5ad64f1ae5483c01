//! `hardwon import`

use clap::Args;
use hardwon_foreign::LayoutName;
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Import an export, or another system's memory
///
/// Reads a file that `hardwon export` wrote, or an .archeflow or .openagents folder: active and
/// archived lessons, what was shown, and our own file beside them. A file that was changed or
/// cut off is refused completely. Lessons wait in quarantine unless you trust the file or folder
/// as it is now (`hardwon trust`). Importing it again changes nothing, and what was forgotten
/// here stays forgotten.
#[derive(Args)]
pub struct Import {
    /// The file; or the folder, or the one that contains it
    path: String,
    /// Its layout: hardwon, archeflow or openagents [default: detected from the content]
    #[arg(long = "from", value_name = "LAYOUT", value_parser = args::layout)]
    layout: Option<LayoutName>,
}

impl Import {
    pub fn run(self, context: &Context) -> CommandResult {
        let mut open = context.writer()?;
        let (environment, path) = (&context.environment, &self.path);
        let answer =
            hardwon_foreign::import(&mut open.memory, &open.call, environment, path, self.layout)?;
        context.print(&open, answer, |body, _| text::import(body))
    }
}
