//! `hardwon import`

use clap::Args;
use hardwon_foreign::{LayoutName, Reach};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Import an export, or another system's memory
///
/// Reads a file that `hardwon export` wrote, an .archeflow, .openagents or .geas folder or a folder
/// of notes (active and archived lessons, what was shown, and our own file beside them), or the file
/// of the MCP memory server: each observation and each relation becomes a lesson. An export that
/// was changed or cut off is refused completely. Lessons wait in quarantine unless you trust the
/// file or folder as it is now (`hardwon review trust`). Importing it again changes nothing, and what was
/// forgotten here stays forgotten. The answer lists what has no place here.
#[derive(Args)]
pub struct Import {
    /// The file; or the folder, or the one that contains it
    path: String,
    /// Its layout: hardwon, archeflow, openagents, geas, jkz (a folder of notes) or mcp
    /// [default: detected from the content]
    #[arg(long = "from", value_name = "LAYOUT", value_parser = args::layout)]
    layout: Option<LayoutName>,
    /// Also the lessons that hold in all projects, which OpenAgents keeps in your home folder
    #[arg(long = "global")]
    is_global: bool,
}

impl Import {
    pub fn run(self, context: &Context) -> CommandResult {
        let mut open = context.writer()?;
        let (environment, path) = (&context.environment, &self.path);
        let reach = if self.is_global { Reach::Everywhere } else { Reach::Project };
        let (memory, call) = (&mut open.memory, &open.call);
        let answer = hardwon_foreign::import(memory, call, environment, path, self.layout, reach)?;
        context.print(&open, answer, |body, _| text::import(body))
    }
}
