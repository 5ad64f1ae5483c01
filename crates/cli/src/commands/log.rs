//! `hardwon log` and `undo`: changes, events and regressions.

use clap::Args;
use hardwon_engine::ids::OperationId;
use hardwon_engine::{history, runs};
use hardwon_faces::{Exit, Failure};
use hardwon_render::text;

use super::{CommandResult, Context, events};
use crate::args;

/// What was changed, when, by whom and why; newest first
#[derive(Args)]
pub struct Log {
    /// Only this lesson: its id, a unique prefix of it, or an alias; with --regressions, a run
    #[arg(value_name = "LESSON")]
    name: Option<String>,
    /// What the lesson said before: its last versions, newest first
    #[arg(long, requires = "name")]
    versions: bool,
    /// Findings that had been fixed in an earlier run and are back; exit status 1 if any
    /// [default run: the newest learned one]
    #[arg(long, conflicts_with_all = ["versions", "limit"])]
    regressions: bool,
    #[command(flatten)]
    events: events::Events,
    /// At most this many changes [default: 50], or earlier events [default: 50; all with --since]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// How many changes are listed without --limit.
const N_SHOWN: usize = 50;

impl Log {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.events.is_wanted() {
            return self.events.run(context, self.limit);
        }
        if self.regressions {
            return regressions(context, self.name.as_deref());
        }
        let name = self.name.as_deref();
        if let (true, Some(lesson)) = (self.versions, name) {
            return context
                .reads(|memory, call| history::versions(memory, call, lesson), text::versions);
        }
        let limit = Some(self.limit.unwrap_or(N_SHOWN));
        context.reads(|memory, call| history::history(memory, call, name, limit), text::history)
    }
}

/// Findings of a run, or of the newest learned one, that had been fixed in an earlier run.
pub fn regressions(context: &Context, run: Option<&str>) -> CommandResult {
    let run = run.map(args::run_id).transpose().map_err(|flaw| Failure::usage(flaw, None))?;
    let open = context.reader()?;
    let answer = runs::regressions(&open.memory, &open.call, run.as_ref())?;
    let exit = if answer.body.regressions.is_empty() { Exit::Done } else { Exit::Negative };
    context.print(&open, answer, |body, _| text::regressions(body))?;
    Ok(exit)
}

/// Undo what one command did
///
/// Refused, with their numbers, if later operations touched the same lesson.
#[derive(Args)]
pub struct Undo {
    /// The operation's number from `hardwon log` [default: the newest that is not undone]
    operation: Option<u64>,
}

impl Undo {
    pub fn run(self, context: &Context) -> CommandResult {
        let operation = self.operation.map(OperationId);
        context.writes(|memory, call| history::undo(memory, call, operation), text::undo)
    }
}
