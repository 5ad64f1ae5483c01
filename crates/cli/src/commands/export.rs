//! `hardwon export` and `import`.

use clap::Args;
use hardwon_engine::transfer;
use hardwon_faces::{Exit, Failure};
use hardwon_foreign::{LayoutName, Reach};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// Write the project's memory to a file, or in another system's layout
///
/// Our own format contains lessons, runs, findings, what was shown, effects and the marks of
/// what was forgotten, and ends with a digest; the same memory gives the same bytes. In
/// another system's layout, what its files have no place for goes into a file of ours
/// beside them, so that importing the folder again brings every lesson back. The answer lists it
/// field by field.
#[derive(Args)]
pub struct Export {
    /// The file [default: standard output]; or a folder of another system, or the one that
    /// contains it, created if missing
    path: Option<String>,
    /// The layout: hardwon, archeflow, openagents, geas or jkz (a folder of notes) [default:
    /// archeflow for an existing folder, else hardwon]
    #[arg(long = "to", value_name = "LAYOUT", value_parser = args::layout)]
    layout: Option<LayoutName>,
    /// Also the global lessons, which stay global; to openagents they go into the file in your
    /// home folder. Our own format has them in any case
    #[arg(long = "global")]
    is_global: bool,
    /// Replace a file that is not an export
    #[arg(long)]
    yes: bool,
}

impl Export {
    pub fn run(self, context: &Context) -> CommandResult {
        if let Some(layout) = self.layout.filter(|layout| !layout.is_writable()) {
            let known = LayoutName::all_writable().into_iter().map(LayoutName::word);
            let known = known.collect::<Vec<_>>().join(", ");
            let told = format!("{} can only be imported; --to takes {known}", layout.word());
            return Err(Failure::usage(told, None));
        }
        let open = context.reader()?;
        let environment = &context.environment;
        let Some(path) = &self.path else { return self.print(context) };
        let is_folder = environment.folder.join(path).is_dir();
        let by_path = if is_folder { LayoutName::OF_FOLDERS } else { LayoutName::OWN };
        let layout = self.layout.unwrap_or(by_path);
        let answer = if layout.is_own() {
            transfer::export_to_file(&open.memory, &open.call, environment, path, self.yes)?
        } else {
            let reach = if self.is_global { Reach::Everywhere } else { Reach::Project };
            hardwon_foreign::export(&open.memory, &open.call, environment, path, layout, reach)?
        };
        context.print(&open, answer, |body, _| text::export(body))
    }

    fn print(&self, context: &Context) -> CommandResult {
        if self.layout.is_some_and(|layout| !layout.is_own()) {
            return Err(Failure::usage("another system's layout needs a folder", None));
        }
        if context.printer.is_json() {
            let hint = Some("the export itself is JSON lines; without --json it is printed");
            return Err(Failure::usage("name a FILE, to have an answer beside it", hint));
        }
        let open = context.reader()?;
        let (text, _) = transfer::export_own(&open.memory, &open.call)?;
        context.printer.data(&text);
        context.printer.problems(&open.memory.settings.problems);
        Ok(Exit::Done)
    }
}

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
