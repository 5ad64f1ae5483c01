//! `hardwon report`

use clap::Args;
use clap::builder::PossibleValuesParser;
use hardwon_engine::answer::{Answer, UsageBy};
use hardwon_engine::{Call, Memory, history};
use hardwon_foreign::ask;
use hardwon_render::text;

use super::{CommandResult, Context};

/// What is being learned, and how much it helps
#[derive(Args)]
pub struct Report {
    /// Only counts by state, kind and effect
    #[arg(long, conflicts_with = "costs")]
    counts: bool,
    /// What questions to language models cost, over all projects, and what is left of the caps. A
    /// question that was reserved and never answered counts with the most that it could cost
    #[arg(long)]
    costs: bool,
    /// Sum costs up by day, backend or run
    #[arg(long, value_name = "WHAT", default_value = "day", requires = "costs",
          value_parser = PossibleValuesParser::new(UsageBy::ALL.iter().map(|by| by.word())))]
    by: String,
    /// Only the costs of the last N days
    #[arg(long, value_name = "N", requires = "costs")]
    days: Option<u32>,
}

impl Report {
    pub fn run(self, context: &Context) -> CommandResult {
        if self.costs {
            let by = UsageBy::from_word(&self.by).unwrap_or(UsageBy::Day);
            let usage = |memory: &Memory, call: &Call| {
                let usage = ask::usage(memory, call, by, self.days)?;
                Ok(Answer::of(usage, Vec::new()).empty_if(|usage| usage.rows.is_empty()))
            };
            return context.reads(usage, text::usage);
        }
        if self.counts {
            let stats =
                |memory: &_, call: &_| Ok(history::report(memory, call)?.map(|it| it.stats));
            return context.reads(stats, |stats, _| text::stats(stats));
        }
        context.reads(history::report, text::report)
    }
}
