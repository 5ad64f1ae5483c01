//! `hardwon findings`

use clap::{Args, Subcommand};
use hardwon_engine::finding::FindingState;
use hardwon_engine::ids::RunId;
use hardwon_engine::{FindingsRequest, runs};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

/// List findings of all runs, or show where one was opened, closed and came back
///
/// Without a subcommand it lists them.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct FindingsArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    which: Which,
}

#[derive(Subcommand)]
enum What {
    /// Findings, the newest first
    List(Which),
    /// One finding: where and when it was opened, closed, came back
    Show {
        /// Its id, or a unique prefix
        #[arg(value_name = "ID")]
        finding: String,
    },
}

#[derive(Args)]
struct Which {
    /// open, fixed, regressed or dismissed
    #[arg(long, value_parser = args::finding_state)]
    state: Option<FindingState>,
    /// Only in this file, or below this folder
    #[arg(long)]
    path: Option<String>,
    /// Only those of this reviewer or tool
    #[arg(long)]
    author: Option<String>,
    /// Only those of this run, or of a root run and all below it
    #[arg(long, value_parser = args::run_id)]
    run: Option<RunId>,
    /// At most this many [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only what comes after this place: `next` of the page before, with --json
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl FindingsArgs {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let which = match self.what {
            Some(What::Show { finding }) => {
                let answer = runs::findings_show(&open.memory, &open.call, &finding)?;
                return context.print(&open, answer, text::finding_story);
            }
            Some(What::List(which)) => which,
            None => self.which,
        };
        let Which { state, path, author, run, limit, after } = which;
        let request = FindingsRequest { state, path, author, run, limit, after };
        let answer = runs::findings_list(&open.memory, &open.call, &request)?;
        context.print(&open, answer, text::findings)
    }
}
