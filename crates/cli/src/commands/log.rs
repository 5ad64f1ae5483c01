//! `hardwon log`

use clap::Args;
use hardwon_engine::history;
use hardwon_render::text;

use super::{CommandResult, Context, events, regressions};

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
            return regressions::regressions(context, self.name.as_deref());
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
