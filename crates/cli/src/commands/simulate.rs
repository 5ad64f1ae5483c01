//! `hardwon simulate`

use clap::Args;
use hardwon_sim::simulate::{self, Size};

use super::{Context, Done, bench};

/// Play a made-up world with every policy; prints a table, writes nothing
///
/// Agents make planted defects, reviewers report some of them in changing words, and a
/// lesson that is shown is heeded with some probability. Tells how often a reported defect
/// is made again without memory, with random lessons and under each policy.
#[derive(Args)]
pub struct Simulate {
    /// Small and done in seconds
    #[arg(long)]
    quick: bool,
    /// The first world; the same seed gives the same numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs in each world [default: 300, with --quick 60]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,
}

impl Simulate {
    pub fn run(self, context: &Context) -> Done {
        let size = if self.quick { Size::QUICK } else { Size::WHOLE };
        let n_runs = self.runs.map_or(size.n_runs, |runs| runs as usize);
        let table = simulate::run(Size { n_runs, ..size }, self.seed)?;
        bench::print(&table, context)
    }
}
