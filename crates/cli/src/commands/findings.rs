//! `hardwon list findings`

use clap::Args;
use hardwon_engine::finding::FindingState;
use hardwon_engine::ids::RunId;
use hardwon_engine::{FindingsRequest, runs};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

#[derive(Args)]
pub struct Findings {
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

impl Findings {
    pub fn run(self, context: &Context) -> CommandResult {
        let Findings { state, path, author, run, limit, after } = self;
        let request = FindingsRequest { state, path, author, run, limit, after };
        context.reads(|memory, call| runs::findings_list(memory, call, &request), text::findings)
    }
}
