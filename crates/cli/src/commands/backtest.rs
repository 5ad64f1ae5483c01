//! `hardwon backtest`

use std::path::PathBuf;

use clap::Args;
use hardwon_engine::backtest::{History, How, backtest};
use hardwon_engine::{Access, Format, LearnRequest, OpenMemory, Options};
use hardwon_faces::Failure;
use hardwon_render::text;

use super::learn::inputs;
use super::{CommandResult, Context};
use crate::args;

/// With fewer runs, chance says more than memory.
const LEAST_RUNS: u64 = 10;
/// The same history gives the same figures.
const SEED: u64 = 1;

/// Play past runs and say what memory would have forewarned of; writes nothing
///
/// In a memory that is thrown away each run is asked for its block when it begins and learned when
/// it ends; the first 30 % are only learned. Counts findings whose lesson stood in the block,
/// beside simple rules that show as many lines. Reads what `hardwon learn` reads, also an export of
/// review comments of many pull requests, and a folder of past reports, of which each file, or each
/// folder, is a run (docs/backtest.md). With `--policy` the same is played under that policy,
/// too, and it says what would have been shown, prevented and decayed differently: of what this
/// project's memory has learned, if no records are named.
#[derive(Args)]
pub struct Backtest {
    /// Files or folders; `-` or nothing for standard input
    #[arg(value_name = "RECORDS")]
    records: Vec<PathBuf>,
    /// Play what this project's memory has learned
    #[arg(long, conflicts_with_all = ["records", "format"])]
    history: bool,
    /// Read the records as this format instead of detecting it, as in `hardwon learn`
    #[arg(long, value_parser = args::format)]
    format: Option<Format>,
}

impl Backtest {
    pub fn run(self, context: &Context) -> CommandResult {
        // The policy that is named is for what is played, beside the one in force.
        let other = context.options.policy.as_deref();
        let options = Options { policy: None, ..context.options.clone() };
        let open = OpenMemory::open(&context.environment, &options, Access::Read)?;
        let history = if self.history || (other.is_some() && self.records.is_empty()) {
            History::Own
        } else {
            let inputs = inputs(self.records)?;
            let folder = Some(context.environment.folder.clone());
            let format = self.format;
            History::Records(LearnRequest { inputs, format, folder, ..LearnRequest::default() })
        };
        let how = How { is_recorded: true, holds_out: false, seed: SEED };
        let progress = &mut context.progress("playing: step", 200);
        let answer = backtest(&open.memory, &open.call, history, how, other, progress)?;
        let n_runs = answer.body.n_runs;
        if n_runs < LEAST_RUNS && other.is_none() {
            let runs = if n_runs == 1 { "1 run is" } else { &format!("{n_runs} runs are") };
            let message = format!("{runs} too few to play: at least {LEAST_RUNS} are needed");
            let hint = Some("hand in records of more runs; each needs an id of its own");
            return Err(Failure::usage(message, hint));
        }
        context.print(&open, answer, text::backtest)
    }
}
