//! `hardwon usage`

use clap::Args;
use clap::builder::PossibleValuesParser;
use hardwon_engine::answer::{Answer, UsageBy};
use hardwon_foreign::ask;
use hardwon_render::text;

use super::{CommandResult, Context};

/// Show what questions to language models cost, and what is left of the caps
///
/// Counted over all projects of this memory. A question that was reserved and never answered counts
/// with the most that it could cost.
#[derive(Args)]
pub struct Usage {
    /// Sum up by day, backend or run
    #[arg(long, value_name = "WHAT", default_value = "day",
          value_parser = PossibleValuesParser::new(UsageBy::ALL.map(UsageBy::word)))]
    by: String,
    /// Only the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
}

impl Usage {
    pub fn run(self, context: &Context) -> CommandResult {
        let open = context.reader()?;
        let by = UsageBy::ALL.into_iter().find(|by| by.word() == self.by).unwrap_or(UsageBy::Day);
        let usage = ask::usage(&open.memory, &open.call, by, self.days)?;
        let answer = Answer::of(usage, Vec::new()).empty_if(|usage| usage.rows.is_empty());
        context.print(&open, answer, text::usage)
    }
}
