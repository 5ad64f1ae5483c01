//! `hardwon audit`

use std::io::{self, IsTerminal};

use clap::Args;
use hardwon_engine::{ListRequest, lessons};
use hardwon_faces::Exit;
use hardwon_foreign::notes;
use hardwon_render::text;

use super::{CommandResult, Context};

/// How many files are searched before progress is told, and how often.
const MANY_FILES: usize = 5_000;
const EVERY: usize = 2_000;

/// Which lessons do not hold any more, by the working tree and its history
///
/// Looks up every file, name, flag, script, version and date that a lesson of this project names.
/// Each finding has its proof and the command that acts on it; nothing is changed. Preferences and
/// rules are never stale. Exit status 1 if there is a finding.
#[derive(Args)]
pub struct Audit {
    /// Exit status 1 also if not all could be looked up, as when history takes too long
    #[arg(long)]
    strict: bool,
}

impl Audit {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let request = ListRequest::default();
        let listed = lessons::list(&open.memory, &open.call, &request)?.body.lessons;
        let tree = context.environment.checkout();
        let answer = notes::audit_lessons(tree, &listed, &mut searching(context))?;
        let is_whole = !self.strict || answer.problems.is_empty();
        let holds = answer.body.findings.is_empty() && is_whole;
        context.print(&open, answer, text::lessons_audit)?;
        Ok(if holds { Exit::Done } else { Exit::Negative })
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
