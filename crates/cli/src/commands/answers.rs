//! `hardwon list answers`

use clap::Args;
use hardwon_engine::ids::RunId;
use hardwon_engine::{Call, DeliberationsRequest, Memory, runs};
use hardwon_render::text;

use super::{CommandResult, Context};
use crate::args;

#[derive(Args)]
pub struct Answers {
    /// Only those that say about this, best first
    words: Vec<String>,
    /// Only those of this role
    #[arg(long)]
    role: Option<String>,
    /// Only those of this run
    #[arg(long, value_parser = args::run_id)]
    run: Option<RunId>,
    /// pass, fail, fixed, partial, blocked or another word of theirs
    #[arg(long)]
    verdict: Option<String>,
    /// Only those of the last N days
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// At most this many [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl Answers {
    pub fn run(self, context: &Context) -> CommandResult {
        let Answers { words, role, run, verdict, days, limit } = self;
        let text = (!words.is_empty()).then(|| words.join(" "));
        let request = DeliberationsRequest { text, role, run, verdict, days, limit };
        let list = |memory: &Memory, call: &Call| {
            runs::deliberations(memory, call, &request, &mut context.embed(memory))
        };
        context.reads(list, text::deliberations)
    }
}
