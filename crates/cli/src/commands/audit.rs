//! `hardwon audit`

use std::io::{self, IsTerminal};

use clap::Args;
use hardwon_faces::Exit;
use hardwon_foreign::audit;
use hardwon_render::answer::{Answer, LessonsAudit};
use hardwon_render::text;

use super::{CommandResult, Context};

/// How many files are searched before progress is told, and how often.
const MANY_FILES: usize = 5_000;
const EVERY: usize = 2_000;

/// What is wrong with this project's lessons, or with any memory in files
///
/// Finds secrets (their place, never the value), text that gives orders, opposites, facts whose
/// files, names or scripts are gone, other versions or dates, duplicates, what CLAUDE.md or
/// AGENTS.md says already, and lessons that were never shown: counts, and three examples of each
/// kind. A PATH is only read and never used: a folder of archeflow, openagents, geas or notes, an
/// export, the file of the MCP memory server, or Markdown such as MEMORY.md. Without one, each
/// lesson that does not hold comes with the command that acts on it; nothing is changed.
#[derive(Args)]
pub struct Audit {
    /// Files or folders [default: this project's own lessons]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Exit status 1 if something is found, or if not all could be looked up
    #[arg(long)]
    strict: bool,
}

impl Audit {
    pub fn run(self, context: &Context) -> CommandResult {
        let (environment, mut progress) = (&context.environment, searching(context));
        if !self.paths.is_empty() {
            let answer = audit::audit_paths(environment, &self.paths, &mut progress)?;
            let exit = self.exit(&answer);
            context.answer(&answer, text::lessons_audit)?;
            return Ok(exit);
        }
        let open = context.reader()?;
        let answer = audit::audit_own(&open.memory, &open.call, environment, &mut progress)?;
        let exit = self.exit(&answer);
        context.print(&open, answer, text::lessons_audit)?;
        Ok(exit)
    }

    fn exit(&self, answer: &Answer<LessonsAudit>) -> Exit {
        let is_clean = answer.body.kinds.is_empty() && answer.problems.is_empty();
        if self.strict && !is_clean { Exit::Negative } else { Exit::Done }
    }
}

/// Tells a person at a terminal how far a long search is.
pub fn searching(context: &Context) -> impl FnMut(usize, usize) {
    let is_shown = io::stderr().is_terminal() && !context.printer.is_json();
    move |done: usize, all: usize| {
        if is_shown && all > MANY_FILES && done.is_multiple_of(EVERY) {
            context.printer.talk(&format!("searching: file {} of {all}", done + 1));
        }
    }
}
